package score

import (
	"math"
	"slices"
)

// Search is the fast twin of the reference: a Field together with what is known
// of the gain of every candidate: bounds (bounds.go) or, where these do not
// apply, the gains. Gains are brought up to date when they are asked for, expert
// by expert: what changed is kept in a log, and each expert remembers how much
// of it it has seen. It belongs to one goroutine; its memory is reused from
// image to image.
type Search struct {
	Field
	grid    Grid
	gains   []float64 // fast gains, one a candidate, in nats; -log 0 is Bank.impossible
	sprites []span    // of each expert, in Bank.Sprites
	log     []Change  // what picks did to pixels, oldest first
	synced  []int     // by expert: the part of the log its gains contain
	updates int       // changed pixels since Reset, for the error bound

	moves              []move  // net changes of log[movesFrom:movesTo]
	movesFrom, movesTo int     // -1 where moves is not current
	slot               []int32 // by pixel: 1 + index into moves, while they are made

	// Between TakeBack and what follows it: the length of the log before, and
	// the gains of the experts brought up to date since.
	mark   int
	undo   []undo
	backup []float64

	near    []int // candidates within the error bound of the best
	exact   []Gain
	largest []float64 // scratch of Top

	// The image as the shifted sprites meet it: plane row r is image row
	// DY0+r, likewise columns; what lies outside the image is not known.
	planeH, planeW int
	ink, hidden    columns
	rowSum         []float64

	still   still   // the way without shifts; see still.go
	bounded bounded // the way with shifts where it can; see bounds.go
}

// span is the half-open range of an expert's sprites.
type span struct{ first, end int }

// undo is how an expert stood before it was brought up to date.
type undo struct{ expert, synced, at int }

// columns lists, for each plane row, the columns where something holds; from
// is the prefix count: the columns >= x of row r start at list[from[r][x]].
type columns struct {
	list []int32
	from []int32 // planeH rows of planeW+1 prefix counts
}

// Reset gives the search a new image of height x width (x row-major, copied),
// forgets all picks and scores every candidate.
func (s *Search) Reset(b *Bank, g Grid, height, width int, x []uint8) {
	s.Field.Reset(b, height, width, x)
	s.grid, s.updates = g, 0
	s.slot = resize(s.slot, height*width)
	s.sprites = s.sprites[:0]
	for i := range b.Sprites {
		if k := b.Sprites[i].Expert; k < len(s.sprites) {
			s.sprites[k].end = i + 1
		} else {
			s.sprites = append(s.sprites, span{i, i + 1})
		}
	}
	s.synced = resize(s.synced, len(s.sprites))
	s.forget()
	s.still.on = false
	if s.bind() {
		return
	}
	s.gains = resize(s.gains, b.Candidates(g.Shifts()))
	if s.rest() {
		return
	}
	if g.Shifts() == 1 || b.QMap != nil {
		s.scoreOneByOne()
		return
	}
	s.lookAround()
	for i := range b.Sprites {
		s.correlate(i)
	}
}

// resize is s with length n, its memory reused where it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// forget empties the log: every expert has seen all of it.
func (s *Search) forget() {
	s.log, s.mark, s.movesFrom = s.log[:0], -1, -1
	clear(s.synced)
}

// scoreOneByOne is the first step where there is nothing to share between
// shifts.
func (s *Search) scoreOneByOne() {
	for c := range s.gains {
		g := s.Gain(s.grid.At(c))
		s.gains[c] = g.Nats + float64(g.Possible)*s.Bank.impossible
	}
}

