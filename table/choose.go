package table

import (
	"context"
	"errors"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
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

// progress yields a round that is no candidate.
func (l *learner) progress(r round, s Step) error {
	l.fill(&s, r)
	return l.emit(s)
}

// judged judges a candidate, keeps it if it is the best, and yields it.
func (l *learner) judged(ctx context.Context, r round, s Step) (tried, error) {
	l.fill(&s, r)
	return l.accepted(ctx, tried{Step: s, prices: l.m.prices})
}

// accepted makes a candidate of a model whose description length is known.
func (l *learner) accepted(ctx context.Context, c tried) (tried, error) {
	c.Candidate, c.score = true, c.DescriptionLength
	var err error
	if l.judge != nil {
		o, err := l.hiddenLoss(ctx, c.Model)
		if err != nil {
			return c, err
		}
		c.HiddenBits, c.HiddenLoss, c.losses, c.score = o.bits, o.mean, o.rows, o.mean
		if l.enrol(c, o); l.m.Tied && l.opt.Aim == AimPredict { // to predict with others only
			if l.own.Model == nil || l.ahead(c, l.own) {
				l.own = c
			}
			c.Candidate = false
			return c, l.emit(c.Step)
		}
	}
	if l.opt.Experts == 0 && (l.held > 0 || l.m.Tied && l.small()) {
		l.tried = append(l.tried, c)
	}
	l.curve = append(l.curve, c.CurvePoint)
	if l.own.Model == nil || l.ahead(c, l.own) {
		l.own = c
	}
	if l.better(c, l.best) {
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

// better reports whether a candidate is preferable to another, or to none: one with
// fewer experts than there should be is the worse the fewer it has.
func (l *learner) better(c, than tried) bool {
	if than.Model == nil {
		return true
	}
	a, b := l.enough(c), l.enough(than)
	return a > b || a == b && c.score < than.score
}

// levelErrors is by how many standard errors a model may predict worse than the
// best and still count as level.
const levelErrors = 1

// briefest returns the candidate with the shortest description among those that
// predict the held-out rows as well as the best does: of many candidates, the best
// is ahead of some by chance.
func (l *learner) briefest() tried {
	best := l.best
	for _, c := range l.tried {
		if c.DescriptionLength < best.DescriptionLength && c.Experts >= min(best.Experts, l.opt.MinExperts) && l.level(c) {
			best = c
		}
	}
	return best
}

// level reports whether a candidate loses no more on the held-out rows than chance
// explains, beside the best.
func (l *learner) level(c tried) bool {
	n, sum, squares := 0.0, 0.0, 0.0
	for r := range l.held {
		d, w := 0.0, l.judge.Data.Times(r)
		for i := r; i < len(c.losses); i += l.held { // the row's other hidden bits
			d += c.losses[i] - l.best.losses[i]
		}
		n, sum, squares = n+w, sum+float64(w*d), squares+float64(w*d*d)
	}
	mean := sum / n
	return mean <= levelErrors*math.Sqrt(max(squares/n-float64(mean*mean), 0)/max(n-1, 1))
}

// length returns the length by which models are compared: that of the description, or where
// votes are to predict, log(rows)/2 for every vote and for how often each expert is active
// (by the other, models that predict a little worse are found).
func (l *learner) length(m *patchwork.Model, t *counts) float64 {
	if l.m.Tied {
		return lengthOf(m, t).Nats()
	}
	numbers := m.K()
	for k := range m.K() {
		numbers += rows.Votes(m, k, 0)
	}
	return float64(l.numberLength()*float64(numbers)) - t.logEvidence()
}

// recorded returns the model of a point of the curve with the record of the run
// so far, in which that point is the chosen one.
func (l *learner) recorded(c tried) (*patchwork.Model, error) {
	curve := slices.Clone(l.curve)
	if i := slices.Index(curve, c.CurvePoint); i >= 0 {
		curve[i].Chosen = true
	}
	extras := c.Model.Extras()
	extras.Means, extras.Committee = l.means, l.committee
	start := c.StartFrom.String()
	if c.exact {
		start = StageExact
	}
	extras.Record = patchwork.Record{Method: "soft", Mode: l.opt.Aim.String(), Seed: l.opt.Seed, Rows: c.Rows,
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
