package joint

import (
	"cmp"
	"slices"

	"example.com/patchwork/internal/elem"
)

// Cell counts rows in which a bit has the same other opinions: in how many of them it
// is on and off, and the state of these opinions under the rule.
type Cell struct {
	On, Off float64
	Rest
}

// Rest is what other opinions on a bit, and its background, compose to before one more
// joins: the largest and the smallest (max, max-minus-min), 1-P (noisy-or), the odds
// (the rules of odds), the sum and number of votes (mean), or the expected share of
// votes for on as it is, with a vote for on more, and with a vote for off more
// (normalized sum).
type Rest struct{ A, B, C float64 }

// restOf returns the state of bit i under the experts of a set, without the one at place
// but (-1: all of them).
func (s *State) restOf(e *Experts, set []int16, but, i int) Rest {
	b := &s.one
	b.rule, b.q = e.Rule, e.Q[i]
	b.reset()
	for j, k := range set {
		if j != but {
			b.join(e.params[k][i])
		}
	}
	return b.rest()
}

// Rest returns the state of bit i with all experts that have joined.
func (s *State) Rest(i int) Rest {
	if s.e.Rule == NormalizedSum {
		return s.restOf(s.e, s.set, -1, i)
	}
	return Rest{A: s.a[i], B: s.b[i]}
}

func (b *bit) rest() Rest {
	if b.rule == NormalizedSum {
		return Rest{A: b.votes(0, 0), B: b.votes(1, 0), C: b.votes(0, 1)}
	}
	return Rest{A: b.a, B: b.b}
}

// The vote that is learned is the paper's: its abstention value is 0 or 1/2, whatever
// the background. It is searched for by its logarithm of odds, between -reach and reach.
// It is found to within closeness, in so many steps at most.
const (
	reach     = 6.9
	closeness = 1e-5
	kink      = 1e-9 // the distance from abstention of the normalized sum, at which slopes differ
	steps     = 40
)

// opinion returns what an expert of vote p says alone, beside background q.
func (r Rule) opinion(p, q float64) float64 {
	switch r {
	case NoisyOr:
		return 1 - float64((1-q)*(1-p))
	case SumOfOdds:
		return share(odds(q) + odds(p))
	case SumOfLogOdds:
		return share(float64(odds(q) * odds(p)))
	case NormalizedSum:
		if v := float64(2*p) - 1; v > 0 {
			return q + float64(v*(1-q))
		} else {
			return q + float64(v*q)
		}
	}
	return p
}

// probability returns the probabilities of on and off if an expert of vote p joins.
func (r Rule) probability(c *Rest, p, q float64) (on, off float64) {
	switch r {
	case NoisyOr:
		off = float64(c.A * (1 - p))
		return 1 - off, off
	case SumOfOdds:
		o := c.A + p/(1-p)
		return o / (1 + o), 1 / (1 + o)
	case SumOfLogOdds:
		o := float64(c.A * (p / (1 - p)))
		return o / (1 + o), 1 / (1 + o)
	case Mean:
		on = (c.A + p) / (c.B + 1)
	case NormalizedSum:
		if v := float64(2*p) - 1; v > 0 {
			on = c.A + float64(v*(c.B-c.A))
		} else {
			on = c.A + float64(v*(c.A-c.C))
		}
	case Max:
		on = max(c.A, p)
	default:
		on = max(c.A, p) + min(c.B, p) - q
	}
	return on, 1 - on
}

// without returns the probability of on if no expert joins.
func (r Rule) without(c *Rest, q float64) (on, off float64) {
	switch r {
	case NoisyOr:
		return 1 - c.A, c.A
	case SumOfOdds, SumOfLogOdds:
		return c.A / (1 + c.A), 1 / (1 + c.A)
	case Mean:
		if on = q; c.B > 0 {
			on = c.A / c.B
		}
	case MaxMinusMin:
		on = c.A + c.B - q
	default:
		on = c.A
	}
	return on, 1 - on
}

