package score

import (
	"math"
	"slices"
)

// candidates holds what the engines share: the composition of the present image,
// the numbers of the placed sprites that may join it, and the question.
type candidates struct {
	Field
	grid    Grid
	experts []span // of each expert, in Bank.Sprites

	// The question: nats per pick of each expert, or nil, and the experts that
	// may be picked.
	costs []float64
	live  []bool

	near  []int // the answer, proposed: candidates that may be the best
	exact []Gain

	// Tick, unless nil, is called every microsecond to millisecond of work. It may panic to
	// end the work; the search is then to be replaced by a new one.
	Tick func()
}

// tick is called by the engines between steps of their loops.
func (c *candidates) tick() {
	if c.Tick != nil {
		c.Tick()
	}
}

// span is the half-open range of an expert's sprites.
type span struct{ first, end int }

// reset starts a new image without picks.
func (c *candidates) reset(b *Bank, g Grid, height, width int, x []uint8) {
	c.Field.Reset(b, height, width, x)
	c.grid = b.grid(g)
	c.experts = c.experts[:0]
	for i := range b.Sprites {
		if k := b.Sprites[i].Expert; k < len(c.experts) {
			c.experts[k].end = i + 1
		} else {
			c.experts = append(c.experts, span{i, i + 1})
		}
	}
}

// ask sets the question. live is called once per expert.
func (c *candidates) ask(costs []float64, live func(expert int) bool) {
	c.costs, c.live = costs, resize(c.live, len(c.experts))
	for k := range c.live {
		c.live[k] = live(k)
	}
}

// Shifts returns the number of shifts of the present grid.
func (c *candidates) Shifts() int { return c.grid.Shifts() }

// At returns a candidate as a placed sprite.
func (c *candidates) At(candidate int) Placed { return c.grid.At(candidate) }

// Candidate returns the number of a placed sprite: the inverse of At.
func (c *candidates) Candidate(p Placed) int { return c.grid.Candidate(p) }

// spread returns by how much costs can hide a difference in impossible pixels,
// which come first whatever they cost, from the gains.
func (c *candidates) spread() float64 {
	if c.costs == nil || c.Bank.largest < c.Bank.impossible {
		return 0
	}
	return slices.Max(c.costs) - slices.Min(c.costs)
}

// expertOf returns the expert of a candidate.
func (c *candidates) expertOf(candidate int) int {
	return c.Bank.Sprites[candidate/c.grid.Shifts()].Expert
}

// decide returns the best of the candidates in near, by their exact gains after
// costs, and its gain; -1 and a gain of -Inf if there is none.
func (c *candidates) decide() (int, Gain) {
	c.exact = c.exact[:0]
	for _, n := range c.near {
		c.tick()
		c.exact = append(c.exact, c.Gain(c.grid.At(n)).minus(CostOf(c.costs, c.expertOf(n))))
	}
	i, g := choose(len(c.near), func(i int) (Gain, bool) { return c.exact[i], true })
	if i < 0 {
		return -1, Gain{Nats: math.Inf(-1)}
	}
	return c.near[i], g
}

// Ranked is a candidate and its exact gain, before any cost.
type Ranked struct {
	Candidate int
	Gain      Gain
}

// rank appends to dst the exact gains of the n best candidates in near, best
// first after costs, leaving out those that are placed already. near is in index
// order, and equals stay in it.
func (c *candidates) rank(n int, dst []Ranked) []Ranked {
	first := len(dst)
	for _, i := range c.near {
		c.tick()
		if p := c.grid.At(i); !slices.Contains(c.picks, p) {
			dst = append(dst, Ranked{i, c.Gain(p)})
		}
	}
	after := func(r Ranked) Gain { return r.Gain.minus(CostOf(c.costs, c.expertOf(r.Candidate))) }
	slices.SortStableFunc(dst[first:], func(a, b Ranked) int { return after(a).Compare(after(b)) })
	return dst[:min(len(dst), first+n)]
}

// copyFrom makes c a copy of o that shares only the bank.
func (c *candidates) copyFrom(o *candidates) {
	c.Field.copyFrom(&o.Field)
	c.grid = o.grid
	c.experts = append(c.experts[:0], o.experts...)
}

// resize returns s with length n, in its memory where that is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
