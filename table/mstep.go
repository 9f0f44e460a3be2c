package table

import (
	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
)

// prices are what votes take.
type prices struct {
	// MinVoteGain is the least that a vote must gain over abstention on the bits
	// it was learned from, in nats; otherwise the entry abstains. 1 is for
	// predicting, log(rows)/2 for interpreting.
	MinVoteGain float64

	// Tied ties numbers and lets them pay for differing, for parts to be looked at; else each
	// vote is a number of its own, and must gain MinVoteGain.
	Tied bool
}

// mStepOptions holds the settings of the M-step.
type mStepOptions struct {
	prices

	// Marginal, if not nil, is the share of rows in which each bit is on. The
	// background is drawn towards it, as if by one row more; nil means towards
	// the abstention values of the model before.
	Marginal []float64

	// Pooled draws the votes of an expert to their mean where the rule is noisy-or; see
	// joint.MStep.
	Pooled bool

	// Held keeps the background as it is, of tied numbers.
	Held bool

	Workers int // goroutines of the rules that are no fold
}

// minQ keeps the background away from certainty.
const minQ = 1e-3

// step returns the background and the votes that follow from the tally. prev must be the
// model whose posteriors were counted.
//
// A vote maximises the expected log-likelihood of the bits counted for it, all
// other votes fixed, under the prior Beta(q, 1-q) (worth one row). Under Max that
// is (on + q)/(seen + 1); under MaxMinusMin opposing votes enter, and the maximum,
// which is unique, is found by bisection. The prior does not count in the gain of
// a vote. The background is (on + marginal)/(seen + 1) over the bits that nobody
// votes on, kept in [0.001, 0.999].
func (t *softTally) step(prev *patchwork.Model, opt mStepOptions) (next []float64, experts [][]float64) {
	next = t.background(prev, opt)
	experts = make([][]float64, t.experts)
	for k := range experts {
		experts[k] = make([]float64, t.width)
		for i := range experts[k] {
			experts[k][i] = keepSide(t.vote(k, i, prev.Abstention(i), opt.MinVoteGain), prev.Abstention(i), next[i])
		}
	}
	return next, experts
}

// next returns prev with another configuration and other experts, and the usage and
// the number of rows that were counted.
func (h *heading) next(prev *patchwork.Model, cfg patchwork.Config, experts [][]float64) *patchwork.Model {
	record := prev.Extras().Record
	record.Rows = h.rows
	m, err := prev.WithConfig(cfg)
	if err != nil {
		panic(err) // the background is kept within its range
	}
	return m.WithTemplates(experts, patchwork.Extras{Usage: h.usage(), Record: record, Names: prev.Extras().Names})
}

// background returns the abstention value of every bit.
func (t *softTally) background(prev *patchwork.Model, opt mStepOptions) []float64 {
	out := make([]float64, t.width)
	for i := range out {
		out[i] = prev.Abstention(i)
		marginal := out[i]
		if opt.Marginal != nil {
			marginal = opt.Marginal[i]
		}
		on, seen := t.noVote(i)
		out[i] = clipQ((on + marginal) / (seen + 1))
	}
	return out
}

func clipQ(q float64) float64 { return min(max(q, minQ), 1-minQ) }

// keepSide returns a vote learned beside background q now that the background has
// become next: a vote that is no longer on its side of it abstains.
func keepSide(v, q, next float64) float64 {
	if v == q || v > q && v <= next || v < q && v >= next {
		return next
	}
	return v
}

// vote returns the entry of expert k at bit i, whose abstention value is q: the
// vote that gains most, on either side, or q if none gains more than minGain.
func (t *softTally) vote(k, i int, q, minGain float64) float64 {
	out, most := q, minGain
	for side := range t.sides {
		cells := t.cells[t.cell(k, i, side):][:t.bins]
		from := q
		if side == 1 {
			from = 1 - q
		}
		v, gain := bestVote(cells, from)
		if gain > most {
			if most = gain; side == 1 {
				v = 1 - v
			}
			out = v
		}
	}
	return out
}

// bestVote returns the best vote above q on the bits of the cells, and what it
// gains over q there, in nats; q and 0 if there is none. Votes below q are the
// mirror image: 1-mu for mu, 1-q for q.
func bestVote(cells []voteCell, q float64) (mu, gain float64) {
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

// voteObjective is the function of the vote mu
//
//	sum_b [ right_b log(mu-t_b) + wrong_b log(1-mu+t_b) ] + q log(mu) + (1-q) log(1-mu)
//
// of which the last two terms are the prior; t_b is how far the opposing vote of
// bin b takes mu back. It is concave.
type voteObjective struct {
	q                      float64
	right, wrong, opposing [opposingBins]float64
	n                      int
}

func (v *voteObjective) add(c *voteCell) {
	v.right[v.n], v.wrong[v.n] = float64(c.right)/weightUnit, float64(c.wrong)/weightUnit
	// Kept below q: rounding must not make a bit impossible that is unlikely.
	v.opposing[v.n] = min(float64(c.opposing)/float64(c.right+c.wrong), v.q*(1-1e-6))
	v.n++
}

// slope returns the derivative at mu, q < mu < 1.
func (v *voteObjective) slope(mu float64) float64 {
	sum := v.q/mu - (1-v.q)/(1-mu)
	for b := range v.n {
		p := mu - v.opposing[b]
		if v.right[b] > 0 {
			sum += v.right[b] / p
		}
		sum -= v.wrong[b] / (1 - p)
	}
	return sum
}

// gain returns the objective at mu less that at q, without the prior.
func (v *voteObjective) gain(mu float64) float64 {
	sum := 0.0
	for b := range v.n {
		t := v.opposing[b]
		if v.right[b] > 0 {
			sum += float64(v.right[b] * (elem.Log(mu-t) - elem.Log(v.q-t)))
		}
		sum += float64(v.wrong[b] * (elem.Log1p(t-mu) - elem.Log1p(t-v.q)))
	}
	return sum
}

// best returns the mu, at least q, at which the objective is largest.
func (v *voteObjective) best() float64 {
	if v.n == 0 {
		return v.q
	}
	if v.n == 1 && v.opposing[0] == 0 {
		return (v.right[0] + v.q) / (v.right[0] + v.wrong[0] + 1)
	}
	low, high := v.q, 1.0
	for {
		mu := low + float64((high-low)/2)
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