// change returns the derivative of the probability of on by the log odds of the vote.
func (r Rule) change(c *Rest, p, q float64) float64 {
	switch r {
	case NoisyOr:
		return c.A * p * (1 - p)
	case SumOfOdds:
		o := p / (1 - p)
		return o / ((1 + c.A + o) * (1 + c.A + o))
	case SumOfLogOdds:
		o := float64(c.A * (p / (1 - p)))
		return o / ((1 + o) * (1 + o))
	case Mean:
		return p * (1 - p) / (c.B + 1)
	case NormalizedSum:
		if p > 0.5 {
			return 2 * (c.B - c.A) * p * (1 - p)
		}
		return 2 * (c.A - c.C) * p * (1 - p)
	}
	if p > q && p <= c.A || p < q && p >= c.B {
		return 0
	}
	return p * (1 - p)
}

// prior returns the pseudo-rows, on and off, of a vote beside background q.
func (r Rule) prior(q float64) (on, off float64) {
	switch r {
	case Mean, SumOfLogOdds, NormalizedSum:
		return 0.5, 0.5
	}
	return q, 1 - q
}

// Ascent finds the best opinion of one expert about one bit of background q, given all
// other opinions.
type Ascent struct {
	Rule  Rule
	Q     float64
	Cells []Cell // of the rows in which the expert is active

	// Pseudo, if not nil and not negative, replaces the rule's prior: pseudo-rows on
	// and off, of the paper's vote.
	Pseudo *[2]float64

	order   []int
	on, off float64 // of all cells
}

// Best returns the opinion of the largest log-likelihood, with the rule's prior of one
// row, and what it gains over abstaining, without the prior, in nats; Q and 0 if none
// gains more than least.
func (a *Ascent) Best(least float64) (opinion, gain float64) {
	if a.Rule == Max {
		return a.bestMax(least)
	}
	on, off := a.Rule.prior(a.Q)
	if a.Pseudo != nil && a.Pseudo[0] >= 0 {
		on, off = a.Pseudo[0], a.Pseudo[1]
	}
	a.add()
	opinion = a.Q
	for _, side := range a.sides() {
		if side[0] >= side[1] {
			continue
		}
		p, ok := a.climb(side[0], side[1], on, off)
		if !ok {
			continue
		}
		if g := a.gain(p); g > max(least, gain) {
			opinion, gain = a.Rule.opinion(p, a.Q), g
		}
	}
	if opinion == a.Q {
		return a.Q, 0
	}
	return opinion, gain
}

// sides returns the intervals of log odds in which a vote is looked for: where the
// objective has a kink at abstention, one on either side of it.
func (a *Ascent) sides() [][2]float64 {
	switch a.Rule {
	case NormalizedSum:
		return [][2]float64{{kink, reach}, {-reach, -kink}}
	case MaxMinusMin:
		l := elem.Log(odds(a.Q))
		return [][2]float64{{max(l, -reach), reach}, {-reach, min(l, reach)}}
	}
	return [][2]float64{{-reach, reach}}
}

// add adds up the bits on and off of all cells.
func (a *Ascent) add() {
	a.on, a.off = 0, 0
	for i := range a.Cells {
		a.on, a.off = a.on+a.Cells[i].On, a.off+a.Cells[i].Off
	}
}

// climb returns the vote at which the slope of the objective turns from up to down, by
// false position (Illinois) with a bisection now and then. It is not ok where the best
// vote is abstention, at the end of the interval.
func (a *Ascent) climb(low, high, on, off float64) (p float64, ok bool) {
	at := func(l float64) float64 { return a.slope(1/(1+elem.Exp(-l)), on, off) }
	up, down := at(low), 0.0
	if up <= 0 {
		return vote(low), low != kink && (low > -reach || a.Rule.TwoSided())
	}
	if down = at(high); down >= 0 {
		return vote(high), high != -kink
	}
	side, atLow, atHigh := 0, up, down // up and down weigh the ends, and may be less than their slopes
	for n := range steps {
		if high-low < closeness {
			break
		}
		l := (float64(low*down) - float64(high*up)) / (down - up)
		if n%3 == 2 {
			l = (low + high) / 2
		}
		if f := at(l); f > 0 {
			if low, up, atLow = l, f, f; side > 0 {
				down /= 2
			}
			side = 1
		} else {
			if high, down, atHigh = l, f, f; side < 0 {
				up /= 2
			}
			side = -1
		}
	}
	if atLow < -atHigh {
		return vote(low), true
	}
	return vote(high), true
}

