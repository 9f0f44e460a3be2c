package table

import (
	"math"

	"example.com/patchwork"
)

// SoftStep says how a model is read off a SoftTally.
type SoftStep struct {
	// Pays is what a vote must gain over abstention on the bits it was learned
	// from, in nats, or the entry abstains: lambda of findings, section 6. 1
	// is for predicting, log(rows)/2 for interpreting.
	Pays float64

	// Marginal, if not nil, is the share of rows in which each bit is on: what
	// the background is drawn to, as if by one row more. nil means the
	// abstention values of the model before.
	Marginal []float64

	// KeepQ leaves the background as it was.
	KeepQ bool
}

// The background stays away from certainty by leastQ.
const leastQ = 1e-3

// Model is the soft M-step: prev with the votes and the background read off the
// tally, its usage and number of rows set. prev must be the model whose
// posteriors were counted.
//
// A vote is the maximum of the expected log-likelihood of the bits counted for
// it, all other votes being what they are, under the prior Beta(q, 1-q) (one
// row's worth). Under Max that is (on + q)/(seen + 1); under MaxMinusMin
// opposing votes enter, and the maximum, which is unique, is found by bisection.
// The prior does not count in what a vote gains. The background is
// (on + marginal)/(seen + 1) over the bits that nobody votes on, kept in
// [.001, .999].
func (t *SoftTally) Model(prev *patchwork.Model, step SoftStep) *patchwork.Model {
	cfg := prev.Config()
	cfg.QMap = t.background(prev, step)
	experts := make([][]float64, t.experts)
	for k := range experts {
		experts[k] = make([]float64, t.width)
		for i := range experts[k] {
			experts[k][i] = keepSide(t.vote(prev, k, i, step.Pays), prev.Abstention(i), cfg.QMap[i])
		}
	}
	usage := make([]float64, t.experts)
	for k := range usage {
		if t.rows > 0 {
			usage[k] = t.Active(k) / float64(t.rows)
		}
	}
	record := prev.Extras().Record
	record.Rows = t.rows
	next, err := prev.WithConfig(cfg)
	if err != nil {
		panic(err) // the background is kept within its range
	}
	return next.WithTemplates(experts, patchwork.Extras{Usage: usage, Record: record})
}

// background is the abstention value of every bit.
func (t *SoftTally) background(prev *patchwork.Model, step SoftStep) []float64 {
	out := make([]float64, t.width)
	for i := range out {
		out[i] = prev.Abstention(i)
		if step.KeepQ {
			continue
		}
		marginal := out[i]
		if step.Marginal != nil {
			marginal = step.Marginal[i]
		}
		on, seen := t.NoVote(i)
		out[i] = clipQ((on + marginal) / (seen + 1))
	}
	return out
}

func clipQ(q float64) float64 { return min(max(q, leastQ), 1-leastQ) }

// keepSide is a vote learned beside background q where the background has become
// next: what is no longer on its side of it abstains.
func keepSide(v, q, next float64) float64 {
	if v == q || v > q && v <= next || v < q && v >= next {
		return next
	}
	return v
}

// vote is the entry of expert k at bit i: the vote that gains most, on either
// side, or the abstention value where none pays.
func (t *SoftTally) vote(prev *patchwork.Model, k, i int, pays float64) float64 {
	q := prev.Abstention(i)
	out, most := q, pays
	for side := range t.sides {
		cells := t.cells[t.cell(k, i, side):][:t.bins]
		from := q
		if side == 1 {
			from = 1 - q
		}
		v, gain := softVote(cells, from)
		if gain > most {
			if most = gain; side == 1 {
				v = 1 - v
			}
			out = v
		}
	}
	return out
}

// softVote is the best vote above q on the bits of the cells, and what it gains
// over q there, in nats; q and 0 if there is none. Votes below q are the mirror
// image: mu for 1-mu, right for wrong, q for 1-q.
func softVote(cells []softCell, q float64) (mu, gain float64) {
	v := &voteObjective{q: q}
	for i := range cells {
		if c := &cells[i]; c.right+c.wrong > 0 {
			v.add(c)
		}
	}
	if mu = v.best(); mu <= q {
		return q, 0
	}
	return mu, v.gain(mu)
}

// voteObjective is sum_b right_b log(mu-t_b) + wrong_b log(1-mu+t_b) plus the
// log of the prior Beta(1+q, 2-q), as a function of the vote mu; t_b is how far
// the opposing vote of bin b takes it back. It is concave.
type voteObjective struct {
	q                     float64
	right, wrong, against [softBins]float64
	n                     int
}

func (v *voteObjective) add(c *softCell) {
	v.right[v.n], v.wrong[v.n] = float64(c.right)/softUnit, float64(c.wrong)/softUnit
	// Rounded, it might leave a bit impossible that is only unlikely.
	v.against[v.n] = min(float64(c.against)/float64(c.right+c.wrong), v.q*(1-1e-6))
	v.n++
}

// slope is the derivative at mu, q < mu < 1.
func (v *voteObjective) slope(mu float64) float64 {
	sum := v.q/mu - (1-v.q)/(1-mu)
	for b := range v.n {
		p := mu - v.against[b]
		if v.right[b] > 0 {
			sum += v.right[b] / p
		}
		sum -= v.wrong[b] / (1 - p)
	}
	return sum
}

// gain is the objective at mu beyond that at q, without the prior.
func (v *voteObjective) gain(mu float64) float64 {
	sum := 0.0
	for b := range v.n {
		t := v.against[b]
		if v.right[b] > 0 {
			sum += v.right[b] * (math.Log(mu-t) - math.Log(v.q-t))
		}
		sum += v.wrong[b] * (math.Log1p(t-mu) - math.Log1p(t-v.q))
	}
	return sum
}

// best is where the objective is largest, q if it falls from there.
func (v *voteObjective) best() float64 {
	if v.n == 0 {
		return v.q
	}
	if v.n == 1 && v.against[0] == 0 {
		return (v.right[0] + v.q) / (v.right[0] + v.wrong[0] + 1)
	}
	low, high := v.q, 1.0
	for {
		mu := low + (high-low)/2
		if mu == low || mu == high {
			return low
		}
		if v.slope(mu) > 0 {
			low = mu
		} else {
			high = mu
		}
	}
}
