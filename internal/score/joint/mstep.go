package joint

import "math"

// MStep holds the settings of a step.
type MStep struct {
	// Least is the least that a vote must gain over abstention, in nats.
	Least float64

	// Marginal, by bit, is what the background is drawn to, as if by one row more.
	// FixedBackground leaves it as it is.
	Marginal        []float64
	FixedBackground bool

	// MinQ keeps the background away from certainty.
	MinQ float64

	// Pooled draws the votes of an expert to their own mean, as strongly as their
	// spread says (empirical Bayes), under noisy-or.
	Pooled bool
}

// Step returns the background and the opinions that follow from the counts of rows
// explained by e: bit by bit, first the background, then one expert after the other with
// the newest votes of the others, each by exact ascent (Ascent). Bits are independent;
// each calls work for all of them, in any order, at the same time if it likes.
func (g *Groups) Step(e *Experts, opt MStep, each func(bits int, work func(bit int))) (q []float64, opinions [][]float64) {
	s := &step{MStep: opt, e: e, groups: g.list(), of: make([][]int, len(e.Opinions)), q: make([]float64, len(e.Q))}
	for n, c := range s.groups {
		for _, k := range c.set {
			s.of[k] = append(s.of[k], n)
		}
	}
	s.opinions = make([][]float64, len(e.Opinions))
	for k := range s.opinions {
		s.opinions[k] = make([]float64, len(e.Q))
	}
	each(len(e.Q), s.bit)
	if opt.Pooled && e.Rule == NoisyOr {
		s.pool()
		each(len(e.Q), s.bit)
	}
	return s.q, s.opinions
}

// step is one M-step.
type step struct {
	MStep
	e        *Experts
	groups   []*group
	of       [][]int // by expert: its groups
	q        []float64
	opinions [][]float64
	strength [][2]float64 // of the votes of each expert: pseudo-rows on and off; nil: the rule's
}

// bit does the work for bit i.
func (s *step) bit(i int) {
	r := s.e.Rule
	params := make([]float64, len(s.e.params))
	for k, v := range s.e.params {
		params[k] = v[i]
	}
	cells := make([]Cell, len(s.groups))
	for n, c := range s.groups {
		cells[n].On = float64(c.on[i]) / Unit
		seen := c.weight
		if c.hidden != nil {
			seen -= c.hidden[i]
		}
		cells[n].Off = float64(seen-c.on[i]) / Unit
	}
	q := s.background(i, params, cells)
	if r == Mean { // who abstains says the background
		for k, v := range params {
			if v == s.e.Q[i] {
				params[k] = q
			}
		}
	}
	b := bit{rule: r, q: q}
	a := Ascent{Rule: r, Q: q}
	for k := range params {
		a.Cells = a.Cells[:0]
		for _, n := range s.of[k] {
			c := cells[n]
			if c.On+c.Off == 0 {
				continue
			}
			b.reset()
			for _, other := range s.groups[n].set {
				if int(other) != k {
					b.join(params[other])
				}
			}
			c.Rest = b.rest()
			a.Cells = append(a.Cells, c)
		}
		if s.strength != nil {
			a.Pseudo = &s.strength[k]
		}
		p, _ := a.Best(s.Least)
		s.opinions[k][i], params[k] = p, r.parameter(p, q)
	}
	s.q[i] = q
}

// background returns the abstention value of bit i: by ascent over all groups where it
// is on whoever votes, else the share of rows in which the bit is on and nobody votes.
func (s *step) background(i int, params []float64, cells []Cell) float64 {
	r, q := s.e.Rule, s.e.Q[i]
	if s.FixedBackground {
		return q
	}
	marginal := q
	if s.Marginal != nil {
		marginal = s.Marginal[i]
	}
	switch r {
	case NoisyOr, SumOfOdds, SumOfLogOdds: // the background is one more expert, active in all rows
		base := r.Abstention()
		b := bit{rule: r, q: base}
		a := Ascent{Rule: r, Q: base}
		for n, c := range s.groups {
			b.reset()
			if r == SumOfOdds {
				b.a = 0
			}
			for _, k := range c.set {
				b.join(params[k])
			}
			cell := cells[n]
			cell.Rest = b.rest()
			a.Cells = append(a.Cells, cell)
		}
		a.add()
		share, _ := a.climb(-reach, reach, marginal, 1-marginal)
		return min(max(share, s.MinQ), 1-s.MinQ)
	}
	on, seen := 0.0, 0.0
	for n, c := range s.groups {
		votes := false
		for _, k := range c.set {
			votes = votes || params[k] != r.none(q)
		}
		if !votes {
			on, seen = on+cells[n].On, seen+cells[n].On+cells[n].Off
		}
	}
	return min(max((on+marginal)/(seen+1), s.MinQ), 1-s.MinQ)
}

// The bounds of the pseudo-rows by which an expert's votes are drawn to their mean.
const leastStrength, mostStrength = 1, 50

// pool sets how strongly the votes of each expert are drawn to their mean: as a Beta
// distribution of their spread says, beyond that of so few rows in which nothing else
// votes.
func (s *step) pool() {
	s.strength = make([][2]float64, len(s.opinions))
	for k, t := range s.opinions {
		s.strength[k] = [2]float64{-1}
		var p, rows []float64
		sum, total := 0.0, 0.0
		for i, v := range t {
			if v <= s.q[i] {
				continue
			}
			n := float64(s.alone(k, i))
			p, rows = append(p, (v-s.q[i])/(1-s.q[i])), append(rows, n)
			sum, total = sum+float64(n*p[len(p)-1]), total+n
		}
		if total <= 0 || len(p) < 2 {
			continue
		}
		mean, spread := sum/total, 0.0
		for j := range p {
			spread += float64(rows[j] / total * (p[j] - mean) * (p[j] - mean))
		}
		spread -= mean * (1 - mean) * float64(len(p)) / total
		strength := float64(mostStrength)
		if spread > 0 {
			strength = min(max(mean*(1-mean)/spread-1, leastStrength), mostStrength)
		}
		if !math.IsNaN(strength) {
			s.strength[k] = [2]float64{strength * mean, strength * (1 - mean)}
		}
	}
}

// alone returns in how many rows expert k alone votes on bit i.
func (s *step) alone(k, i int) float64 {
	n := int64(0)
	for _, at := range s.of[k] {
		c := s.groups[at]
		only := true
		for _, other := range c.set {
			only = only && (int(other) == k || s.opinions[other][i] <= s.q[i])
		}
		if only {
			n += c.weight
			if c.hidden != nil {
				n -= c.hidden[i]
			}
		}
	}
	return float64(n) / Unit
}
