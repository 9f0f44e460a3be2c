package score

import (
	"math"
	"slices"

	"example.com/patchwork/internal/score/kernel"
)

// This file collects the candidates that may be the best by the bounds of the
// bounded engine: the tile with the largest bound first.

// collection is the state of a collection under way.
type collection struct {
	heap    []tile
	least   float64   // only gains of at least this matter
	below   float64   // and a little less
	largest []float64 // the n largest scores so far, less their errors, ascending
	found   []scored
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

// collect sets near to a superset of the live candidates whose gain after costs
// is at least that of the n-th best, less a little more than Tie, and at least
// floor, in index order.
func (e *bounded) collect(n int, floor float64) {
	e.least, e.largest, e.found, e.heap = floor, e.largest[:0], e.found[:0], e.heap[:0]
	e.countLifts()
	e.below = 2 * Tie
	if e.Bank.Q == 0 { // a pixel that becomes possible comes before all nats, and all costs
		e.below += e.spread()
		e.least = min(floor, e.Bank.impossible/2-e.dearest())
	}
	for i := range e.Bank.Sprites {
		e.tick()
		if e.isLive(i) {
			e.look(i)
		}
	}
	if math.IsInf(floor, -1) {
		// With nothing to compare with all tiles would go on the heap.
		e.scoreLargest(n)
	}
	for i := range e.Bank.Sprites {
		if e.isLive(i) {
			e.gather(i)
		}
	}
	e.order()
	for len(e.heap) > 0 && e.heap[0].bound >= e.cut() {
		e.tick()
		e.scoreTile(e.pop(), n)
	}
	cut := e.cut()
	e.near = e.near[:0]
	for _, f := range e.found {
		if f.score+f.slack >= cut {
			e.near = append(e.near, f.candidate)
		}
	}
	slices.Sort(e.near)
}

// dearest returns the largest cost of a pick.
func (e *bounded) dearest() float64 {
	if e.costs == nil {
		return 0
	}
	return slices.Max(e.costs)
}

// isLive reports whether a sprite's expert may be picked.
func (e *bounded) isLive(sprite int) bool { return e.live[e.Bank.Sprites[sprite].Expert] }

// costOf returns the cost of a pick of a sprite's expert.
func (e *bounded) costOf(sprite int) float64 { return CostOf(e.costs, e.Bank.Sprites[sprite].Expert) }

// scoreLargest scores the tile with the largest bound, so that least is a number.
func (e *bounded) scoreLargest(n int) {
	largest := tile{math.Inf(-1), 0, -1}
	for s := range e.Bank.Sprites {
		if !e.isLive(s) {
			continue
		}
		cost := e.costOf(s)
		most := e.mostOf(e.tables.regions[s])
		for i, b := range e.bounds[s*e.tiles : (s+1)*e.tiles] {
			if bound := b + e.raised[i] + most[i] - cost; bound > largest.bound {
				largest = tile{bound, int32(s), int32(i)}
			}
		}
	}
	if largest.tile < 0 {
		return
	}
	for e.heap = append(e.heap, largest); len(e.heap) > 0; {
		e.scoreTile(e.pop(), n)
	}
	e.found, e.largest = e.found[:0], e.largest[:0] // they are found again
}

// gather appends to the heap the tiles of a sprite that may hold a candidate
// that matters.
func (e *bounded) gather(sprite int) {
	cost := e.costOf(sprite)
	cut, most := e.cut()+cost, e.mostOf(e.tables.regions[sprite])
	for i, b := range e.bounds[sprite*e.tiles : (sprite+1)*e.tiles] {
		if bound := b + e.raised[i] + most[i]; bound >= cut {
			e.heap = append(e.heap, tile{bound - cost, int32(sprite), int32(i)})
		}
	}
}

// scoreTile scores the candidates of a tile whose bounds reach the cut, and
// lowers their bounds to their scores. If the bounds are loose it tightens them
// instead.
func (e *bounded) scoreTile(which tile, n int) {
	sprite, tile := int(which.sprite), int(which.tile)
	at, cost := sprite*e.tiles+tile, e.costOf(sprite)
	if e.states[at].since != e.raised[tile] {
		e.tighten(sprite, tile)
		which.bound = e.bounds[at] + e.raised[tile] + e.mostOf(e.tables.regions[sprite])[tile] - cost
		e.push(which)
		return
	}
	e.keep(at)
	base, step := e.scale(sprite, e.states[at])
	steps := e.steps[at*kernel.Tile : (at+1)*kernel.Tile]
	top := uint16(0)
	for p, b := range steps {
		lane := tile*kernel.Tile + kernel.Candidate(p)
		if over := e.lifted(sprite, lane) - cost; base+over+float64(step*float64(b)) >= e.cut() {
			if gain, ok := e.scoreLane(sprite, lane, over, n); ok {
				b = min(b, uint16(max(0, min(math.Ceil((gain-base)/step*(1+1e-12)), math.MaxUint16))))
			} else {
				b = 0
			}
			steps[p] = b
		}
		top = max(top, b)
	}
	e.bounds[at] = base + float64(step*float64(top)) - e.raised[tile]
}

// scoreLane scores the candidate of a lane and returns a bound on its gain, but for what
// comes over it; it is not ok if there is no such candidate.
func (e *bounded) scoreLane(sprite, lane int, over float64, n int) (gain float64, ok bool) {
	a, b, ok := e.lane(lane)
	if !ok {
		return 0, false
	}
	slack := e.tables.sprites[sprite].slack
	score := e.scoreOf(sprite, a, b)
	if score+over+slack >= e.cut() {
		g := e.layout.grid
		e.found = append(e.found, scored{sprite*g.Shifts() + a*g.NX + b, score + over, slack})
		e.note(score+over-slack, n)
	}
	return score + slack, true
}

// scoreOf returns the gain of a sprite at shift (a, b) of the grid, above the floor, to
// within its slack.
func (e *bounded) scoreOf(sprite, a, b int) float64 {
	t, g := e.tables, e.layout.grid
	if t.sides != nil {
		return e.Gain(g.At((sprite*g.NY+a)*g.NX + b)).Nats
	}
	at := a*g.StepY*e.strengthPitch + b*g.StepX
	return float64(t.path.Gain(t.sprites[sprite].terms, &e.chunks[sprite], e.off[at:], e.on[at:]))
}

// cut returns the least bound of a candidate that matters.
func (c *collection) cut() float64 { return c.least - c.below }

// note raises least to the n-th largest of the lower bounds noted so far.
func (c *collection) note(bound float64, n int) {
	if n == 1 {
		c.least = max(c.least, bound)
		return
	}
	at, _ := slices.BinarySearch(c.largest, bound)
	switch {
	case len(c.largest) < n:
		c.largest = slices.Insert(c.largest, at, bound)
	case at > 0:
		copy(c.largest[:at-1], c.largest[1:at])
		c.largest[at-1] = bound
	}
	if len(c.largest) == n {
		c.least = max(c.least, c.largest[0])
	}
}

// order makes the heap one: no tile has a larger bound than its parent.
func (c *collection) order() {
	for i := len(c.heap)/2 - 1; i >= 0; i-- {
		c.sink(i)
	}
}

// push puts a tile on the heap.
func (c *collection) push(x tile) {
	c.heap = append(c.heap, x)
	for i := len(c.heap) - 1; i > 0 && c.heap[(i-1)/2].bound < c.heap[i].bound; i = (i - 1) / 2 {
		c.heap[i], c.heap[(i-1)/2] = c.heap[(i-1)/2], c.heap[i]
	}
}

// pop takes the tile with the largest bound off the heap.
func (c *collection) pop() tile {
	top, last := c.heap[0], len(c.heap)-1
	c.heap[0] = c.heap[last]
	c.heap = c.heap[:last]
	c.sink(0)
	return top
}

// sink moves tile i down the heap to where no child has a larger bound.
func (c *collection) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(c.heap) {
			return
		}
		if child+1 < len(c.heap) && c.heap[child+1].bound > c.heap[child].bound {
			child++
		}
		if c.heap[i].bound >= c.heap[child].bound {
			return
		}
		c.heap[i], c.heap[child] = c.heap[child], c.heap[i]
		i = child
	}
}
