package patchwork

import (
	"iter"
	"math"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/joint"
)

// still is the search of a pursuit under a rule that is no fold: every expert stays where
// it was learned, and any of them may change any pixel's probability.
type still struct {
	experts *joint.Experts
	state   joint.State
	free    []bool // experts that may be picked
}

// newStill returns the search for a model; nil for the rules that are folds.
func newStill(m *Model) *still {
	if m.cfg.Rule.fold() {
		return nil
	}
	q := make([]float64, m.cfg.Height*m.cfg.Width)
	for i := range q {
		q[i] = m.cfg.abstention(i)
	}
	return &still{experts: joint.NewExperts(joint.Rule(m.cfg.Rule), q, m.experts)}
}

// fork returns another search of the same model; nil for none.
func (s *still) fork() *still {
	if s == nil {
		return nil
	}
	return &still{experts: s.experts}
}

// steps yields up to most experts, and what each gains: the best one first, and so on
// while one gains more than floor after its cost; the first in any case if it is forced.
func (s *still) steps(pixels []uint8, most int, floor float64, costs []float64, forced bool) iter.Seq2[int, float64] {
	s.state.Reset(s.experts, pixels)
	s.free = s.free[:0]
	for range s.experts.Opinions {
		s.free = append(s.free, true)
	}
	return func(yield func(int, float64) bool) {
		for n := range most {
			best, top := -1, math.Inf(-1)
			for k, free := range s.free {
				if !free {
					continue
				}
				if g := s.state.Gain(k) - score.CostOf(costs, k); best < 0 || g > top+score.Tie {
					best, top = k, g
				}
			}
			if best < 0 || top <= floor+score.Tie && !(forced && n == 0) {
				return
			}
			s.free[best] = false
			s.state.Place(best)
			if !yield(best, top+score.CostOf(costs, best)) {
				return
			}
		}
	}
}
