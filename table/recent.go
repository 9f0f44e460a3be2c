package table

import (
	"context"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/posterior"
)

// explained is an E-step: how a model explains the rows.
type explained struct {
	model *patchwork.Model
	tally *counts
	best  [][]int16 // the experts of the best explanation of every row, ascending
}

const (
	recentSteps = 4     // E-steps that are kept
	recentRows  = 30000 // of which the best explanations are kept, too
)

// count makes the E-step of a model. The last ones are kept: the step after which one
// move of the search ends is often the one with which the next begins.
func (l *learner) count(ctx context.Context, m *patchwork.Model) (*counts, error) {
	s, err := l.explained(ctx, m)
	return s.tally, err
}

// explained returns how a model explains the rows; best is nil if there are many rows, or
// if the E-step was recalled.
func (l *learner) explained(ctx context.Context, m *patchwork.Model) (explained, error) {
	for _, s := range l.recent {
		if s.model == m {
			return s, nil
		}
	}
	s := explained{model: m}
	var err error
	if len(l.data.Images) > recentRows || l.data.Memory != nil {
		s.tally, err = eStep(ctx, m, l.data, l.opt.Explain, l.opt.Workers)
	} else {
		s.best = make([][]int16, len(l.data.Images))
		s.tally, err = eStepAnew(ctx, m, l.data, l.opt.Explain, l.opt.Workers, s.best)
	}
	if err == nil {
		s.tally.ofSets = l.opt.ofSets
		l.recent = append(l.recent[max(0, len(l.recent)-recentSteps+1):], s)
	}
	return s, err
}

// setsOf returns the experts of the best explanation by a model of every row that is learned from.
func (l *learner) setsOf(ctx context.Context, m *patchwork.Model) ([][]int16, error) {
	e, err := l.explained(ctx, m)
	if err != nil || e.best != nil {
		return e.best, err
	}
	return l.bestSets(ctx, m, l.data)
}

// bestSets finds the best explanation of every row of some data, in ascending order.
func (l *learner) bestSets(ctx context.Context, m *patchwork.Model, data patchwork.Data) ([][]int16, error) {
	sets, opt := make([][]int16, len(data.Images)), l.opt.Explain
	err := explainRows(ctx, m, data, posterior.Options{Beam: opt.Beam, Keep: 1, MaxPicks: opt.MaxPicks}, l.opt.Workers,
		func(_, i int, _ []uint8, _ *joint.Search, best []joint.Set) {
			sets[i] = slices.Sorted(slices.Values(best[0].Experts))
		})
	return sets, err
}