// lookAround lists the ink and the unknown pixels by plane row.
func (s *Search) lookAround() {
	g := s.grid
	s.planeH = s.Bank.Height + (g.NY-1)*g.StepY
	s.planeW = s.Bank.Width + (g.NX-1)*g.StepX
	s.ink.reset(s.planeH, s.planeW)
	s.hidden.reset(s.planeH, s.planeW)
	for r := range s.planeH {
		y := r + g.DY0
		for c := range s.planeW {
			x, pixel := c+g.DX0, Unknown
			if y >= 0 && y < s.Height && x >= 0 && x < s.Width {
				pixel = s.X[y*s.Width+x]
			}
			switch pixel {
			case On:
				s.ink.list = append(s.ink.list, int32(c))
			case Unknown:
				s.hidden.list = append(s.hidden.list, int32(c))
			}
			s.ink.from[r*(s.planeW+1)+c+1] = int32(len(s.ink.list))
			s.hidden.from[r*(s.planeW+1)+c+1] = int32(len(s.hidden.list))
		}
		if r+1 < s.planeH {
			s.ink.from[(r+1)*(s.planeW+1)] = int32(len(s.ink.list))
			s.hidden.from[(r+1)*(s.planeW+1)] = int32(len(s.hidden.list))
		}
	}
}

func (c *columns) reset(h, w int) {
	if cap(c.from) < h*(w+1) {
		c.from = make([]int32, h*(w+1))
	}
	c.from = c.from[:h*(w+1)]
	c.from[0] = 0
	c.list = c.list[:0]
}

// window is the columns of plane row r in [x, end).
func (c *columns) window(r, x, end, planeW int) []int32 {
	row := c.from[r*(planeW+1):]
	return c.list[row[x]:row[end]]
}

// correlate scores one sprite at every shift from abstention. A voting pixel
// is worth off where the image is off and on where it is on, so its part of
// all gains is off everywhere, corrected at ink and at unknown pixels, which
// are few.
func (s *Search) correlate(sprite int) {
	b, g := s.Bank, s.grid
	sp := &b.Sprites[sprite]
	gains := s.gains[sprite*g.Shifts() : (sprite+1)*g.Shifts()]
	clear(gains)
	s.rowSum = append(s.rowSum[:0], make([]float64, g.NY)...)
	baseOn, baseOff := b.finite(math.Log(b.Q)), b.finite(math.Log1p(-b.Q))
	reach := (g.NX-1)*g.StepX + 1
	for _, span := range sp.spans {
		for x := int(span.First); x < int(span.End); x++ {
			j := int(span.Row)*b.Width + x
			off := b.finite(sp.Off[j]) - baseOff
			ink := b.finite(sp.On[j]) - baseOn - off
			for a := range g.NY {
				r := int(span.Row) + a*g.StepY
				hidden := s.hidden.window(r, x, x+reach, s.planeW)
				if len(hidden) == reach {
					continue
				}
				s.rowSum[a] += off
				row := gains[a*g.NX : (a+1)*g.NX]
				scatter(row, s.ink.window(r, x, x+reach, s.planeW), x, g.StepX, ink)
				if len(hidden) > 0 {
					scatter(row, hidden, x, g.StepX, -off)
				}
			}
		}
	}
	for a, sum := range s.rowSum {
		row := gains[a*g.NX : (a+1)*g.NX]
		for i := range row {
			row[i] += sum
		}
	}
}

// scatter adds w to row[(c-x)/step] for the columns c on the grid.
func scatter(row []float64, columns []int32, x, step int, w float64) {
	if step == 1 {
		for _, c := range columns {
			row[int(c)-x] += w
		}
		return
	}
	for _, c := range columns {
		if d := int(c) - x; d%step == 0 {
			row[d/step] += w
		}
	}
}

// Shifts is the number of shifts of the present grid.
func (s *Search) Shifts() int { return s.grid.Shifts() }

// At is candidate c as a placed sprite.
func (s *Search) At(c int) Placed { return s.grid.At(c) }

// Place adds candidate c to the composition.
func (s *Search) Place(c int) {
	s.mark = -1
	if s.still.on {
		s.placeStill(c)
		return
	}
	if s.bounded.active {
		s.log = s.Field.Add(s.grid.At(c), s.log[:0])
		s.follow(s.log)
		return
	}
	s.log = s.Field.Add(s.grid.At(c), s.log)
}

// TakeBack removes pick j.
func (s *Search) TakeBack(j int) {
	s.wake()
	if s.bounded.active {
		s.log = s.Field.Remove(j, s.log[:0])
		s.follow(s.log)
		return
	}
	s.mark = len(s.log)
	s.undo, s.backup = s.undo[:0], s.backup[:0]
	s.log = s.Field.Remove(j, s.log)
}

