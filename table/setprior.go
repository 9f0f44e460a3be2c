package table

import (
	"context"
)

// priorRounds is for how many iterations of soft EM a choice is learned on with a prior over sets of parts.
const priorRounds = 4

// dependent gives the choice, whose parts were active independently so far, the prior over sets of parts that its rows
// ask for, if any.
func (l *learner) dependent(ctx context.Context) error {
	c, err := l.withSetPrior(ctx, l.best)
	if err != nil || c.Model == l.best.Model {
		return err
	}
	c.Stage = StageTogether
	l.best = c
	l.curve = append(l.curve, c.CurvePoint)
	return l.emit(c.Step)
}

// withSetPrior returns what soft EM makes of a model with the prior over sets of parts that its rows ask for: the
// shortest description of all its iterations. Votes of exact blocks stay as they are.
func (l *learner) withSetPrior(ctx context.Context, c tried) (tried, error) {
	t, err := l.count(ctx, c.Model)
	if err != nil {
		return c, err
	}
	extras := c.Model.Extras()
	if extras.SetPrior, _ = t.setPrior(); extras.SetPrior == nil {
		return c, nil
	}
	m, err := c.Model.WithExtras(extras)
	if err != nil {
		return c, err
	}
	l.m.Pooled = pooling(l.cfg.Rule) > 0
	defer func() { l.m.Pooled = false }()
	rounds := priorRounds
	if c.exact {
		rounds = 0
	}
	best := c
	for r, err := range l.softEM(ctx, m, rounds) {
		if err != nil {
			return c, err
		}
		s := c.Step
		l.fill(&s, r)
		s.DescriptionLength = lengthOf(r.Model, r.Tally).Nats()
		if r.Number > 0 && (r.Model.K() < m.K() || settled(s.DescriptionLength, best.DescriptionLength)) {
			break
		}
		if r.Number == 0 || s.DescriptionLength < best.DescriptionLength {
			best.Step = s
		}
	}
	return best, nil
}
