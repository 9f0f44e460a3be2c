package real

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
)

// DefaultBest is how many explanations of an image an average is taken over.
const DefaultBest = 24

// Posterior is several explanations of an image, and how much to believe each.
type Posterior struct {
	// Explanations are the best that were found, best first by LogJoint.
	Explanations []Explanation
	// Weights are their probabilities, which add up to 1.
	Weights []float64
	// Evidence is the logarithm of the sum of their joint probabilities, in nats: a lower bound of
	// the logarithm of the image's probability.
	Evidence float64

	bank   *bank
	others []*Posterior // of the committee
}

// far is how much less likely than the best a set of picks may be to be looked at, in nats.
const far = 25

// set is a set of candidates, in increasing order, with its joint log-likelihood.
type set struct {
	picks    []int
	joint    float64
	expanded bool
}

// sets are the sets that were found, by their names.
type sets struct {
	found map[string]*set
	most  float64 // the largest joint
}

// name returns a name of a set of candidates in increasing order.
func name(picks []int) string {
	var b []byte
	for _, c := range picks {
		b = binary.AppendUvarint(b, uint64(c))
	}
	return string(b)
}

// note remembers a set, unless it is too unlikely.
func (s *sets) note(picks []int, joint float64) *set {
	if joint < s.most-far {
		return nil
	}
	s.most = max(s.most, joint)
	key := name(picks)
	if s.found[key] == nil {
		s.found[key] = &set{picks: picks, joint: joint}
	}
	return s.found[key]
}

// top returns the n likeliest sets, best first.
func (s *sets) top(n int) []*set {
	var all []*set
	for _, one := range s.found {
		if one.joint >= s.most-far {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b *set) int {
		return cmp.Or(cmp.Compare(b.joint, a.joint), slices.Compare(a.picks, b.picks))
	})
	return all[:min(n, len(all))]
}

// Best returns up to n explanations of an image, the best that are found, and their probabilities; n = 0 means
// DefaultBest. From the explanation of the pursuit it looks at all sets of picks that have one more or one
// less, then at those of the best of these, until the n best have been looked around from.
func (p *Pursuit) Best(image []float64, n int) (*Posterior, error) {
	if n == 0 {
		n = DefaultBest
	}
	if _, err := p.Explain(image); err != nil {
		return nil, err
	}
	f := p.f
	s := &sets{map[string]*set{}, math.Inf(-1)}
	picks := slices.Clone(f.picks)
	f.clear()
	f.first()
	alone := slices.Clone(f.gains)
	p.note(s, picks, alone)
	for range 2 * n {
		top := s.top(n)
		at := slices.IndexFunc(top, func(one *set) bool { return !one.expanded })
		if at < 0 {
			break
		}
		p.expand(s, top[at], alone)
	}
	return p.posterior(s.top(n)), nil
}

// visit makes the picks of the field those of a set, and the gains those beside them; alone are the gains
// without picks. It returns the joint log-likelihood.
func (p *Pursuit) visit(picks []int, alone []float64) float64 {
	f := p.f
	f.clear()
	copy(f.gains, alone)
	joint := p.logPrior
	for _, c := range picks {
		f.add(c, true)
		joint += p.prior(c)
	}
	return joint + f.logLik()
}

// note remembers a set by its picks in any order.
func (p *Pursuit) note(s *sets, picks []int, alone []float64) {
	slices.Sort(picks)
	s.note(picks, p.visit(picks, alone))
}

// expand notes all sets that have one pick more or one less than a set.
func (p *Pursuit) expand(s *sets, from *set, alone []float64) {
	f := p.f
	p.visit(from.picks, alone)
	from.expanded = true
	for i, c := range from.picks {
		s.note(slices.Delete(slices.Clone(from.picks), i, i+1), from.joint-f.loss(i)-p.prior(c))
	}
	poses := len(f.poses)
	for k := range f.m.K() {
		if f.used[k] >= max(f.m.Reuse, 1) {
			continue
		}
		prior := p.prior(k * poses)
		for c := k * poses; c < (k+1)*poses; c++ {
			if joint := from.joint + f.gains[c] + prior; joint >= s.most-far && !slices.Contains(from.picks, c) {
				at, _ := slices.BinarySearch(from.picks, c)
				s.note(slices.Insert(slices.Clone(from.picks), at, c), joint)
			}
		}
	}
}

// posterior returns sets as explanations with their probabilities.
func (p *Pursuit) posterior(best []*set) *Posterior {
	out := &Posterior{Evidence: math.Inf(-1), bank: p.f.bank}
	for _, s := range best {
		e := Explanation{StartLogLik: p.f.base, LogJoint: s.joint, LogLik: s.joint - p.logPrior}
		for _, c := range s.picks {
			e.Picks = append(e.Picks, p.pick(c))
			e.LogLik -= p.prior(c)
		}
		out.Explanations = append(out.Explanations, e)
		out.Evidence = elem.LogAdd(out.Evidence, s.joint)
	}
	for _, e := range out.Explanations {
		out.Weights = append(out.Weights, elem.Exp(e.LogJoint-out.Evidence))
	}
	return out
}
