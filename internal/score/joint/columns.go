package joint

// columns are groups as one bit after the other sees them: those in which the bit is on, or
// unknown, and by voter those with its experts. Where few bits are on, and few experts vote on
// each, that is far less than all groups. It finds the cells that step.beside does.
type columns struct {
	*step
	entries [][]entry // by bit
	weight  []int64   // by expert, of all its groups
	total   int64
}

// entry is a group in which a bit is on, or unknown, in some rows.
type entry struct {
	group      int32
	on, hidden int64
}

func newColumns(s *step) *columns {
	c := &columns{step: s, entries: make([][]entry, len(s.e.Q)), weight: make([]int64, len(s.opinions))}
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
	of      []int32  // by group
	flags   []uint64 // by group
	touched []int32  // groups with voters
	first   []int32  // by kind, a group; -1 for kind 0
	index   map[uint64]int32
	cells   []counted // by expert and kind
	all     counted   // of kind 0, over all groups
}

// mostVoters is how many voters of a bit are told apart.
const mostVoters = 64

// see sets the kinds of the groups as bit i sees them, where experts vote whose parameters are
// not none; not ok if these are too many.
func (c *columns) see(v *kinds, i int, params []float64, none float64) (ok bool) {
	if v.of == nil {
		v.of, v.flags, v.index = make([]int32, len(c.groups)), make([]uint64, len(c.groups)), map[uint64]int32{}
	}
	for _, n := range v.touched {
		v.of[n], v.flags[n] = 0, 0
	}
	v.touched, v.first = v.touched[:0], append(v.first[:0], -1)
	clear(v.index)
	voters := 0
	for k, p := range params {
		if p == none {
			continue
		}
		if voters == mostVoters {
			return false
		}
		for _, n := range c.of[k] {
			if v.flags[n] == 0 {
				v.touched = append(v.touched, int32(n))
			}
			v.flags[n] |= 1 << voters
		}
		voters++
	}
	v.all.seen, v.all.on = c.total, 0
	for _, n := range v.touched {
		kind, ok := v.index[v.flags[n]]
		if !ok {
			kind = int32(len(v.first))
			v.index[v.flags[n]], v.first = kind, append(v.first, n)
		}
		v.of[n] = kind
		v.all.seen -= c.groups[n].weight
	}
	many := len(v.first)
	v.cells = append(v.cells[:0], make([]counted, many*len(params))...)
	for k, w := range c.weight {
		v.cells[k*many].seen = w
	}
	for _, n := range v.touched {
		w, kind := c.groups[n].weight, int(v.of[n])
		for _, k := range c.groups[n].set {
			v.cells[int(k)*many].seen -= w
			v.cells[int(k)*many+kind].seen += w
		}
	}
	for _, x := range c.entries[i] {
		kind := int(v.of[x.group])
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
	return true
}

// beside is step.beside.
func (c *columns) beside(v *kinds, i int, q float64, params []float64, choose func(k int, a *Ascent) float64) {
	r := c.e.Rule
	none := r.none(q)
	if !c.see(v, i, params, none) {
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
		if before == none && params[k] != before && !c.see(v, i, params, none) {
			c.step.beside(i, q, params, choose) // from the first again
			return
		}
	}
}
