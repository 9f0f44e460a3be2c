package table

import (
	"context"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/internal/score/joint"
)

// carryRounds counts the iterations of soft EM after a model is carried to another rule.
const carryRounds = 8

// compareRules carries the choice to every other rule, and chooses among them. It works
// on the rows of the search, so that held-out rows are not seen before the choice. The
// curve has a point for each rule, whose stage is the rule's name.
func (l *learner) compareRules(ctx context.Context) error {
	from := l.best
	from.Stage = from.Model.Config().Rule.String()
	l.curve = append(l.curve, from.CurvePoint)
	best := from
	for r := range patchwork.Rule(len(joint.Names)) {
		if r == from.Model.Config().Rule {
			continue
		}
		c, err := l.carry(ctx, from, r)
		if err != nil {
			return err
		}
		if l.ahead(c, best) {
			best = c
		}
	}
	l.best = best
	l.cfg.Rule = best.Model.Config().Rule
	var err error
	l.kept, err = l.recorded(best)
	return err
}

// carry carries a model to a rule and improves it a little.
func (l *learner) carry(ctx context.Context, from tried, r patchwork.Rule) (tried, error) {
	m, err := carried(from.Model, r)
	if err != nil {
		return tried{}, err
	}
	l.cfg.Rule = r
	c, _, err := l.considered(ctx, m, carryRounds, l.stepOf(from.StartFrom))
	if err != nil {
		return c, err
	}
	if c, err = l.prune(ctx, c); err != nil {
		return c, err
	}
	c.Stage = r.String()
	return l.accepted(ctx, c)
}

// carried returns a model of which each expert alone says under a rule what it said: the
// same templates. Where the new rule knows no votes for off, these abstain.
func carried(m *patchwork.Model, r patchwork.Rule) (*patchwork.Model, error) {
	cfg, templates := m.Config(), m.Templates()
	cfg.Rule, cfg.ZeroQ = r, true
	for _, t := range templates {
		for i, p := range t {
			if q := m.Abstention(i); p < q && !r.TwoSided() || math.IsNaN(p) {
				t[i] = q
			}
		}
	}
	next, err := patchwork.NewModel(cfg, templates)
	if err != nil {
		return nil, err
	}
	return next.WithExtras(m.Extras())
}
