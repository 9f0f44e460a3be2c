// Package posterior finds several explanations of an image, says how much to
// believe each, and predicts unknown pixels by their average.
package posterior

import (
	"math"
	"slices"

	"example.com/patchwork"

	"example.com/patchwork/internal/score"
)

// Alternative is one of several explanations of an image.
type Alternative struct {
	patchwork.Explanation
	LogJoint float64 // log P(x, picks), in nats; see Model.LogJoint
	Weight   float64 // posterior probability among the alternatives kept
}

// Posterior is what a beam pursuit found in one image: the best explanations,
// the largest LogJoint first, and how much to believe each.
//
// The weights are the softmax of the log joints and add up to 1. If every
// alternative is impossible (an opinion of exactly 0 or 1 contradicted by the
// image) those with the fewest impossible pixels share the weight: the limit of
// probabilities clipped away from 0 and 1. Else impossible ones have none.
type Posterior struct {
	Alternatives []Alternative

	// Evidence is log sum exp of the log joints of the alternatives, in nats:
	// a lower bound of log P(x), close where they hold most of the mass.
	Evidence float64
}

// ranked is the best nodes, best first. Two climbs may have met the same set.
func (n *NBest) ranked() []int {
	all := make([]int, len(n.nodes))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, n.byJoint)
	if n.hybrid == nil {
		return all[:min(len(all), n.opt.Keep)]
	}
	best := all[:0]
	for _, at := range all {
		same := func(other int) bool { return slices.Equal(n.nodes[other].set, n.nodes[at].set) }
		if len(best) < n.opt.Keep && !slices.ContainsFunc(best, same) {
			best = append(best, at)
		}
	}
	return best
}

// posterior weighs the best nodes.
func (n *NBest) posterior() *Posterior {
	order := n.ranked()
	start := n.origin.LogLik()
	p := &Posterior{Alternatives: make([]Alternative, len(order))}
	top, sum := n.nodes[order[0]].joint, 0.0
	for i, at := range order {
		a := &p.Alternatives[i]
		*a = n.alternative(at, start)
		if joint := n.nodes[at].joint; joint.Possible == top.Possible {
			a.Weight = math.Exp(joint.Nats - top.Nats)
			sum += a.Weight
		}
	}
	for i := range p.Alternatives {
		p.Alternatives[i].Weight /= sum
	}
	p.Evidence = math.Inf(-1)
	if top.Possible == 0 {
		p.Evidence = top.Nats + math.Log(sum)
	}
	return p
}

// alternative reads a node off.
func (n *NBest) alternative(at int, start float64) Alternative {
	joint := n.nodes[at].joint
	a := Alternative{LogJoint: joint.Nats}
	a.StartLogLik = start
	a.LogLik = joint.Nats - n.constant
	if size := len(n.nodes[at].set); size > 0 {
		a.Picks = make([]patchwork.Pick, size)
	}
	for j := len(a.Picks) - 1; j >= 0; j-- {
		v := &n.nodes[at]
		k := n.expert(v.candidate)
		a.Picks[j] = patchwork.Pick{Expert: k, Pose: n.grid.At(v.candidate % n.grid.Len()), Gain: v.gain.Float()}
		a.LogLik += n.paid[k]
		at = v.parent
	}
	if joint.Possible < 0 {
		a.LogJoint, a.LogLik = math.Inf(-1), math.Inf(-1)
	}
	a.LogLikModel = a.LogLik
	return a
}

// Predict returns the probability that the alternatives of an image of height x
// width give, on average by their weights, to each pixel being on, under model
// m, which found them.
func (p *Posterior) Predict(m *patchwork.Model, height, width int) []float64 {
	return average(new(patchwork.Extremes), m, height, width, p.Alternatives)
}

// average sums what each alternative says beyond abstention, so that a pixel of
// which none says anything comes out at exactly its abstention value. c is
// scratch memory.
func average(c *patchwork.Extremes, m *patchwork.Model, height, width int, alternatives []Alternative) []float64 {
	out := make([]float64, height*width)
	for i := range out {
		out[i] = m.Abstention(i)
	}
	for _, a := range alternatives {
		if a.Weight == 0 {
			continue
		}
		c.Join(m, height, width, a.Picks)
		for i := range out {
			q := m.Abstention(i)
			out[i] += a.Weight * (score.Compose(c.High[i], c.Low[i], q) - q)
		}
	}
	for i, p := range out {
		out[i] = max(0, min(p, 1)) // the weights add up to 1 but for rounding
	}
	return out
}
