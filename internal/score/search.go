package score

import "math"

// Search is the fast twin of the reference: a Field together with the gain of
// every candidate, kept up to date. It belongs to one goroutine; its memory is
// reused from image to image.
type Search struct {
	Field
	grid    Grid
	gains   []float64 // fast gains, one a candidate, in nats; -log 0 is Bank.impossible
	skip    []bool    // experts whose gains need not be kept up to date
	updates int       // changed pixels since Reset, for the error bound
	changes []Change
	near    []int // candidates within the error bound of the best
	exact   []Gain

	// The image as the shifted sprites meet it: plane row r is image row
	// DY0+r, likewise columns; what lies outside the image is not known.
	planeH, planeW int
	ink, hidden    columns
	rowSum         []float64
}

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
	n := b.Candidates(g.Shifts())
	if cap(s.gains) < n {
		s.gains = make([]float64, n)
	}
	s.gains = s.gains[:n]
	experts := 0
	for i := range b.Sprites {
		experts = max(experts, b.Sprites[i].Expert+1)
	}
	if cap(s.skip) < experts {
		s.skip = make([]bool, experts)
	}
	s.skip = s.skip[:experts]
	clear(s.skip)
	if g.Shifts() == 1 || b.QMap != nil {
		s.scoreOneByOne()
		return
	}
	s.lookAround()
	for i := range b.Sprites {
		s.correlate(i)
	}
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

// Retire says that expert k will not be asked for again in this image.
func (s *Search) Retire(k int) { s.skip[k] = true }

// Place adds candidate c to the composition and brings all gains up to date.
func (s *Search) Place(c int) {
	s.changes = s.Field.Add(s.grid.At(c), s.changes[:0])
	s.update()
}

// TakeBack removes pick j and brings all gains up to date.
func (s *Search) TakeBack(j int) {
	s.changes = s.Field.Remove(j, s.changes[:0])
	s.update()
}

// Candidate is the number of a placed sprite: the inverse of Grid.At.
func (s *Search) Candidate(p Placed) int {
	g := s.grid
	return p.Sprite*g.Shifts() + (p.DY-g.DY0)/g.StepY*g.NX + (p.DX-g.DX0)/g.StepX
}

// update re-scores the changed pixels for the candidates that reach them.
func (s *Search) update() {
	s.updates += len(s.changes)
	for i := range s.Bank.Sprites {
		sp := &s.Bank.Sprites[i]
		if s.skip[sp.Expert] {
			continue
		}
		gains := s.gains[i*s.grid.Shifts() : (i+1)*s.grid.Shifts()]
		for c := range s.changes {
			s.updatePixel(sp, gains, &s.changes[c])
		}
	}
}

// updatePixel corrects one sprite's gains for one changed image pixel: at
// shift (a, b) the sprite's pixel (y0-a*StepY, x0-b*StepX) lies on it.
func (s *Search) updatePixel(sp *Sprite, gains []float64, c *Change) {
	g, w := s.grid, s.Bank.Width
	y0, x0 := c.Y-g.DY0, c.X-g.DX0
	xMin := x0 - (g.NX-1)*g.StepX
	for a := max(0, ceilDiv(y0-s.Bank.Height+1, g.StepY)); a < g.NY; a++ {
		y := y0 - a*g.StepY
		if y < 0 {
			break
		}
		row := gains[a*g.NX : (a+1)*g.NX]
		for _, span := range sp.spans[sp.rows[y]:sp.rows[y+1]] {
			first, end := max(int(span.First), xMin), min(int(span.End), x0+1)
			if first >= end {
				continue
			}
			if s.Bank.TwoSided {
				s.updateTwoSided(sp, row, c, y*w, first, end, x0)
			} else {
				s.updateMax(sp, row, c, y*w, first, end, x0)
			}
		}
	}
}

func ceilDiv(a, b int) int {
	if a <= 0 {
		return 0
	}
	return (a + b - 1) / b
}

