package table

import (
	"context"

	"example.com/patchwork"
	"example.com/patchwork/internal/score/joint"
)

// presences is the share of bits that are on below which a table is one of presences: on is
// clearly the rarer value, which experts that may vote for on only can name. A few rows of as
// many on as off do not come as low by chance.
const presences = 0.4

// borrows reports whether parts are learned under noisy-or as well, and carried to the rule:
// where clearly fewer bits are on than off, experts that may vote for off as well get caught when they
// are grown, each time alike.
func (l *learner) borrows() bool {
	sum := 0.0
	for _, mean := range l.m.Marginal {
		sum += mean
	}
	return jointRule(l.cfg.Rule).TwoSided() && l.opt.StartFrom != StartFromMixture &&
		sum < presences*float64(len(l.m.Marginal))
}

// orBorrowed borrows experts, and takes them instead of those just grown if they describe
// the table more briefly.
func (l *learner) orBorrowed(ctx context.Context) (borrowed tried, taken bool, err error) {
	grown := l.own
	l.own = tried{}
	if err := l.borrow(ctx, 0); err != nil {
		return tried{}, false, err
	}
	if borrowed = l.own; l.shorter(borrowed, grown) {
		return borrowed, true, nil
	}
	l.own = grown
	return borrowed, false, nil
}

// borrow grows and improves experts under noisy-or, and carries them to the rule of the
// table: each alone says what it said, and soft EM follows. There must be a model to keep.
func (l *learner) borrow(ctx context.Context, attempt uint64) error {
	other := *l
	other.cfg.Rule = patchwork.Rule(joint.NoisyOr)
	other.own, other.best, other.tried, other.curve, other.recent = tried{}, tried{}, nil, nil, nil
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
