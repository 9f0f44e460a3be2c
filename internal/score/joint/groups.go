package joint

import (
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/internal/wire"
)

// Unit is the fixed point of the weights in Groups.
const Unit = 1 << 24

// Groups counts rows by the set of experts that explains them: all that the M-step of a
// rule needs. Weights are multiples of 1/Unit and counted as integers, so that rows may
// be counted in any order, on any number of workers, and merged.
type Groups struct {
	width  int
	index  map[string]*group
	key    []byte
	sorted []int16
}

// group counts the rows of one set.
type group struct {
	set    []int16 // ascending
	weight int64
	on     []int64 // by bit
	hidden []int64 // by bit, in how many rows it is unknown; nil: in none
}

// NewGroups returns empty counts of that many bits.
func NewGroups(width int) *Groups { return &Groups{width: width, index: map[string]*group{}} }

// Add counts a row, explained by a set, by a weight in units of 1/Unit. The row is given
// by the columns that are on, and those that are unknown.
func (g *Groups) Add(set []int16, ones, unknown []int32, units int64) {
	g.sorted = append(g.sorted[:0], set...)
	slices.Sort(g.sorted)
	c := g.of(g.sorted)
	c.weight += units
	for _, i := range ones {
		c.on[i] += units
	}
	if len(unknown) > 0 && c.hidden == nil {
		c.hidden = make([]int64, g.width)
	}
	for _, i := range unknown {
		c.hidden[i] += units
	}
}

// AddExpected counts rows that a set explains, each bit as often on as its probability says.
func (g *Groups) AddExpected(set []int16, units int64, p []float64) {
	c := g.of(set)
	c.weight += units
	for i, v := range p {
		c.on[i] += int64(math.Round(float64(v * float64(units))))
	}
}

// Len returns how many sets there are.
func (g *Groups) Len() int { return len(g.index) }

// Each calls f for every set, in ascending order: its weight, and for each bit in how many
// rows it is on, in units of 1/Unit, and in how many it is unknown (nil: in none).
func (g *Groups) Each(f func(set []int16, weight int64, on, hidden []int64)) {
	for _, c := range g.list() {
		f(c.set, c.weight, c.on, c.hidden)
	}
}

// of returns the group of a set, in ascending order.
func (g *Groups) of(set []int16) *group {
	g.key = appendKey(g.key[:0], set)
	c := g.index[string(g.key)]
	if c == nil {
		c = &group{set: slices.Clone(set), on: make([]int64, g.width)}
		g.index[string(g.key)] = c
	}
	return c
}

// Merge adds what another counted; exact, and the same in any order. It panics if they
// differ in width.
func (g *Groups) Merge(o *Groups) {
	if o.width != g.width {
		panic(fmt.Sprintf("joint: groups of %d and of %d bits", g.width, o.width))
	}
	for _, from := range o.index {
		c := g.of(from.set)
		c.weight += from.weight
		for i, n := range from.on {
			c.on[i] += n
		}
		if from.hidden != nil && c.hidden == nil {
			c.hidden = make([]int64, g.width)
		}
		for i, n := range from.hidden {
			c.hidden[i] += n
		}
	}
}

// list returns the groups, ordered by their sets.
func (g *Groups) list() []*group {
	out := make([]*group, 0, len(g.index))
	for _, c := range g.index {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *group) int { return slices.Compare(a.set, b.set) })
	return out
}

// Code writes the counts, or reads those of sets of that many experts into empty ones.
func (g *Groups) Code(c *wire.Codec, experts int) {
	list := g.list()
	n := len(list)
	for wire.Count(c, &n, math.MaxInt); n > 0; n-- {
		one := &group{}
		if len(list) > 0 {
			one, list = list[0], list[1:]
		}
		size, hidden := len(one.set), min(1, len(one.hidden))
		wire.Count(c, &size, uint64(experts))
		wire.List(c, &one.set, size)
		wire.Counts(c, one.set, uint64(experts-1))
		for j := 1; j < len(one.set); j++ {
			c.Check(one.set[j-1] < one.set[j], "part %d is twice in a set", one.set[j])
		}
		wire.Count(c, &one.weight, math.MaxInt64)
		wire.List(c, &one.on, g.width)
		wire.Counts(c, one.on, math.MaxInt64)
		if wire.Count(c, &hidden, 1); hidden == 1 {
			wire.List(c, &one.hidden, g.width)
			wire.Counts(c, one.hidden, math.MaxInt64)
		}
		if c.Failed() {
			return
		}
		if c.Reading() {
			*g.of(one.set) = *one
		}
	}
}

// Means returns in which share of the rows that know it each bit is on.
func (g *Groups) Means() []float64 {
	on, seen := make([]int64, g.width), make([]int64, g.width)
	for _, c := range g.index {
		for i, n := range c.on {
			on[i] += n
			seen[i] += c.weight
		}
		for i, n := range c.hidden {
			seen[i] -= n
		}
	}
	out := make([]float64, g.width)
	for i, n := range seen {
		if n > 0 {
			out[i] = float64(on[i]) / float64(n)
		}
	}
	return out
}
