package joint

import (
	"slices"
	"sync"
)

// columns are groups as one bit after the other sees them: those in which the bit is on, or
// unknown, and by voter those with its experts. Where few bits are on, and few experts vote on
// each, that is far less than all groups. It finds the cells that step.beside does.
type columns struct {
	*step
	entries [][]entry // by bit
	weight  []int64   // by expert, of all its groups
	total   int64
	seen    []*kinds  // by bit: what it saw last; nil: nothing
	scratch sync.Pool // of *sorting
}

// entry is a group in which a bit is on, or unknown, in some rows.
type entry struct {
	group      int32
	on, hidden int64
}

func newColumns(s *step) *columns {
	c := &columns{step: s, entries: make([][]entry, len(s.e.Q)), weight: make([]int64, len(s.opinions)),
		seen: make([]*kinds, len(s.e.Q))}
	for n, g := range s.groups {
		c.total += g.weight
		for _, k := range g.set {
			c.weight[k] += g.weight
		}
		for i, on := range g.on {
			hidden := int64(0)
			if g.hidden != nil {
				hidden = g.hidden[i]
			}
			if on != 0 || hidden != 0 {
				c.entries[i] = append(c.entries[i], entry{int32(n), on, hidden})
			}
		}
	}
	return c
}

// kinds are the groups as one bit sees them: kind 0 are those in which nobody votes on it, and
// those of another kind have the same voters.
type kinds struct {
	voters []int
	first  []int32   // by kind, a group; -1 for kind 0
	cells  []counted // by expert and kind
	all    counted   // of kind 0, over all groups
}

// sorting is the memory in which groups are sorted by kind.
type sorting struct {
	voters  []int
	of      []int32  // by group: its kind
	flags   []uint64 // by group: its voters
	touched []int32  // groups with voters
	index   map[uint64]int32
}

// mostVoters is how many voters of a bit are told apart.
const mostVoters = 64

// see returns the kinds of the groups as bit i sees them, where experts vote whose parameters are
// not none: until it is called for the bit again. They are nil if these are too many.
func (c *columns) see(i int, params []float64, none float64) *kinds {
	s, _ := c.scratch.Get().(*sorting)
	if s == nil {
		s = &sorting{of: make([]int32, len(c.groups)), flags: make([]uint64, len(c.groups)), index: map[uint64]int32{}}
	}
	defer c.scratch.Put(s)
	s.voters = s.voters[:0]
	for k, p := range params {
		if p != none {
			s.voters = append(s.voters, k)
		}
	}
	if len(s.voters) > mostVoters {
		return nil
	}
	v := c.seen[i]
	if v == nil {
		v = &kinds{}
		c.seen[i] = v
	} else if slices.Equal(v.voters, s.voters) {
		return v
	}
	v.voters, v.first = append(v.voters[:0], s.voters...), append(v.first[:0], -1)
	c.sort(s, v)
	many := len(v.first)
	v.cells = append(v.cells[:0], make([]counted, many*len(params))...)
	for k, w := range c.weight {
		v.cells[k*many].seen = w
	}
	for _, n := range s.touched {
		g, kind := c.groups[n], int(s.of[n])
		for _, k := range g.set {
			v.cells[int(k)*many].seen -= g.weight
			v.cells[int(k)*many+kind].seen += g.weight
		}
	}
	for _, x := range c.entries[i] {
		kind := int(s.of[x.group])
		if kind == 0 {
			v.all.on += x.on
			v.all.seen -= x.hidden
		}
		for _, k := range c.groups[x.group].set {
			cell := &v.cells[int(k)*many+kind]
			cell.on += x.on
			cell.seen -= x.hidden
		}
	}
	return v
}

// sort sorts the groups by their voters.
func (c *columns) sort(s *sorting, v *kinds) {
	for _, n := range s.touched {
		s.of[n], s.flags[n] = 0, 0
	}
	s.touched = s.touched[:0]
	clear(s.index)
	for at, k := range v.voters {
		for _, n := range c.of[k] {
			if s.flags[n] == 0 {
				s.touched = append(s.touched, int32(n))
			}
			s.flags[n] |= 1 << at
		}
	}
	v.all = counted{seen: c.total}
	for _, n := range s.touched {
		kind, ok := s.index[s.flags[n]]
		if !ok {
			kind = int32(len(v.first))
			s.index[s.flags[n]], v.first = kind, append(v.first, n)
		}
		s.of[n] = kind
		v.all.seen -= c.groups[n].weight
	}
}

// beside is step.beside.
func (c *columns) beside(i int, q float64, params []float64, choose func(k int, a *Ascent) float64) {
	r := c.e.Rule
	none := r.none(q)
	v := c.see(i, params, none)
	if v == nil {
		c.step.beside(i, q, params, choose)
		return
	}
	b := bit{rule: r, q: q}
	a := Ascent{Rule: r, Q: q}
	for k := range params {
		a.Cells = a.Cells[:0]
		many := len(v.first)
		for kind, n := range v.cells[k*many:][:many] {
			if n.seen <= 0 {
				continue
			}
			b.reset()
			if first := v.first[kind]; first >= 0 {
				for _, other := range c.groups[first].set {
					if int(other) != k {
						b.join(params[other])
					}
				}
			}
			cell := n.cell()
			cell.Rest = b.rest()
			a.Cells = append(a.Cells, cell)
		}
		p := choose(k, &a)
		before := params[k]
		c.opinions[k][i], params[k] = p, r.parameter(p, q)
		if before == none && params[k] != before {
			if v = c.see(i, params, none); v == nil {
				c.step.beside(i, q, params, choose) // from the first again
				return
			}
		}
	}
}