// updateMax corrects the gains for sprite columns [first, end) of the row that
// starts at base. Under the max rule an opinion counts when its logarithm is
// beyond the pixel's present log-likelihood: above it at ink, below it
// elsewhere, where every strengthening costs.
func (s *Search) updateMax(sp *Sprite, row []float64, c *Change, base, first, end, x0 int) {
	oldL, newL := s.Bank.finite(c.OldL), s.Bank.finite(c.L)
	step := s.grid.StepX
	if c.PixelValue == On {
		logs := sp.On[base : base+end]
		for x := first; x < end; x++ {
			if t := s.Bank.finite(logs[x]); (t > oldL || t > newL) && (x0-x)%step == 0 {
				row[(x0-x)/step] += (max(t, newL) - newL) - (max(t, oldL) - oldL)
			}
		}
		return
	}
	logs := sp.Off[base : base+end]
	for x := first; x < end; x++ {
		if t := s.Bank.finite(logs[x]); (t < oldL || t < newL) && (x0-x)%step == 0 {
			row[(x0-x)/step] += (min(t, newL) - newL) - (min(t, oldL) - oldL)
		}
	}
}

// updateTwoSided is updateMax for max-minus-min.
func (s *Search) updateTwoSided(sp *Sprite, row []float64, c *Change, base, first, end, x0 int) {
	step, q := s.grid.StepX, s.Bank.q(c.Index)
	for x := first; x < end; x++ {
		if (x0-x)%step != 0 {
			continue
		}
		j := base + x
		row[(x0-x)/step] += s.vote(sp, j, c.PixelValue, c.Hi, c.Lo, q, c.L) -
			s.vote(sp, j, c.PixelValue, c.OldHi, c.OldLo, q, c.OldL)
	}
}

// vote is the finite gain of sprite pixel j joining hi and lo.
func (s *Search) vote(sp *Sprite, j int, pixel uint8, hi, lo, q, l float64) float64 {
	v := sp.V[j]
	switch {
	case v > hi:
		if lo != q {
			return s.Bank.finite(pixelLogLik(pixel, compose(v, lo, q))) - s.Bank.finite(l)
		}
	case v < lo:
		if hi != q {
			return s.Bank.finite(pixelLogLik(pixel, compose(hi, v, q))) - s.Bank.finite(l)
		}
	default:
		return 0
	}
	if pixel == On {
		return s.Bank.finite(sp.On[j]) - s.Bank.finite(l)
	}
	return s.Bank.finite(sp.Off[j]) - s.Bank.finite(l)
}

// Best is the candidate with the largest gain after its expert's cost (nats a
// pick, or nil), the lowest index among those within Tie of it; -1 if no
// expert is live. live must not name a retired expert.
func (s *Search) Best(costs []float64, live func(expert int) bool) (int, Gain) {
	best := math.Inf(-1)
	s.eachLive(costs, live, func(_ int, gains []float64, cost float64) {
		for _, g := range gains {
			if g-cost > best {
				best = g - cost
			}
		}
	})
	least := best - Tie - 2*s.errorBound()
	s.near, s.exact = s.near[:0], s.exact[:0]
	s.eachLive(costs, live, func(first int, gains []float64, cost float64) {
		for i, g := range gains {
			if g-cost >= least {
				c := first + i
				s.near = append(s.near, c)
				k := s.Bank.Sprites[c/s.grid.Shifts()].Expert
				s.exact = append(s.exact, pay(s.Gain(s.grid.At(c)), costs, k))
			}
		}
	})
	i, g := choose(len(s.near), func(i int) (Gain, bool) { return s.exact[i], true })
	if i < 0 {
		return -1, Gain{}
	}
	return s.near[i], g
}

func (s *Search) eachLive(costs []float64, live func(int) bool, f func(first int, gains []float64, cost float64)) {
	n := s.grid.Shifts()
	for i := range s.Bank.Sprites {
		k := s.Bank.Sprites[i].Expert
		if !live(k) {
			continue
		}
		cost := 0.0
		if costs != nil {
			cost = costs[k]
		}
		f(i*n, s.gains[i*n:(i+1)*n], cost)
	}
}

// errorBound bounds the rounding error of a fast gain, in nats: the number of
// additions times half a unit in the last place of the largest partial sum.
func (s *Search) errorBound() float64 {
	pixels := float64(s.Bank.Height * s.Bank.Width)
	additions := 4*pixels + 2*float64(s.updates)
	return additions * 0x1p-53 * 2 * pixels * s.Bank.largest
}
