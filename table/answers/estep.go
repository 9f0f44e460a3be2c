package answers

import (
	"math"

	"example.com/patchwork/internal/elem"
)

// states are a picture prepared for the E-step. A state is a set of parts; the level enters
// through T, what the ones that no part of the set covers add to the log odds: with one slope,
// their number. So one look-up in a table by set and number does for all steps:
//
//	f_S[T] = log sum_l P(S, l) exp(a t_l T - C_S(l)),  C_S(l) = sum log(1 + exp(b_d + a t_l))
type states struct {
	*Picture
	owner   [][]int8    // by state and column
	on, off [][]float64 // by state and column: what a one adds to a zero, and what a zero is worth where a part votes
	zeros   []float64   // by state: of all columns that parts vote on
	base    [][]float64 // by state and step: the prior, less C
	soft    [][]float64 // by column and step: log(1 + exp(b + a t))
	chance  [][]float64 // by column and step: how probable it is on, where nobody votes
	f       [][]float64 // nil where slopes differ
	share   [][]float64 // by state, the posterior of the steps: f's rows, of as many numbers as there are steps
}

// prepare returns the states of a picture.
func prepare(p *Picture) *states {
	width := len(p.Intercept)
	m := &states{Picture: p, base: p.prior(), zeros: make([]float64, len(p.Sets)), soft: make([][]float64, width),
		chance: make([][]float64, width)}
	for d := range width {
		m.soft[d], m.chance[d] = make([]float64, len(p.Steps)), make([]float64, len(p.Steps))
		for l, t := range p.Steps {
			m.chance[d][l] = sigmoid(p.Intercept[d] + float64(p.Slope[d]*t))
			m.soft[d][l] = softplus(p.Intercept[d] + float64(p.Slope[d]*t))
		}
	}
	for s, set := range p.Sets {
		owner, on, off := make([]int8, width), make([]float64, width), make([]float64, width)
		for d := range width {
			k := p.owner(set, d)
			owner[d], on[d] = int8(k), p.Intercept[d]
			if k < 0 {
				for l := range p.Steps {
					m.base[s][l] -= m.soft[d][l]
				}
				continue
			}
			v := p.Votes[k][d]
			on[d], off[d] = logit(v), elem.Log1p(-v)
			m.zeros[s] += off[d]
		}
		m.owner, m.on, m.off = append(m.owner, owner), append(m.on, on), append(m.off, off)
	}
	if !p.OwnSlopes {
		m.tabulate()
	}
	return m
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
	top := math.Inf(-1)
	for l, t := range m.Steps {
		share[l] = base[l] + float64(tilt*t)
		top = max(top, share[l])
	}
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

// row is what a row's E-step needs, and what it finds.
type row struct {
	weight []float64   // of each state, given the row
	steps  [][]float64 // of the steps, given the row and the state
	base   []float64
	own    []float64
}

func (m *states) newRow() *row {
	r := &row{weight: make([]float64, len(m.Sets)), steps: make([][]float64, len(m.Sets)),
		base: make([]float64, len(m.Steps)), own: make([]float64, len(m.Sets)*len(m.Steps))}
	return r
}

// explain finds the posterior of the states, and of the steps, of a row, and returns the log probability of the row.
func (m *states) explain(r *row, ones, hidden []int32) float64 {
	levels, top := len(m.Steps), math.Inf(-1)
	for s := range m.Sets {
		on, owner := m.on[s], m.owner[s]
		v, tilt, open := m.zeros[s], 0.0, 0
		for _, d := range ones {
			v += on[d]
			if owner[d] < 0 {
				open++
				tilt += m.Slope[d]
			}
		}
		if m.f != nil && len(hidden) == 0 {
			v += m.f[s][open]
			r.steps[s] = m.share[s][open*levels:][:levels]
		} else {
			copy(r.base, m.base[s])
			for _, d := range hidden {
				if v -= m.off[s][d]; owner[d] < 0 {
					for l := range r.base {
						r.base[l] += m.soft[d][l]
					}
				}
			}
			r.steps[s] = r.own[s*levels:][:levels]
			v += m.overSteps(r.base, tilt, r.steps[s])
		}
		r.weight[s] = v
		top = max(top, v)
	}
	sum := 0.0
	for s, v := range r.weight {
		if v = v - top; v < -25 {
			r.weight[s] = 0
			continue
		}
		r.weight[s] = elem.Exp(v)
		sum += r.weight[s]
	}
	for s := range r.weight {
		r.weight[s] /= sum
	}
	return top + elem.Log(sum)
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
	c := &counts{tilt: make([]float64, width)}
	for range m.Sets {
		c.rows, c.on = append(c.rows, make([]float64, levels)), append(c.on, make([]float64, width))
		c.hidden = append(c.hidden, nil)
	}
	r := m.newRow()
	for n := range t.x {
		c.evidence += float64(t.times[n] * m.explain(r, t.ones[n], t.hidden[n]))
		for s, w := range r.weight {
			if w < leastWeight {
				continue
			}
			c.add(m, s, w*t.times[n], r.steps[s], t.ones[n], t.hidden[n])
		}
	}
	return c
}

// add counts a row's share of a state.
func (c *counts) add(m *states, s int, w float64, steps []float64, ones, hidden []int32) {
	mean := 0.0
	for l, share := range steps {
		c.rows[s][l] += float64(w * share)
		mean += float64(share * m.Steps[l])
	}
	for _, d := range ones {
		c.on[s][d] += w
		if m.owner[s][d] < 0 {
			c.tilt[d] += float64(w * mean)
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
func (p *Picture) evidence(t *answers) []float64 {
	m := prepare(p)
	r, out := m.newRow(), make([]float64, len(t.x))
	for n := range t.x {
		out[n] = m.explain(r, t.ones[n], t.hidden[n])
	}
	return out
}
