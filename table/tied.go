package table

import (
	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
)

// tiedRounds is how often shared numbers and what shares them are chosen anew.
const tiedRounds = 5

// tied returns the background and the votes that follow from the tally where numbers have a
// price: the background is one number, the votes of a part and side are one strength, and what
// differs must gain what it takes to say so (Length). Where experts vote on both sides
// strengths that hardly differ are one.
func (t *softTally) tied(prev *patchwork.Model, opt mStepOptions, h *heading) (next []float64, experts [][]float64) {
	if next = rows.Background(prev); !opt.Held {
		next = t.tiedBackground(prev, opt, h)
	}
	m := &tying{softTally: t, q: next, prev: prev, number: numberLengthOf(h.rows), rule: jointRule(prev.Config().Rule)}
	for k := range t.experts {
		active := h.activity(k)
		m.parts = append(m.parts, m.part(k, numberPrice(active, float64(h.rows))))
	}
	if m.rule.TwoSided() {
		m.pool()
	}
	experts = make([][]float64, t.experts)
	for k := range experts {
		experts[k] = m.parts[k].template
	}
	return next, experts
}

// tiedBackground returns the background that follows from the tally.
func (t *softTally) tiedBackground(prev *patchwork.Model, opt mStepOptions, h *heading) []float64 {
	means := opt.Marginal
	if means == nil {
		means = rows.Background(prev)
	}
	return tiedLevels(means, numberLengthOf(h.rows), t.sides == 2, t.noVote)
}

// tiedLevels returns the probabilities of bits of which some are on, of so many: one number,
// and a bit's own where that gains more than it takes. Where experts vote on both sides the one
// number is drawn to the mean of its bits.
func tiedLevels(means []float64, number float64, twoSided bool, bit func(i int) (on, seen float64)) []float64 {
	width := len(means)
	free := make([]bool, width) // whether a bit has a number of its own
	shared, pseudo := 0.0, 1.0
	if twoSided {
		pseudo = pull
	}
	for range tiedRounds + 1 {
		on, seen, mean, exceptions := 0.0, 0.0, 0.0, 0
		for i := range width {
			if free[i] {
				exceptions++
				continue
			}
			a, n := bit(i)
			on, seen, mean = on+a, seen+n, mean+means[i]
		}
		mean /= float64(max(width-exceptions, 1))
		shared = clipQ((on + float64(pseudo*mean)) / (seen + pseudo))
		price := number + max(0, elem.Log(float64(width-exceptions)/float64(exceptions+1)))
		changed := false
		for i := range width {
			a, n := bit(i)
			own := n > 0 && float64(n*divergence(a/n, shared)) > price
			changed = changed || own != free[i]
			free[i] = own
		}
		if !changed {
			break
		}
	}
	out := make([]float64, width)
	for i := range out {
		if out[i] = shared; free[i] {
			on, seen := bit(i)
			out[i] = clipQ((on + means[i]) / (seen + 1))
		}
	}
	return out
}

// tying ties the votes of a model.
type tying struct {
	*softTally
	q      []float64
	prev   *patchwork.Model
	number float64
	rule   joint.Rule
	parts  []tiedPart
}

// tiedPart is a part of which the votes are tied.
type tiedPart struct {
	template    []float64
	price       float64 // of a number
	strength    [2]float64
	votes       [2]int
	right, seen [2]float64 // of its shared votes, where nothing opposes
}

// part returns part k with tied votes, those of each side at its own strength.
func (m *tying) part(k int, price float64) tiedPart {
	p := tiedPart{price: price}
	for side := range m.sides { // from the votes that there were
		for i := range m.width {
			v, q := m.prev.Template(k)[i], m.prev.Abstention(i)
			if v > q && side == 0 || v < q && side == 1 {
				m.count(&p, k, i, side)
			}
		}
	}
	for range tiedRounds {
		p.estimate()
		m.choose(&p, k)
	}
	return p
}

