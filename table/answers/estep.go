package answers

import (
	"math"
	"math/bits"

	"example.com/patchwork/internal/elem"
)

// states are a picture prepared for the E-step. A state is a set of parts; the level enters
// through T, what the ones that no part of the set covers add to the log odds: with one slope,
// their number. So one look-up in a table by set and number does for all steps:
//
//	f_S[T] = log sum_l P(S, l) exp(a t_l T - C_S(l)),  C_S(l) = sum log(1 + exp(b_d + a t_l))
//
// What the ones of a row add is that of another state, and the difference in the columns where
// another part decides.
type states struct {
	*Picture
	owner  [][]int8    // by state and column
	yes    [][]float64 // by owner, from none, and column: what a one adds to a zero
	no     [][]float64 // and what a zero is worth where a part votes
	like   []int       // by state: one before it, from which few columns differ; -1 for none
	differ [][]step    // by state: what a one adds more than by that
	open   [][]uint64  // by state, a bit a column: that no part votes on
	base   [][]float64 // by state and step: the prior, less C, and with zeros of the columns that parts vote on
	soft   [][]float64 // by column and step: log(1 + exp(b + a t))
	chance [][]float64 // by column and step: how probable it is on, where nobody votes
	f      [][]float64 // nil where slopes differ
	share  [][]float64 // by state, the posterior of the steps: f's rows, of as many numbers as there are steps
}

// step is what a one in a column adds to a state beside another.
type step struct {
	column int32
	yes    float64
	slope  float64
}

// prepare returns the states of a picture.
func prepare(p *Picture) *states {
	width := len(p.Intercept)
	m := &states{Picture: p, base: p.prior(), soft: make([][]float64, width), chance: make([][]float64, width),
		yes: [][]float64{p.Intercept}, no: [][]float64{make([]float64, width)}}
	for d := range width {
		m.soft[d], m.chance[d] = make([]float64, len(p.Steps)), make([]float64, len(p.Steps))
		for l, t := range p.Steps {
			m.chance[d][l] = sigmoid(p.Intercept[d] + float64(p.Slope[d]*t))
			m.soft[d][l] = elem.LogAdd(0, p.Intercept[d]+float64(p.Slope[d]*t))
		}
	}
	for _, votes := range p.Votes {
		yes, no := make([]float64, width), make([]float64, width)
		for d, v := range votes {
			if v > 0 {
				yes[d], no[d] = logit(v), elem.Log1p(-v)
			}
		}
		m.yes, m.no = append(m.yes, yes), append(m.no, no)
	}
	for s, set := range p.Sets {
		owner, open, zeros := make([]int8, width), make([]uint64, (width+63)/64), 0.0
		for d := range width {
			k := p.owner(set, d)
			if owner[d] = int8(k); k >= 0 {
				zeros += m.no[k+1][d]
				continue
			}
			open[d/64] |= 1 << (d % 64)
			for l := range p.Steps {
				m.base[s][l] -= m.soft[d][l]
			}
		}
		for l := range p.Steps {
			m.base[s][l] += zeros
		}
		m.owner, m.open = append(m.owner, owner), append(m.open, open)
		m.compare(s)
	}
	if !p.OwnSlopes {
		m.tabulate()
	}
	return m
}

// compare finds the state before s in which the fewest parts differ, and what ones add more than by that; none if that
// is more than to begin anew.
func (m *states) compare(s int) {
	like := -1
	for t := range s {
		if like < 0 || bits.OnesCount64(m.Sets[t]^m.Sets[s]) < bits.OnesCount64(m.Sets[like]^m.Sets[s]) {
			like = t
		}
	}
	var differ []step
	for d, k := range m.owner[s] {
		was := int8(-1)
		if like >= 0 {
			was = m.owner[like][d]
		}
		if k != was {
			x := step{column: int32(d), yes: m.yes[k+1][d] - m.yes[was+1][d]}
			if k < 0 {
				x.slope = m.Slope[d]
			} else if was < 0 {
				x.slope = -m.Slope[d]
			}
			differ = append(differ, x)
		}
	}
	m.like, m.differ = append(m.like, like), append(m.differ, differ)
}

