package table

import (
	"context"

	"example.com/patchwork"
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
