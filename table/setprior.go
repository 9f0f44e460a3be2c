package table

import (
	"context"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
)

const (
	// priorRounds is for how many iterations of soft EM a choice is learned on with a prior over sets of parts.
	priorRounds = 4

	// clearMargin is by how many nats other parts must be better that only a prior over sets makes better.
	clearMargin = 10

	// namesEnough is of how many rows names of sets say all, so that no compounds are looked for: that takes long
	// where rows are many and the sets few.
	namesEnough = 0.9

	// treeMargin is of what a tree saves of a pair of parts, beside a compound of two.
	treeMargin = 1.5
)

// dependent gives the choice, whose parts were active independently so far, the prior over sets of parts that its rows
// ask for, if any: or other parts, of which it was made. Of few rows and cells gathered parts are asked, too, where
// those of mixtures are the choice: these are often those of a few sets.
func (l *learner) dependent(ctx context.Context) error {
	c, err := l.together(ctx, l.best)
	if r := l.rival; err == nil && l.small() && l.opt.Experts == 0 && r.Model != nil && r.StartFrom != l.best.StartFrom {
		if r, err = l.together(ctx, r); l.shorter(r, c) {
			c = r
		}
	}
	if err != nil || c.Model == l.best.Model {
		return err
	}
	c.Stage = StageTogether
	l.best = c
	l.curve = append(l.curve, c.CurvePoint)
	return l.emit(c.Step)
}

// together returns what a choice comes to with the prior over sets of parts that its rows ask for, or if its parts are
// made of what they have in common, which then come together, where that is clearly better.
func (l *learner) together(ctx context.Context, choice tried) (tried, error) {
	c, err := l.withSetPrior(ctx, choice)
	if err != nil || l.opt.Experts > 0 || c.exact {
		return c, err
	}
	m, err := l.coverOf(ctx, choice)
	if err != nil || m == nil {
		return c, err
	}
	next, _, err := l.considered(ctx, m, coverRounds, l.stepOf(c.StartFrom))
	if err == nil {
		next, err = l.withSetPrior(ctx, next)
	}
	if err != nil || next.DescriptionLength > c.DescriptionLength-clearMargin || next.Experts < l.opt.MinExperts {
		return c, err
	}
	return next, nil
}

// withSetPrior returns what soft EM makes of a model with the prior over sets of parts that its rows ask for: compounds
// where there are any that are shorter, else names or a tree.
func (l *learner) withSetPrior(ctx context.Context, c tried) (tried, error) {
	t, err := l.count(ctx, c.Model)
	if err != nil {
		return c, err
	}
	plain, _ := t.setPrior()
	if plain == nil {
		return c, nil
	}
	best, err := l.withPrior(ctx, c, plain)
	if err != nil {
		return c, err
	}
	named := 0.0
	for _, share := range plain.Share {
		named += share
	}
	if named > namesEnough {
		return best, nil
	}
	joined, err := l.compounds(ctx, t)
	if err != nil || joined == nil {
		return best, err
	}
	next, err := l.withPrior(ctx, c, joined)
	if err != nil {
		return c, err
	}
	if next.Model != c.Model && next.DescriptionLength < best.DescriptionLength+l.namesWorth(plain, joined) {
		return next, nil
	}
	return best, nil
}

// namesWorth returns by how many nats compounds may be longer than a tree, which names nothing: a pair of parts is said
// in fewer numbers by a tree. Beside names of sets they may not be longer.
func (l *learner) namesWorth(plain, joined *patchwork.SetPrior) float64 {
	k := len(joined.Active)
	if len(plain.Sets) > 0 {
		return 0
	}
	return treeMargin * float64(len(joined.Sets)) * (2*l.numberLength() + elem.LogChoose(k, 2))
}

// withPrior returns what soft EM makes of a model with a prior over sets of parts: the shortest description of all its
// iterations. Votes of exact blocks stay as they are.
func (l *learner) withPrior(ctx context.Context, c tried, p *patchwork.SetPrior) (tried, error) {
	extras := c.Model.Extras()
	extras.SetPrior = p
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
		if r.Number > 0 && (r.Model.K() < m.K() || settled(s.DescriptionLength, best.DescriptionLength)) {
			break
		}
		if r.Number == 0 || s.DescriptionLength < best.DescriptionLength {
			best.Step = s
		}
	}
	return best, nil
}
