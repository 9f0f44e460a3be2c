package mixed

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

const (
	pruneRounds = 2
	moves       = 16 // parts that are deleted and grown again, at most
	beyond      = 2  // parts more than before
)

// improve takes the best start to its end: parts are deleted and others grown in their place, and at last opinions may
// have a shape of their own.
func (l *learner) improve(s *state) (*state, error) {
	rng := rand.New(rand.NewPCG(l.o.Seed, 1<<32))
	free := &terms{lambda: l.lambda}
	s, err := l.relocate(rng, s, free)
	if err == nil {
		s, err = l.prune(s, free)
	}
	if err == nil {
		s, err = l.shape(rng, s)
	}
	return s, err
}

// prune deletes parts without which the description is shorter.
func (l *learner) prune(s *state, o *terms) (*state, error) {
	for range pruneRounds {
		before := s
		for k := len(s.m.Parts) - 1; k >= 0; k-- {
			if k >= len(s.m.Parts) {
				continue
			}
			less, err := l.without(s, k, o, 2)
			if err != nil {
				return nil, err
			}
			if less.length < s.length {
				s = less
			}
		}
		if s == before {
			break
		}
	}
	return s, nil
}

// without returns a state without part k, after some steps of EM.
func (l *learner) without(s *state, k int, o *terms, steps int) (*state, error) {
	m := *s.m
	m.Parts = slices.Delete(slices.Clone(m.Parts), k, k+1)
	less, err := l.explain(&m)
	if err != nil {
		return nil, err
	}
	return l.em(less, o, steps)
}

// relocate deletes a part and grows others, those that explain most first, as long as that shortens the description.
func (l *learner) relocate(rng *rand.Rand, s *state, o *terms) (*state, error) {
	failed := 0
	for range moves {
		order := s.m.order()
		if failed >= len(order) {
			break
		}
		next, err := l.without(s, order[failed], o, 1)
		if err == nil {
			next, err = l.grow(rng, next, o, min(len(s.m.Parts)+beyond, l.most()), 2)
		}
		if err == nil {
			next, err = l.em(next, o, 3)
		}
		if err != nil {
			return nil, err
		}
		if failed++; next.length < s.length-1e-6 {
			s, failed = next, 0
		}
	}
	return s, nil
}

// order returns the parts, those first that explain most: the squares of the strengths of their votes, times how often
// they are there.
func (m *Model) order() []int {
	size := make([]float64, len(m.Parts))
	out := make([]int, len(m.Parts))
	for k := range m.Parts {
		p := &m.Parts[k]
		for _, d := range p.Votes() {
			a := m.Columns[d].strength(&m.Background[d], &p.Entries[d])
			size[k] += p.Share * a * a
		}
		out[k] = k
	}
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(size[j], size[i]) })
	return out
}

// shape lets opinions have a shape of their own, if that shortens the description. Before the parts are found such
// opinions would explain spikes.
func (l *learner) shape(rng *rand.Rand, s *state) (*state, error) {
	own := &terms{lambda: l.lambda, own: true}
	next, err := l.em(s, own, 6)
	if err == nil {
		next, err = l.grow(rng, next, own, l.most(), 2)
	}
	if err == nil {
		next, err = l.em(next, own, 3)
	}
	if err != nil || next.length >= s.length {
		return s, err
	}
	return next, nil
}