// PutBack undoes the TakeBack just done of candidate c: the composition does
// not depend on the order of the picks, so the gains are what they were. The
// pick becomes the last.
func (s *Search) PutBack(c int) {
	if s.bounded.active {
		s.log = s.Field.Add(s.grid.At(c), s.log[:0])
		s.follow(s.log)
		return
	}
	s.log = s.Field.Add(s.grid.At(c), s.log)[:s.mark]
	for _, u := range s.undo {
		copy(s.of(u.expert), s.backup[u.at:])
		s.synced[u.expert] = u.synced
	}
	s.mark, s.movesFrom = -1, -1
}

// of is the gains of expert k's candidates.
func (s *Search) of(k int) []float64 {
	n := s.grid.Shifts()
	return s.gains[s.sprites[k].first*n : s.sprites[k].end*n]
}

// Candidate is the number of a placed sprite: the inverse of Grid.At.
func (s *Search) Candidate(p Placed) int {
	g := s.grid
	return p.Sprite*g.Shifts() + (p.DY-g.DY0)/g.StepY*g.NX + (p.DX-g.DX0)/g.StepX
}

// Best is the candidate with the largest gain after its expert's cost (nats a
// pick, or nil), the lowest index among those within Tie of it; -1 if no
// expert is live.
func (s *Search) Best(costs []float64, live func(expert int) bool) (int, Gain) {
	c, g := s.BestAbove(math.Inf(-1), costs, live)
	if c < 0 {
		return -1, Gain{}
	}
	return c, g
}

// BestAbove is Best where that gains at least floor nats after costs. Otherwise
// it may be -1 and a gain of -Inf: to know that nothing gains enough is less work
// than to know what comes closest.
func (s *Search) BestAbove(floor float64, costs []float64, live func(expert int) bool) (int, Gain) {
	if s.still.on {
		if c, g, ok := s.bestStill(costs, live); ok {
			return c, g
		}
		s.wake()
	}
	if s.bounded.active {
		return s.bestBounded(floor, costs, live)
	}
	s.syncLive(live)
	best := math.Inf(-1)
	for k := range s.sprites {
		if !live(k) {
			continue
		}
		cost := costOf(costs, k)
		for _, g := range s.of(k) {
			if g-cost > best {
				best = g - cost
			}
		}
	}
	return s.decide(best-Tie-2*s.errorBound()-s.spread(costs), costs, live)
}

// spread is by how much costs can hide a difference in impossible pixels,
// which come first whatever they cost, from the fast gains.
func (s *Search) spread(costs []float64) float64 {
	if costs == nil || s.Bank.largest < s.Bank.impossible {
		return 0
	}
	return slices.Max(costs) - slices.Min(costs)
}

// decide scores every live candidate of at least that fast gain exactly, and
// chooses.
func (s *Search) decide(least float64, costs []float64, live func(int) bool) (int, Gain) {
	s.near, s.exact = s.near[:0], s.exact[:0]
	for k := range s.sprites {
		if !live(k) {
			continue
		}
		first, cost := s.sprites[k].first*s.grid.Shifts(), costOf(costs, k)
		for i, g := range s.of(k) {
			if g-cost >= least {
				s.near = append(s.near, first+i)
				s.exact = append(s.exact, pay(s.Gain(s.grid.At(first+i)), costs, k))
			}
		}
	}
	i, g := choose(len(s.near), func(i int) (Gain, bool) { return s.exact[i], true })
	if i < 0 {
		return -1, Gain{Nats: math.Inf(-1)}
	}
	return s.near[i], g
}

// errorBound bounds the rounding error of a fast gain, in nats: the number of
// additions times half a unit in the last place of the largest partial sum.
func (s *Search) errorBound() float64 {
	pixels := float64(s.Bank.Height * s.Bank.Width)
	additions := 4*pixels + 2*float64(s.updates)
	return additions * 0x1p-53 * 2 * pixels * s.Bank.largest
}