// tabulate makes the table of f.
func (m *states) tabulate() {
	levels, width := len(m.Steps), len(m.Intercept)
	for s := range m.Sets {
		f, share := make([]float64, width+1), make([]float64, (width+1)*levels)
		for n := range f {
			f[n] = m.overSteps(m.base[s], float64(m.Slope[0]*float64(n)), share[n*levels:][:levels])
		}
		m.f, m.share = append(m.f, f), append(m.share, share)
	}
}

// overSteps returns log sum_l exp(base_l + tilt t_l), and sets share to what each step has of it.
func (m *states) overSteps(base []float64, tilt float64, share []float64) float64 {
	if len(base) == 1 { // the step is 0
		share[0] = 1
		return base[0]
	}
	top := m.tilted(base, tilt, share)
	sum := 0.0
	for l, v := range share {
		share[l] = elem.Exp(v - top)
		sum += share[l]
	}
	for l := range share {
		share[l] /= sum
	}
	return top + elem.Log(sum)
}

// tilted sets out to base_l + tilt t_l, and returns the greatest.
func (m *states) tilted(base []float64, tilt float64, out []float64) float64 {
	top := math.Inf(-1)
	for l, t := range m.Steps {
		out[l] = base[l] + float64(tilt*t)
		top = max(top, out[l])
	}
	return top
}

// row is what a row's E-step needs, and what it finds.
type row struct {
	found  []int       // the states that are not negligible
	weight []float64   // of each state, given the row
	steps  [][]float64 // of the steps, given the row and the state, of those found
	bit    []float64   // by column: 1 where it is on
	ones   []float64   // by state: what the ones add
	tilt   []float64   // by state, and what they add to the log odds a step, with slopes that differ
	base   []float64
	own    []float64
}

func (m *states) newRow() *row {
	n := len(m.Sets)
	return &row{weight: make([]float64, n), steps: make([][]float64, n), bit: make([]float64, len(m.Intercept)),
		ones: make([]float64, n), tilt: make([]float64, n), base: make([]float64, len(m.Steps)),
		own: make([]float64, n*len(m.Steps))}
}

// explain finds the posterior of the states, and of the steps, of a row, and returns the log probability of the row.
func (m *states) explain(r *row, t *answers, n int) float64 {
	m.add(r, t.ones[n])
	exact, top := m.f != nil && len(t.hidden[n]) == 0, math.Inf(-1)
	for s, v := range r.ones {
		open := 0
		for i, w := range m.open[s] {
			open += bits.OnesCount64(w & t.planes[n][i])
		}
		if m.f != nil {
			r.tilt[s] = m.Slope[0] * float64(open)
		}
		if exact {
			v += m.f[s][open]
			r.steps[s] = m.share[s][open*len(m.Steps):][:len(m.Steps)]
		} else {
			v += m.tilted(m.known(r, s, t.hidden[n]), r.tilt[s], r.own[s*len(m.Steps):][:len(m.Steps)])
		}
		r.weight[s] = v
		top = max(top, v)
	}
	r.found = r.found[:0]
	for s, v := range r.weight {
		if v < top-negligible {
			r.weight[s] = 0
			continue
		}
		r.found = append(r.found, s)
		if !exact { // the greatest step is not all
			r.steps[s] = r.own[s*len(m.Steps):][:len(m.Steps)]
			r.weight[s] = r.ones[s] + m.overSteps(m.known(r, s, t.hidden[n]), r.tilt[s], r.steps[s])
			top = max(top, r.weight[s])
		}
	}
	sum := 0.0
	for _, s := range r.found {
		r.weight[s] = elem.Exp(r.weight[s] - top)
		sum += r.weight[s]
	}
	for _, s := range r.found {
		r.weight[s] /= sum
	}
	return top + elem.Log(sum)
}

