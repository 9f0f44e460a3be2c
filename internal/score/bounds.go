package score

import (
	"bytes"
	"math"
	"slices"

	"example.com/patchwork/internal/score/kernel"
)

// This file is the search by bounds. From abstention, tables give an upper bound
// of every candidate's gain (screen.go). A pick can raise the gain of another
// candidate only where that votes on pixels that are off, which the pick has
// paid for already, and by no more than it paid; so adding what was paid near a
// candidate keeps its bound true, if loose. Where a loose bound is in the way,
// other tables, by classes of pixels, tighten it (classes.go), and where that is
// not enough the candidate is scored. The largest bound goes first, until none is
// above the best score: lazy greedy search (Minoux 1978), by tiles of candidates.
// Most are never looked at again.
//
// Scores are sums of float32 with a proven error; those within it of the best are
// scored by Field.Gain, in index order, and that decides.

// bounded is the state of a search by bounds.
type bounded struct {
	active bool // in force for the present image
	*layout
	planes

	made   []bool    // by sprite: whether it has bounds
	raised []float64 // by tile: what all its candidates' gains may have risen by since Reset, in nats

	// By sprite and tile. A tile's bounds are base + its steps * step + what raised
	// has risen by since they were made; while that is nothing it is fresh.
	bounds []float64 // of the tile, less raised
	states []state
	steps  []uint16 // by position in the tile, too

	tops    []uint16 // scratch of bound
	heap    []tile
	least   float64   // what interests the collection under way: gains of at least this
	largest []float64 // the n largest scores so far, less their errors, ascending
	found   []scored
}

// state is how a tile's bounds were made.
type state struct {
	since float64 // raised, when they were
	later bool    // by class, not from abstention
}

// tile is a tile of a sprite's candidates; bound is on their gains after costs.
type tile struct {
	bound        float64
	sprite, tile int32
}

// scored is a candidate and its score after costs, right to within slack.
type scored struct {
	candidate    int
	score, slack float64
}

// bind decides whether the search can take this way, and prepares it.
func (s *Search) bind() bool {
	t := &s.bounded
	t.active = false
	if s.grid.Shifts() == 1 {
		return false
	}
	sc := s.Bank.screen(s.grid.Shifts())
	if sc == nil {
		return false
	}
	unknown := bytes.IndexByte(s.X, Unknown) >= 0
	if l := t.layout; l == nil || l.screen != sc || l.grid != s.grid || l.height != s.Height || l.width != s.Width || l.unknown != unknown {
		if t.layout = newLayout(s.Bank, sc, s.grid, s.Height, s.Width, unknown); t.layout == nil {
			return false
		}
	}
	t.active = true
	t.planes.set(t.layout, s.X)
	t.setStrengths(t.layout, s.X)
	n := len(sc.sprites) * t.tiles
	t.bounds, t.states, t.steps = resize(t.bounds, n), resize(t.states, n), resize(t.steps, n*kernel.Tile)
	t.tops = resize(t.tops, t.tiles)
	t.made, t.raised = resize(t.made, len(sc.sprites)), resize(t.raised, t.tiles)
	clear(t.made)
	clear(t.raised)
	return true
}

// bound makes the bounds of a sprite, from abstention.
func (s *Search) bound(sprite int) {
	t := &s.bounded
	if t.made[sprite] {
		return
	}
	t.made[sprite] = true
	g, first := &t.screen.sprites[sprite], sprite*t.tiles
	t.screen.path.Sums(t.steps[first*kernel.Tile:], t.tops, t.screen.tables, t.codes, &t.layout.first[sprite])
	bounds, states := t.bounds[first:first+t.tiles], t.states[first:first+t.tiles]
	clear(states)
	for i, top := range t.tops {
		bounds[i] = g.base + g.step*float64(top)
	}
}

