package real

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// useful returns by how many nats each expert shortens the description.
func (l *learner) useful(s *state) []float64 {
	out := make([]float64, s.m.K())
	f := newField(s.e.bank)
	for i, row := range l.data.Rows {
		f.load(row)
		for _, c := range s.e.picks[i] {
			f.add(c, false)
		}
		for j, c := range f.picks {
			k := c / s.m.Poses.Len()
			out[k] += f.loss(j) - f.price[k]
		}
	}
	for k, e := range s.m.Experts {
		for _, o := range e {
			out[k] -= float64(l.lambda * float64(o.Vote))
		}
	}
	return out
}

// misfit returns by how many nats the values that each expert won vary more than it says, where the variance of the
// background is held down to heat
// times the learned one: one that is two in truth varies much.
func (s *state) misfit(heat float64) []float64 {
	out := make([]float64, s.m.K())
	for k, e := range s.m.Experts {
		for f, o := range e {
			d := s.m.home(f)
			if o.Vote == Abstains {
				continue
			}
			n, mean, squares := s.e.tally.Experts[k][f].moments(s.m.Scales[d])
			b := s.m.Background[d].Var / heat
			out[k] -= float64(max(0, (squares+float64(n*(mean-o.Mean)*(mean-o.Mean)))/b-n) / 2)
		}
	}
	return out
}

// move deletes experts, in turn those that fit worst and those of least use, grows others instead, and keeps what
// makes the description shorter.
func (l *learner) move(rng *rand.Rand, s *state, t *terms, report func(string, *state)) (*state, error) {
	failed := [2]int{}
	for i := range moves {
		kind := i % 2
		if s.m.K() <= failed[kind] {
			continue
		}
		scores := s.misfit(t.heat)
		if kind == 1 {
			scores = l.useful(s)
		}
		next, err := l.replace(rng, s, worst(scores, failed[kind]), t)
		if err != nil {
			return nil, err
		}
		if failed[kind]++; next.length < s.length {
			s, failed = next, [2]int{}
		}
		report("move", s)
	}
	return s, nil
}

// replace deletes expert k and grows up to two others, and returns the best state seen since.
func (l *learner) replace(rng *rand.Rand, s *state, k int, t *terms) (*state, error) {
	s, err := l.delete(s, k, t)
	if err != nil {
		return nil, err
	}
	best := s
	for range 2 {
		if l.o.Experts > 0 && s.m.K() >= l.o.Experts {
			break
		}
		next, err := l.step(rng, s, t)
		if err != nil || next == nil {
			return best, err
		}
		if s = next; s.length < best.length {
			best = s
		}
	}
	return best, nil
}

// worst returns the expert whose score has a rank, from 0, the smallest.
func worst(scores []float64, rank int) int {
	order := make([]int, len(scores))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	return order[rank]
}

// delete returns a state without expert k, after two steps of EM.
func (l *learner) delete(s *state, k int, t *terms) (*state, error) {
	m := *s.m
	m.Experts, m.Pi = slices.Delete(slices.Clone(m.Experts), k, k+1), slices.Delete(slices.Clone(m.Pi), k, k+1)
	less, err := l.explain(&m)
	if err != nil {
		return nil, err
	}
	return l.em(less, t, 2)
}