// negligible is by how many nats a state may be less probable than the best that is kept.
const negligible = 30

// add adds up what the ones of a row are worth in each state.
func (m *states) add(r *row, ones []int32) {
	clear(r.bit)
	none, tilt := 0.0, 0.0
	for _, d := range ones {
		r.bit[d] = 1
		none += m.Intercept[d]
		tilt += m.Slope[d]
	}
	for s, like := range m.like {
		v, a := none, tilt
		if like >= 0 {
			v, a = r.ones[like], r.tilt[like]
		}
		for _, x := range m.differ[s] {
			v += float64(r.bit[x.column] * x.yes)
		}
		for i := 0; m.f == nil && i < len(m.differ[s]); i++ {
			a += float64(r.bit[m.differ[s][i].column] * m.differ[s][i].slope)
		}
		r.ones[s], r.tilt[s] = v, a
	}
}

// known returns the base of a state for a row that does not know some columns.
func (m *states) known(r *row, s int, hidden []int32) []float64 {
	if len(hidden) == 0 {
		return m.base[s]
	}
	copy(r.base, m.base[s])
	votes := 0.0
	for _, d := range hidden {
		if k := m.owner[s][d]; k >= 0 {
			votes += m.no[k+1][d]
			continue
		}
		for l, v := range m.soft[d] {
			r.base[l] += v
		}
	}
	for l := range r.base {
		r.base[l] -= votes
	}
	return r.base
}

// counts are what the posteriors say of all rows.
type counts struct {
	evidence float64     // sum of log P(x)
	rows     [][]float64 // by state and step
	on       [][]float64 // by state and column: rows in which it is on
	hidden   [][]float64 // by state and column, all steps: rows that do not know it, by step; nil if all know
	tilt     []float64   // by column: the sum of t over rows in which it is on, and no part votes
}

// leastWeight is the least posterior of a state that is counted.
const leastWeight = 1e-5

// count makes the E-step.
func (m *states) count(t *answers) *counts {
	levels, width := len(m.Steps), t.width()
	c := &counts{tilt: make([]float64, width), hidden: make([][]float64, len(m.Sets))}
	for range m.Sets {
		c.rows, c.on = append(c.rows, make([]float64, levels)), append(c.on, make([]float64, width))
	}
	r := m.newRow()
	for n := range t.x {
		c.evidence += float64(t.times[n] * m.explain(r, t, n))
		for _, s := range r.found {
			if r.weight[s] >= leastWeight {
				c.add(m, s, r.weight[s]*t.times[n], r.steps[s], t.ones[n], t.hidden[n])
			}
		}
	}
	return c
}

// add counts a row's share of a state.
func (c *counts) add(m *states, s int, w float64, steps []float64, ones, hidden []int32) {
	mean, on := 0.0, c.on[s]
	for l, share := range steps {
		c.rows[s][l] += float64(w * share)
		mean += float64(share * m.Steps[l])
	}
	for _, d := range ones {
		on[d] += w
	}
	if mean *= w; mean != 0 {
		for _, d := range ones {
			if m.owner[s][d] < 0 {
				c.tilt[d] += mean
			}
		}
	}
	if len(hidden) > 0 && c.hidden[s] == nil {
		c.hidden[s] = make([]float64, len(c.tilt)*len(steps))
	}
	for _, d := range hidden {
		for l, share := range steps {
			c.hidden[s][int(d)*len(steps)+l] += float64(w * share)
		}
	}
}

// seen returns how many rows of a state and a step know column d.
func (c *counts) seen(s, l, d int) float64 {
	n := c.rows[s][l]
	if h := c.hidden[s]; h != nil {
		n -= h[d*len(c.rows[s])+l]
	}
	return n
}

// evidence returns the log probability of every row.
func (m *states) evidence(t *answers) []float64 {
	r, out := m.newRow(), make([]float64, len(t.x))
	for n := range t.x {
		out[n] = m.explain(r, t, n)
	}
	return out
}
