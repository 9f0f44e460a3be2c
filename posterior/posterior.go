package posterior

import (
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
)

// Alternative is one of several explanations of an image.
type Alternative struct {
	patchwork.Explanation
	LogJoint float64 // log P(x, picks), in nats; see the function LogJoint
	Weight   float64 // posterior probability among the alternatives kept
}

// Posterior holds what a search found in one image: the best explanations, the
// largest LogJoint first, and how much to believe each.
//
// The weights are the softmax of the log joints and add up to 1. An impossible
// alternative (the image contradicts an opinion of exactly 0 or 1) has weight 0.
// If all of them are impossible, those with the fewest impossible pixels share
// the weight: the limit of probabilities clipped away from 0 and 1.
type Posterior struct {
	Alternatives []Alternative

	// Evidence is log sum exp of the log joints of the alternatives, in nats:
	// a lower bound of log P(x), close where they hold most of the mass.
	Evidence float64
}

// ranked returns the best nodes, best first, each set once: two climbs may have
// met the same.
func (n *Searcher) ranked() []int {
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

// posterior weights the best nodes.
func (n *Searcher) posterior() *Posterior {
	order := n.ranked()
	start := n.origin.LogLik()
	p := &Posterior{Alternatives: make([]Alternative, len(order))}
	top, sum := n.nodes[order[0]].joint, 0.0
	for i, at := range order {
		a := &p.Alternatives[i]
		*a = n.alternative(at, start)
		if joint := n.nodes[at].joint; joint.Possible == top.Possible {
			a.Weight = elem.Exp(joint.Nats - top.Nats)
			sum += a.Weight
		}
	}
	for i := range p.Alternatives {
		p.Alternatives[i].Weight /= sum
	}
	p.Evidence = math.Inf(-1)
	if top.Possible == 0 {
		p.Evidence = top.Nats + elem.Log(sum)
	}
	return p
}

// alternative reads an explanation off a node.
func (n *Searcher) alternative(at int, start float64) Alternative {
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
