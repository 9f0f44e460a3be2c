package score

import (
	"math"
	"slices"
)

// The general engine keeps the gain of every candidate and, after a pick,
// corrects it at the pixels that changed.
//
// When it is chosen: where no other engine applies. That is for banks that the
// bounded engine does not know (an abstention value per pixel, opinions of 0 or 1,
// the kernel path "reference"), with one shift, and for banks
// that have not searched enough shifts for tables.
//
// Why its answers are the same: its gains differ from Field.Gain by rounding
// alone, and errorBound bounds that. Every candidate within the error of the best
// is scored again by Field.Gain, in index order, and that decides.
//
// general.go asks, general_first.go makes the gains from abstention, and
// general_update.go corrects them.

// general is the state of the general engine. Gains are corrected when they are
// needed, expert by expert: changes are kept in a log, and each expert remembers
// how much of the log its gains contain.
type general struct {
	*candidates
	gains   []float64 // by candidate, in nats; -log 0 is Bank.impossible
	log     []Change  // what picks did to pixels, oldest first
	synced  []int     // by expert: the part of the log its gains contain
	updates int       // changed pixels since reset, for the error bound

	moves              []move  // net changes of log[movesFrom:movesTo]
	movesFrom, movesTo int     // -1 where moves is not current
	slot               []uint8 // by pixel: 1 if it moves, while moves are made

	// Between takeBack and what follows it: the length of the log before, and
	// the gains of the experts corrected since.
	mark   int
	undo   []undo
	backup []float64

	plane   plane
	largest []float64 // scratch of nth
}

// undo is the state of an expert before its gains were corrected.
type undo struct{ expert, synced, at int }

// reset scores every candidate of the present composition. With several shifts
// that must be abstention.
func (e *general) reset(c *candidates) {
	e.candidates, e.updates = c, 0
	e.slot = resize(e.slot, len(c.X))
	e.synced = resize(e.synced, len(c.experts))
	e.clearLog()
	e.gains = resize(e.gains, c.Bank.Candidates(c.grid.Shifts()))
	if c.grid.Shifts() == 1 || c.Bank.QMap != nil {
		e.scoreOneByOne()
		return
	}
	e.plane.set(&c.Field, c.grid)
	for i := range c.Bank.Sprites {
		e.correlate(i)
	}
}

// place implements engine.
func (e *general) place(c int) {
	e.mark = -1
	e.log = e.Field.Add(e.grid.At(c), e.log)
}

// takeBack implements engine.
func (e *general) takeBack(j int) {
	e.mark = len(e.log)
	e.undo, e.backup = e.undo[:0], e.backup[:0]
	e.log = e.Field.Remove(j, e.log)
}

// putBack implements engine: it restores the gains that were corrected since
// takeBack.
func (e *general) putBack(c int) {
	e.log = e.Field.Add(e.grid.At(c), e.log)[:e.mark]
	for _, u := range e.undo {
		copy(e.of(u.expert), e.backup[u.at:])
		e.synced[u.expert] = u.synced
	}
	e.mark, e.movesFrom = -1, -1
}

// bestAbove implements engine; the floor does not help it.
func (e *general) bestAbove(float64) (int, Gain) {
	e.syncLive()
	best := math.Inf(-1)
	for k, live := range e.live {
		if !live {
			continue
		}
		cost := CostOf(e.costs, k)
		for _, g := range e.of(k) {
			if g-cost > best {
				best = g - cost
			}
		}
	}
	e.proposeFrom(best - e.margin())
	return e.decide()
}

// propose implements engine.
func (e *general) propose(n int) {
	all := 0
	for k, live := range e.live {
		if live {
			all += len(e.of(k))
		}
	}
	if all <= n { // correcting the gains would be wasted work
		e.proposeAll()
		return
	}
	e.syncLive()
	e.proposeFrom(e.nth(n) - e.margin())
}

// proposeFrom sets near to the live candidates of at least that gain after
// costs.
func (e *general) proposeFrom(least float64) {
	e.near = e.near[:0]
	for k, live := range e.live {
		if !live {
			continue
		}
		first, cost := e.experts[k].first*e.grid.Shifts(), CostOf(e.costs, k)
		for i, g := range e.of(k) {
			if g-cost >= least {
				e.near = append(e.near, first+i)
			}
		}
	}
}

// proposeAll sets near to all live candidates.
func (e *general) proposeAll() {
	e.near = e.near[:0]
	for k, live := range e.live {
		if !live {
			continue
		}
		for c := e.experts[k].first * e.grid.Shifts(); c < e.experts[k].end*e.grid.Shifts(); c++ {
			e.near = append(e.near, c)
		}
	}
}

// nth returns the n-th largest gain, after its cost, of the live candidates, of
// which there are more than n.
func (e *general) nth(n int) float64 {
	if cap(e.largest) < n {
		e.largest = make([]float64, 0, n)
	}
	top := e.largest[:0] // ascending
	for k, live := range e.live {
		if !live {
			continue
		}
		cost := CostOf(e.costs, k)
		for _, g := range e.of(k) {
			g -= cost
			if len(top) == n && g <= top[0] {
				continue
			}
			at, _ := slices.BinarySearch(top, g)
			if len(top) < n {
				top = slices.Insert(top, at, g)
				continue
			}
			copy(top[:at-1], top[1:at])
			top[at-1] = g
		}
	}
	return top[0]
}

// margin returns how far below the best gain after costs that of the best
// candidate may lie.
func (e *general) margin() float64 { return Tie + float64(2*e.errorBound()) + e.spread() }

// errorBound bounds the rounding error of a gain, in nats: the number of
// additions times half a unit in the last place of the largest partial sum.
func (e *general) errorBound() float64 {
	pixels := float64(e.Bank.Height * e.Bank.Width)
	additions := float64(4*pixels) + float64(2*e.updates)
	return float64(additions * 0x1p-52 * pixels * e.Bank.largest)
}

// copyFrom makes e the engine of c, with the gains of o.
func (e *general) copyFrom(c *candidates, o *general) {
	e.candidates, e.updates = c, o.updates
	e.gains = append(e.gains[:0], o.gains...)
	e.log = append(e.log[:0], o.log...)
	e.synced = append(e.synced[:0], o.synced...)
	e.slot = resize(e.slot, len(o.slot))
	e.mark, e.movesFrom = -1, -1
}
