package table

import (
	"context"
	"errors"
	"slices"

	"example.com/patchwork"
)

// errStopped says that the loop over the steps was left.
var errStopped = errors.New("stopped")

// stepOf returns a step without a model yet, of the stage that a start has.
func (l *learner) stepOf(start StartFrom) Step {
	stage := StageGrow
	switch {
	case l.final:
		stage = StageFinal
	case start == StartFromMixture:
		stage = StageMixture
	}
	return Step{CurvePoint: patchwork.CurvePoint{Stage: stage}, StartFrom: start}
}

// fill describes the model of a round of soft EM in a step.
func (l *learner) fill(s *Step, r round) {
	s.Model, s.Iteration = r.Model, r.Number
	h := &r.Tally.heading
	s.Experts, s.Rows, s.LogLik = r.Model.K(), h.count(), h.logEvidence()
	s.DescriptionLength = l.length(r.Model, r.Tally)
}

// emit yields a step.
func (l *learner) emit(s Step) error {
	if s.Best = l.kept; s.Best == nil {
		s.Best = s.Model
	}
	if !l.yield(s, nil) {
		return errStopped
	}
	return nil
}

// judged judges a candidate, keeps it if it is the best, and yields it.
func (l *learner) judged(ctx context.Context, r round, s Step) (tried, error) {
	l.fill(&s, r)
	return l.accepted(ctx, tried{Step: s, pooled: l.m.Pooled})
}

// accepted makes a candidate of a model whose description length is known.
func (l *learner) accepted(ctx context.Context, c tried) (tried, error) {
	c.Candidate = true
	var err error
	if l.opt.Experts == 0 && l.small() {
		l.tried = append(l.tried, c)
	}
	l.curve = append(l.curve, c.CurvePoint)
	if l.own.Model == nil || l.ahead(c, l.own) {
		l.own = c
	}
	if l.best.Model == nil || l.ahead(c, l.best) {
		l.best = c
		if l.kept, err = l.recorded(c); err != nil {
			return c, err
		}
	}
	return c, l.emit(c.Step)
}

// ahead reports whether a candidate describes the rows more briefly than another, and has
// as many experts as there should be, as far as the other has.
func (l *learner) ahead(c, than tried) bool {
	a, b := l.enough(c), l.enough(than)
	return a > b || a == b && c.DescriptionLength < than.DescriptionLength
}

// enough returns how many of the experts that there should be at least a candidate has.
func (l *learner) enough(c tried) int { return min(c.Experts, l.opt.MinExperts) }

// length returns the length by which models are compared: that of the description.
func (l *learner) length(m *patchwork.Model, t *counts) float64 { return lengthOf(m, t).Nats() }

// recorded returns the model of a point of the curve with the record of the run
// so far, in which that point is the chosen one.
func (l *learner) recorded(c tried) (*patchwork.Model, error) {
	curve := slices.Clone(l.curve)
	if i := slices.Index(curve, c.CurvePoint); i >= 0 {
		curve[i].Chosen = true
	}
	extras := c.Model.Extras()
	extras.Means = l.means
	start := c.StartFrom.String()
	if c.exact {
		start = StageExact
	}
	extras.Record = patchwork.Record{Method: "soft", Mode: "interpret", Seed: l.opt.Seed, Rows: c.Rows,
		LogLik:            c.LogLik,
		DescriptionLength: c.DescriptionLength, Curve: curve,
		Starts: []patchwork.Start{{Seed: l.opt.Seed, Score: c.LogLik, DescriptionLength: c.DescriptionLength, Method: start}}}
	return c.Model.WithExtras(extras)
}

// choose yields the best step again, with the whole curve, and the length of its description.
func (l *learner) choose(ctx context.Context) error {
	t, err := l.count(ctx, l.best.Model)
	if err != nil {
		return err
	}
	at := slices.Index(l.curve, l.best.CurvePoint)
	l.best.DescriptionLength = lengthOf(l.best.Model, t).Nats()
	if at >= 0 {
		l.curve[at] = l.best.CurvePoint
	}
	m, err := l.recorded(l.best)
	if err != nil {
		return err
	}
	s := l.best.Step
	s.Model, s.Chosen, l.kept = m, true, m
	return l.emit(s)
}
