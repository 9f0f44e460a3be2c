package joint

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
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
	g.key = g.key[:0]
	for _, k := range set {
		g.key = binary.BigEndian.AppendUint16(g.key, uint16(k))
	}
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

// Encode appends the counts as bytes.
func (g *Groups) Encode(out []byte) []byte {
	list := g.list()
	out = binary.AppendUvarint(out, uint64(len(list)))
	for _, c := range list {
		out = binary.AppendUvarint(out, uint64(len(c.set)))
		for _, k := range c.set {
			out = binary.AppendUvarint(out, uint64(k))
		}
		out = binary.AppendUvarint(out, uint64(c.weight))
		for _, n := range c.on {
			out = binary.AppendUvarint(out, uint64(n))
		}
		out = binary.AppendUvarint(out, uint64(min(1, len(c.hidden))))
		for _, n := range c.hidden {
			out = binary.AppendUvarint(out, uint64(n))
		}
	}
	return out
}

// Decode adds what Encode wrote for sets of so many experts, and returns what follows;
// ok is false if these bytes are no such counts.
func (g *Groups) Decode(in []byte, experts int) (rest []byte, ok bool) {
	number := func() int64 {
		n, size := binary.Uvarint(in)
		if size <= 0 || n > math.MaxInt64 {
			in = nil
			return -1
		}
		in = in[size:]
		return int64(n)
	}
	list := func(into []int64) bool {
		for i := range into {
			if into[i] = number(); into[i] < 0 {
				return false
			}
		}
		return true
	}
	n := number()
	for range n {
		members := number()
		if members < 0 || members > int64(experts) {
			return nil, false
		}
		set := make([]int16, members)
		for j := range set {
			k := number()
			if k < 0 || k >= int64(experts) || j > 0 && int16(k) <= set[j-1] {
				return nil, false
			}
			set[j] = int16(k)
		}
		c := g.of(set)
		if c.weight = number(); c.weight < 0 || !list(c.on) {
			return nil, false
		}
		switch number() {
		case 0:
		case 1:
			c.hidden = make([]int64, g.width)
			if !list(c.hidden) {
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return in, n >= 0
}