// count counts a vote of a part.
func (m *tying) count(p *tiedPart, k, i, side int) {
	c := m.cells[m.cell(k, i, side)]
	p.votes[side]++
	p.right[side] += float64(float64(c.right) / weightUnit)
	p.seen[side] += float64(float64(c.right+c.wrong) / weightUnit)
}

// estimate sets the strengths of a part to what its votes are right in.
func (p *tiedPart) estimate() {
	for side := range p.strength {
		if p.votes[side] > 0 {
			p.strength[side] = min((p.right[side]+0.5)/(p.seen[side]+1), 1-1e-6)
		}
	}
}

// choose chooses the votes of part k at the strengths that it has, and counts them: those that
// gain more than it takes to name them, at a strength of their own where that gains more than
// it takes to say so.
func (m *tying) choose(p *tiedPart, k int) {
	size := p.votes[0] + p.votes[1]
	which := oneVoteMore(m.width, size)
	var prices [2]float64
	for side := range m.sides {
		prices[side] = which
		if m.sides == 2 {
			prices[side] += elem.Log(float64(size+1) / float64(p.votes[side]+1))
		}
	}
	strength := p.strength
	p.template, p.votes, p.right, p.seen = make([]float64, m.width), [2]int{}, [2]float64{}, [2]float64{}
	own := p.price + elem.Log(float64(size+1))
	for i := range m.width {
		at, most, taken, shares := m.q[i], 0.0, -1, false
		for side := range m.sides {
			v := m.objective(k, i, side)
			if v.n == 0 {
				continue
			}
			shared := 0.0
			if strength[side] > v.q {
				if shared = v.gain(strength[side]); shared-prices[side] > most {
					at, most, taken, shares = strength[side], shared-prices[side], side, true
				}
			}
			mu := v.best()
			if mu <= v.q {
				continue
			}
			gain := v.gain(mu)
			if net := gain - prices[side] - own; net > most && (strength[side] == 0 || gain-max(shared, 0) > own) {
				at, most, taken, shares = mu, net, side, false
			}
		}
		if taken >= 0 && shares {
			m.count(p, k, i, taken)
		} else if taken >= 0 {
			p.votes[taken]++
		}
		if p.template[i] = at; taken == 1 {
			p.template[i] = 1 - at
		}
	}
	for side := range p.votes {
		if p.seen[side] == 0 && p.votes[side] > 0 {
			p.right[side], p.seen[side] = strength[side], 1 // of its exceptions only
		}
	}
}

// objective returns what a vote of part k on a side of bit i would gain, beside the new
// background.
func (m *tying) objective(k, i, side int) *voteObjective {
	q := m.q[i]
	if side == 1 {
		q = 1 - q
	}
	v := &voteObjective{q: q}
	for j := range m.cells[m.cell(k, i, side):][:m.bins] {
		if c := &m.cells[m.cell(k, i, side)+j]; c.right+c.wrong > 0 {
			v.add(c)
		}
	}
	return v
}

// pool gives the sides of all parts one strength where theirs hardly differs from it, and
// chooses their votes anew.
func (m *tying) pool() {
	type at struct{ part, side int }
	var all []at
	for k := range m.parts {
		for side, n := range m.parts[k].votes {
			if n > 0 {
				all = append(all, at{k, side})
			}
		}
	}
	in, shared := make([]bool, len(all)), 0.0
	for i := range in {
		in[i] = true
	}
	for range tiedRounds {
		right, seen := 0.5, 1.0
		for i, a := range all {
			if in[i] {
				right += m.parts[a.part].right[a.side]
				seen += m.parts[a.part].seen[a.side]
			}
		}
		shared = min(right/seen, 1-1e-6)
		for i, a := range all {
			p := &m.parts[a.part]
			n := p.seen[a.side]
			in[i] = float64(n*divergence(p.right[a.side]/max(n, 1), shared)) <
				p.price+elem.Log(float64(p.votes[a.side]))/2
		}
	}
	for k := range m.parts {
		m.parts[k].estimate()
	}
	for i, a := range all {
		if in[i] {
			m.parts[a.part].strength[a.side] = shared
		}
	}
	for k := range m.parts {
		m.choose(&m.parts[k], k)
	}
}