// tighten makes the bounds of a tile anew, by class, and keeps those that were
// better.
func (s *Search) tighten(sprite, tile int) {
	t := &s.bounded
	g, at := &t.screen.sprites[sprite], sprite*t.tiles+tile
	was := t.states[at]
	t.states[at] = state{t.raised[tile], true}
	t.classify(t.layout)
	var steps [kernel.Tile]uint16
	var top [1]uint16
	t.screen.path.Sums(steps[:], top[:], t.screen.tables, t.codes[tile*kernel.Tile:], &t.layout.later[sprite])
	old := (*[kernel.Tile]uint16)(t.steps[at*kernel.Tile:])
	if up := math.Ceil((t.raised[tile] - was.since) / g.stepRuns * (1 + 1e-12)); was.later && up < math.MaxUint16 {
		top[0] = 0
		for i := range steps {
			steps[i] = uint16(min(uint32(steps[i]), uint32(old[i])+uint32(up)))
			top[0] = max(top[0], steps[i])
		}
	}
	*old = steps
	t.bounds[at] = g.base + g.stepRuns*float64(top[0]) - t.raised[tile]
}

// follow takes what a pick, or taking one back, changed over to the planes and
// the bounds.
func (s *Search) follow(changes []Change) {
	t := &s.bounded
	for i := range changes {
		c := &changes[i]
		y, x := c.Y-t.grid.DY0, c.X-t.grid.DX0
		if uint(y) >= uint(t.planeH) || uint(x) >= uint(t.planeW) {
			continue
		}
		if at := y*t.strengthPitch + x; c.PixelValue == On {
			t.on[at] = float32(c.L)
		} else {
			t.off[at] = float32(-c.L)
		}
		t.reclass(t.layout, y, x, t.screen.classes.of(c.PixelValue, c.L))
		if c.L < c.OldL {
			s.raise(y, x, c.OldL-c.L)
		}
	}
}

// raise adds nats to the bounds of all candidates that may vote at a pixel of the
// plane.
func (s *Search) raise(y, x int, nats float64) {
	t, g := &s.bounded, s.grid
	aMin, aMax := ceilDiv(y-t.screen.bottom, g.StepY), min(floorDiv(y-t.screen.top, g.StepY), g.NY-1)
	bMin, bMax := ceilDiv(x-t.screen.right, g.StepX), min(floorDiv(x-t.screen.left, g.StepX), g.NX-1)
	if bMin > bMax {
		return
	}
	nats *= 1 + 0x1p-40 // far beyond the rounding of the sum
	next := 0
	for a := aMin; a <= aMax; a++ {
		last := (a*t.pitch + bMax) / kernel.Tile
		for i := max(next, (a*t.pitch+bMin)/kernel.Tile); i <= last; i++ {
			t.raised[i] += nats
		}
		next = last + 1
	}
}

// floorDiv is floor(a/b), b > 0; -1 for all a < 0.
func floorDiv(a, b int) int {
	if a < 0 {
		return -1
	}
	return a / b
}

// collect sets found to a superset of the live candidates whose gain after costs
// is at least that of the n-th best, less a little more than Tie, and at least
// floor.
func (s *Search) collect(n int, floor float64, costs []float64, live func(expert int) bool) {
	t := &s.bounded
	t.least, t.largest, t.found, t.heap = floor, t.largest[:0], t.found[:0], t.heap[:0]
	s.eachLive(costs, live, func(sprite int, _ float64) { s.bound(sprite) })
	if math.IsInf(floor, -1) {
		// With nothing to compare with all tiles would go on the heap.
		s.scoreFirst(costs, live, n)
	}
	s.eachLive(costs, live, s.gather)
	t.order()
	for len(t.heap) > 0 && t.heap[0].bound >= t.cut() {
		s.scoreTile(t.pop(), costs, n)
	}
	cut := t.cut()
	t.found = slices.DeleteFunc(t.found, func(c scored) bool { return c.score+c.slack < cut })
	slices.SortFunc(t.found, func(a, b scored) int { return a.candidate - b.candidate })
}

