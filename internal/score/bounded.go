package score

import (
	"math"

	"example.com/patchwork/internal/score/kernel"
)

// The bounded engine keeps an upper bound on the gain of every candidate and looks
// only at those whose bounds reach the best score. From abstention, tables give
// the bounds (bounded_tables.go). A pick can raise the gain of another candidate
// only where that votes on pixels that are off, whose loss the pick has taken
// already, and by no more than this loss; so adding the losses near a candidate
// keeps its bound true, if loose. A loose bound that reaches the best score is
// tightened by other tables, by classes of pixels (bounded_classes.go), and where
// that is not enough the candidate is scored. The largest bound goes first, until
// none is above the best score: lazy greedy search (Minoux 1978), by tiles of
// candidates. Most are never looked at again.
//
// When it is chosen: with several shifts and one abstention value less than 1, under
// the max rule with no opinion of 1, under max-minus-min with none close to 0 or 1
// (bounded_sides.go has what differs there, bounded_floor.go what comes besides where
// a bank's weakest vote is nearly everywhere, or q is 0), on kernel paths that
// have its inner loops (all but "reference"), for banks that have searched enough
// shifts.
//
// Why its answers are the same: every bound is rounded upwards, and scores are sums
// of float32 with a proven error. Candidates within it of the best are scored
// again by Field.Gain, in index order, and that decides.
//
// bounded_collect.go collects the candidates that may be the best, bounded_keep.go
// keeps the bounds of an image, bounded_layout.go lays the image out for the
// tables of its bank, which bounded_tables.go and bounded_classes.go make.

// bounded is the state of the bounded engine.
type bounded struct {
	*candidates
	*layout
	planes
	changes []Change // scratch of place, takeBack and putBack

	looked []bool    // by sprite: whether its tiles have bounds
	raised []float64 // by tile: what all its candidates' gains may have risen by since reset, in nats

	// By sprite and tile. A tile's bounds are base + its steps * step + what raised
	// has risen by since they were made; while that is nothing it is fresh.
	bounds []float64 // of the tile, less raised
	states []state
	steps  []uint16 // by position in the tile, too

	tops []uint16 // scratch of bound
	collection
	trial
	lifts
	rowSums []int32 // and runs: scratch of countLifts
	runs    [2][kernel.Lanes]int32
}

// trial is what putBack restores: raised, and the tiles changed since takeBack.
type trial struct {
	open        bool
	before      []float64 // raised
	liftsBefore lifts
	number      uint32   // of trials so far
	changed     []uint32 // by sprite and tile: the last trial that changed it
	kept        []keptTile
}

// keptTile is a tile as it was.
type keptTile struct {
	at    int
	bound float64
	state state
	steps [kernel.Tile]uint16
}

// keep notes what a tile is before it changes.
func (e *bounded) keep(at int) {
	if e.open && e.changed[at] != e.number {
		e.changed[at] = e.number
		e.kept = append(e.kept, keptTile{at, e.bounds[at], e.states[at], [kernel.Tile]uint16(e.steps[at*kernel.Tile:])})
	}
}

// state says how a tile's bounds were made.
type state struct {
	since float64 // raised, when they were
	later bool    // by class, not from abstention
}

// reset reports whether the engine can search the image, and prepares it.
func (e *bounded) reset(c *candidates) bool {
	if c.grid.Shifts() == 1 {
		return false
	}
	t := c.Bank.boundTables(c.grid.Shifts())
	if t == nil {
		return false
	}
	if e.layout = t.layoutFor(c); e.layout == nil {
		return false
	}
	e.candidates = c
	e.planes.set(e.layout, c.X)
	e.setStrengths(e.layout, c.X)
	n := len(t.sprites) * e.tiles
	e.bounds, e.states, e.steps = resize(e.bounds, n), resize(e.states, n), resize(e.steps, n*kernel.Tile)
	e.tops = resize(e.tops, e.tiles)
	e.looked, e.raised = resize(e.looked, len(t.sprites)), resize(e.raised, e.tiles)
	clear(e.looked)
	clear(e.raised)
	e.resetTrial()
	e.resetLifts()
	return true
}

// resetTrial forgets trials.
func (e *bounded) resetTrial() {
	e.open, e.number, e.changed = false, 0, resize(e.changed, len(e.states))
	clear(e.changed)
}

// place implements engine.
func (e *bounded) place(c int) {
	e.open, e.known = false, e.tables.floor == nil
	e.changes = e.Field.Add(e.layout.grid.At(c), e.changes[:0])
	e.follow(e.changes)
}

// takeBack implements engine.
func (e *bounded) takeBack(j int) {
	e.open, e.number = true, e.number+1
	e.before, e.kept = append(e.before[:0], e.raised...), e.kept[:0]
	e.lifts, e.liftsBefore = e.liftsBefore, e.lifts
	e.known = e.tables.floor == nil
	e.changes = e.Field.Remove(j, e.changes[:0])
	e.follow(e.changes)
}

// putBack implements engine: the bounds are what they were, too. Those made from
// abstention since then hold at any time.
func (e *bounded) putBack(c int) {
	e.place(c)
	e.lifts, e.liftsBefore = e.liftsBefore, e.lifts
	copy(e.raised, e.before)
	for i := range e.kept {
		k := &e.kept[i]
		e.bounds[k.at], e.states[k.at] = k.bound, k.state
		copy(e.steps[k.at*kernel.Tile:], k.steps[:])
	}
}

// bestAbove implements engine.
func (e *bounded) bestAbove(floor float64) (int, Gain) {
	e.collect(1, floor)
	return e.decide()
}

// propose implements engine.
func (e *bounded) propose(n int) { e.collect(n, math.Inf(-1)) }

// copyFrom makes e the engine of c, with the bounds of o, after making those that
// are missing. The two share only what is immutable.
func (e *bounded) copyFrom(c *candidates, o *bounded) {
	for i := range o.tables.sprites {
		o.look(i)
	}
	e.candidates, e.layout = c, o.layout
	e.looked, e.raised = append(e.looked[:0], o.looked...), append(e.raised[:0], o.raised...)
	e.tops = resize(e.tops, len(o.tops))
	e.bounds, e.states, e.steps = append(e.bounds[:0], o.bounds...), append(e.states[:0], o.states...),
		append(e.steps[:0], o.steps...)
	e.planes.copyFrom(&o.planes)
	e.resetTrial()
	e.resetLifts()
}