func vote(logOdds float64) float64 { return 1 / (1 + elem.Exp(-logOdds)) }

// slope returns the derivative of the objective by the log odds of the vote p, with so
// many pseudo-rows.
func (a *Ascent) slope(p, on, off float64) float64 {
	sum, rest := float64(on*(1-p))-float64(off*p), 1-p
	switch a.Rule {
	case NoisyOr:
		s := 0.0
		for i := range a.Cells {
			if c := &a.Cells[i]; c.On > 0 {
				s += c.A * c.On / max(1-float64(c.A*rest), least)
			}
		}
		return sum + float64(p*(float64(rest*s)-a.off))
	case SumOfOdds:
		o := p / rest
		for i := range a.Cells {
			c := &a.Cells[i]
			n := c.A + o
			sum += float64(o / (1 + n) * (c.On/n - c.Off))
		}
		return sum
	case SumOfLogOdds:
		o := p / rest
		for i := range a.Cells {
			c := &a.Cells[i]
			n := float64(c.A * o)
			sum -= (c.On + c.Off) * n / (1 + n)
		}
		return sum + a.on
	case Mean:
		s := 0.0
		for i := range a.Cells {
			c := &a.Cells[i]
			n := c.A + p
			s += c.On/max(n, least) - c.Off/max(c.B+1-n, least)
		}
		return sum + float64(p*rest*s)
	}
	return sum + a.slopeOf(p)
}

// slopeOf returns the slope of the log-likelihood in the form of its formula.
func (a *Ascent) slopeOf(p float64) float64 {
	sum := 0.0
	for i := range a.Cells {
		c := &a.Cells[i]
		d := a.Rule.change(&c.Rest, p, a.Q)
		if d == 0 {
			continue
		}
		yes, no := a.Rule.probability(&c.Rest, p, a.Q)
		sum += float64(d * (c.On/max(yes, least) - c.Off/max(no, least)))
	}
	return sum
}

// gain returns how many nats better the cells are explained with the vote than without.
func (a *Ascent) gain(p float64) float64 {
	sum := 0.0
	for i := range a.Cells {
		c := &a.Cells[i]
		yes, no := a.Rule.probability(&c.Rest, p, a.Q)
		yes0, no0 := a.Rule.without(&c.Rest, a.Q)
		if c.On > 0 {
			sum += float64(c.On * elem.Log(max(yes, least)/max(yes0, least)))
		}
		if c.Off > 0 {
			sum += float64(c.Off * elem.Log(max(no, least)/max(no0, least)))
		}
	}
	return sum
}

// bestMax is Best under max, where a vote counts in the cells in which it is the
// largest: between two of these largest ones the best vote has a closed form.
func (a *Ascent) bestMax(least float64) (opinion, gain float64) {
	a.order = a.order[:0]
	for i := range a.Cells {
		a.order = append(a.order, i)
	}
	slices.SortStableFunc(a.order, func(i, j int) int { return cmp.Compare(a.Cells[i].A, a.Cells[j].A) })
	on, off := 0.0, 0.0
	start := 0.0 // log-likelihood that the cells counted have without the vote
	opinion = a.Q
	for n, i := range a.order {
		c := &a.Cells[i]
		on, off = on+c.On, off+c.Off
		start += bernoulli(c.On, c.Off, c.A)
		high := 1.0
		if n+1 < len(a.order) {
			high = a.Cells[a.order[n+1]].A
		}
		if high == c.A {
			continue
		}
		p := min(max((on+a.Q)/(on+off+1), c.A), high)
		if g := bernoulli(on, off, p) - start; p > a.Q && g > max(least, gain) {
			opinion, gain = p, g
		}
	}
	return opinion, gain
}

// bernoulli returns the log-likelihood of so many bits on and off.
func bernoulli(on, off, p float64) float64 {
	sum := 0.0
	if on > 0 {
		sum += float64(on * elem.Log(max(p, least)))
	}
	if off > 0 {
		sum += float64(off * elem.Log(max(1-p, least)))
	}
	return sum
}