// scoreFirst finds out what the tile with the largest bound has, so that least is
// a number.
func (s *Search) scoreFirst(costs []float64, live func(expert int) bool, n int) {
	t := &s.bounded
	first := tile{math.Inf(-1), -1, -1}
	s.eachLive(costs, live, func(sprite int, cost float64) { first = s.first(sprite, cost, first) })
	if first.sprite < 0 {
		return
	}
	for t.heap = append(t.heap, first); len(t.heap) > 0; {
		s.scoreTile(t.pop(), costs, n)
	}
	t.found, t.largest = t.found[:0], t.largest[:0] // they are found again
}

// eachLive calls f for the sprites of live experts, with what they cost.
func (s *Search) eachLive(costs []float64, live func(expert int) bool, f func(sprite int, cost float64)) {
	for k := range s.sprites {
		if !live(k) {
			continue
		}
		cost := costOf(costs, k)
		for i := s.sprites[k].first; i < s.sprites[k].end; i++ {
			f(i, cost)
		}
	}
}

// cut is the least bound that a candidate of interest can have.
func (t *bounded) cut() float64 { return t.least - 2*Tie }

// first is the tile with the largest bound, of those of a sprite and another.
func (s *Search) first(sprite int, cost float64, best tile) tile {
	t := &s.bounded
	raised := t.raised
	for i, b := range t.bounds[sprite*t.tiles : (sprite+1)*t.tiles] {
		if bound := b + raised[i] - cost; bound > best.bound {
			best = tile{bound, int32(sprite), int32(i)}
		}
	}
	return best
}

// gather puts the tiles of a sprite that may hold something of interest on the
// heap.
func (s *Search) gather(sprite int, cost float64) {
	t := &s.bounded
	cut, raised := t.cut()+cost, t.raised
	for i, b := range t.bounds[sprite*t.tiles : (sprite+1)*t.tiles] {
		if bound := b + raised[i]; bound >= cut {
			t.heap = append(t.heap, tile{bound - cost, int32(sprite), int32(i)})
		}
	}
}

// scoreTile scores the candidates of a tile whose bounds make them interesting,
// and lowers their bounds to that. If the bounds are loose it tightens them
// instead.
func (s *Search) scoreTile(which tile, costs []float64, n int) {
	t := &s.bounded
	sprite, tile := int(which.sprite), int(which.tile)
	g, at, cost := &t.screen.sprites[sprite], sprite*t.tiles+tile, costOf(costs, s.Bank.Sprites[sprite].Expert)
	if t.states[at].since != t.raised[tile] {
		s.tighten(sprite, tile)
		which.bound = t.bounds[at] + t.raised[tile] - cost
		t.push(which)
		return
	}
	step := g.step
	if t.states[at].later {
		step = g.stepRuns
	}
	steps := t.steps[at*kernel.Tile : (at+1)*kernel.Tile]
	top := uint16(0)
	for p, b := range steps {
		if g.base-cost+step*float64(b) >= t.cut() {
			if gain, ok := s.scoreLane(sprite, tile*kernel.Tile+kernel.Candidate(p), cost, n); ok {
				b = min(b, uint16(max(0, min(math.Ceil((gain-g.base)/step*(1+1e-12)), math.MaxUint16))))
			} else {
				b = 0
			}
			steps[p] = b
		}
		top = max(top, b)
	}
	t.bounds[at] = g.base + step*float64(top) - t.raised[tile]
}

// scoreLane scores the candidate of a lane and returns a bound on its gain; not
// ok if there is no such candidate.
func (s *Search) scoreLane(sprite, lane int, cost float64, n int) (gain float64, ok bool) {
	t := &s.bounded
	a, b, ok := t.lane(lane)
	if !ok {
		return 0, false
	}
	slack := t.screen.sprites[sprite].slack
	score := float64(s.scoreOf(sprite, a, b))
	if score-cost+slack >= t.cut() {
		t.found = append(t.found, scored{sprite*s.grid.Shifts() + a*s.grid.NX + b, score - cost, slack})
		t.note(score-cost-slack, n)
	}
	return score + slack, true
}

