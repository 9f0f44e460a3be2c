package table

import (
	"context"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/score/joint"
)

// presences is the share of bits that are on below which a table is one of presences.
const presences = 1. / 3

// borrows reports whether parts are learned under noisy-or as well, and carried to the rule:
// where few bits are on, experts that may vote for off as well get caught when they are
// grown, each time alike.
func (l *learner) borrows() bool {
	sum := 0.0
	for _, mean := range l.m.Marginal {
		sum += mean
	}
	return jointRule(l.cfg.Rule).TwoSided() && !l.m.FixedBackground && l.opt.StartFrom != StartFromMixture && sum < presences*float64(len(l.m.Marginal))
}

// orBorrowed takes borrowed experts instead of those just grown, if they describe the table
// more briefly. Then the next of the starts is of the same kind, so that the shortest
// description may come twice.
func (l *learner) orBorrowed(ctx context.Context, starts []func() error) ([]func() error, error) {
	if !l.borrows() {
		return starts, nil
	}
	grown := l.own
	l.own = tried{}
	if err := l.borrow(ctx, 0); err != nil {
		return starts, err
	}
	if l.own.Model == nil || !l.shorter(l.own, grown) {
		l.own = grown
		return starts, nil
	}
	return slices.Insert(starts, 1, func() error { return l.borrow(ctx, 1) }), nil
}

// borrow grows and improves experts under noisy-or, and carries them to the rule of the
// table: each alone says what it said, and soft EM follows. There must be a model to keep.
func (l *learner) borrow(ctx context.Context, attempt uint64) error {
	other := *l
	other.cfg.Rule = patchwork.Rule(joint.NoisyOr)
	other.judge, other.held, other.own, other.best, other.tried, other.curve, other.recent = nil, 0, tried{}, tried{}, nil, nil, nil
	other.yield = func(s Step, err error) bool {
		s.Candidate, s.Best = false, l.kept
		return l.yield(s, err)
	}
	if err := other.grow(ctx, attempt); err != nil || other.own.Model == nil {
		return err
	}
	c, err := other.improved(ctx, other.own, attempt)
	if err != nil {
		return err
	}
	m, err := carried(c.Model, l.cfg.Rule)
	if err != nil {
		return err
	}
	next, _, err := l.considered(ctx, m, carryRounds, l.stepOf(StartFromGrow))
	if err == nil {
		_, err = l.accepted(ctx, next)
	}
	return err
}