// scoreOf is the gain of a sprite at shift (a, b) of the grid, to within its
// slack.
func (s *Search) scoreOf(sprite, a, b int) float32 {
	t := &s.bounded
	at := a*s.grid.StepY*t.strengthPitch + b*s.grid.StepX
	return t.screen.path.Gain(t.screen.sprites[sprite].terms, &t.chunks[sprite], t.off[at:], t.on[at:])
}

// note raises least to the n-th largest of the lower bounds noted so far.
func (t *bounded) note(bound float64, n int) {
	if n == 1 {
		t.least = max(t.least, bound)
		return
	}
	at, _ := slices.BinarySearch(t.largest, bound)
	switch {
	case len(t.largest) < n:
		t.largest = slices.Insert(t.largest, at, bound)
	case at > 0:
		copy(t.largest[:at-1], t.largest[1:at])
		t.largest[at-1] = bound
	}
	if len(t.largest) == n {
		t.least = max(t.least, t.largest[0])
	}
}

// order makes the heap one: no tile has a larger bound than its parent.
func (t *bounded) order() {
	for i := len(t.heap)/2 - 1; i >= 0; i-- {
		t.sink(i)
	}
}

// push puts a tile on the heap.
func (t *bounded) push(x tile) {
	t.heap = append(t.heap, x)
	for i := len(t.heap) - 1; i > 0 && t.heap[(i-1)/2].bound < t.heap[i].bound; i = (i - 1) / 2 {
		t.heap[i], t.heap[(i-1)/2] = t.heap[(i-1)/2], t.heap[i]
	}
}

// pop takes the tile with the largest bound off the heap.
func (t *bounded) pop() tile {
	top, last := t.heap[0], len(t.heap)-1
	t.heap[0] = t.heap[last]
	t.heap = t.heap[:last]
	t.sink(0)
	return top
}

func (t *bounded) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(t.heap) {
			return
		}
		if child+1 < len(t.heap) && t.heap[child+1].bound > t.heap[child].bound {
			child++
		}
		if t.heap[i].bound >= t.heap[child].bound {
			return
		}
		t.heap[i], t.heap[child] = t.heap[child], t.heap[i]
		i = child
	}
}

// bestBounded is BestAbove.
func (s *Search) bestBounded(floor float64, costs []float64, live func(int) bool) (int, Gain) {
	s.collect(1, floor, costs, live)
	s.near, s.exact = s.near[:0], s.exact[:0]
	for _, f := range s.bounded.found {
		s.near = append(s.near, f.candidate)
		s.exact = append(s.exact, pay(s.Gain(s.grid.At(f.candidate)), costs, s.expert(f.candidate)))
	}
	i, g := choose(len(s.near), func(i int) (Gain, bool) { return s.exact[i], true })
	if i < 0 {
		return -1, Gain{Nats: math.Inf(-1)}
	}
	return s.near[i], g
}

// proposeBounded is propose.
func (s *Search) proposeBounded(n int, costs []float64, live func(int) bool) {
	s.collect(n, math.Inf(-1), costs, live)
	for _, f := range s.bounded.found {
		s.near = append(s.near, f.candidate)
	}
}

// copyFrom makes the state that of o, which has all its bounds; the two share
// only what is immutable.
func (t *bounded) copyFrom(o *bounded) {
	t.active, t.layout = o.active, o.layout
	t.made, t.raised = append(t.made[:0], o.made...), append(t.raised[:0], o.raised...)
	t.bounds, t.states, t.steps = append(t.bounds[:0], o.bounds...), append(t.states[:0], o.states...), append(t.steps[:0], o.steps...)
	t.planes.copyFrom(&o.planes)
}
