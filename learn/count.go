package learn

import (
	"context"
	"maps"
	"slices"

	"example.com/patchwork"
)

// learnCount finds out how many experts there are. It tells of every model tried;
// the result has the curve in its record (Record.Curve).
//
// Where models are judged by description length so is the choice. Without a
// range the experts are grown: one made of a badly explained image is appended
// (section 4.1) until two in a row have not paid; then experts are deleted and
// merged, and moved, as long as that shortens the description; and what came of
// it is compared with runs of starts with as many experts, one fewer and one
// more, of which a better one is improved likewise. With a range a run of starts
// tries each number.
//
// Then the chosen number and its neighbours are learned again without the
// held-out images. A neighbour takes over only if it predicts these better
// beyond doubt: by two standard errors of the mean difference, and uses all of
// its experts. With fewer than ten images held out this check is skipped.
//
// Where there is no description length each number of the range is learned
// without the held-out images, and the one that gives them the largest
// log-likelihood (the smallest of equals) is learned again from all images.
func learnCount(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options) (*patchwork.Model, error) {
	c := &counter{data: data, cfg: cfg, opt: opt, best: make(map[int]Step)}
	m, err := c.run(ctx)
	if err != nil && enough(ctx) && len(c.best) > 0 {
		return c.choose(c.best[c.shortest()])
	}
	return m, err
}

// counter is one search for the number of experts.
type counter struct {
	data  patchwork.Data
	cfg   patchwork.Config
	opt   Options
	curve patchwork.Curve
	best  map[int]Step // by number of experts: the shortest description
}

func (a *counter) run(ctx context.Context) (*patchwork.Model, error) {
	if !a.opt.byDescription(a.cfg) {
		return a.tryHeldOut(ctx)
	}
	if a.opt.growing() {
		if err := a.grow(ctx); err != nil {
			return nil, err
		}
	} else {
		for k := a.opt.AtLeast; k <= a.opt.AtMost; k++ {
			if err := a.fresh(ctx, k); err != nil {
				return nil, err
			}
		}
	}
	k, err := a.confirm(ctx, a.shortest())
	if err != nil {
		return nil, err
	}
	return a.choose(a.best[k])
}

// mostExperts is how many experts are grown at most.
func (a *counter) mostExperts() int {
	if a.opt.growing() {
		return maxGrown
	}
	return a.opt.AtMost
}

// step records a point and tells of it.
func (a *counter) step(s Step) {
	a.curve = append(a.curve, s.CurvePoint)
	if a.opt.note != nil {
		a.opt.note(s)
	}
}

// choose returns the chosen model, with the curve.
func (a *counter) choose(s Step) (*patchwork.Model, error) {
	a.curve[slices.Index(a.curve, s.CurvePoint)].Chosen = true
	extras := s.Model.Extras()
	extras.Record.Curve = a.curve
	return s.Model.WithExtras(extras)
}

// fresh tries a run of starts with k experts.
func (a *counter) fresh(ctx context.Context, k int) error {
	m, err := a.learn(ctx, a.data, k)
	if err != nil {
		return err
	}
	a.keep(pointOf(m, StageFresh))
	return nil
}

// learn runs the starts with k experts. What they find on the way is told
// without being a candidate for the choice.
func (a *counter) learn(ctx context.Context, data patchwork.Data, k int) (*patchwork.Model, error) {
	opt := a.opt
	opt.Experts, opt.AtLeast, opt.AtMost = k, 0, 0
	return learnStarts(ctx, data, a.cfg, opt.onTheWay())
}

// keep tells of a model of all images that may be chosen; rounding apart, the
// first of equals is.
func (a *counter) keep(s Step) {
	if b, ok := a.best[s.Experts]; !ok || s.DescriptionLength < b.DescriptionLength-1e-9 {
		a.best[s.Experts] = s
	}
	a.step(s)
}

// shortest is the number of experts that describes the images in the fewest
// nats, the smallest of equals.
func (a *counter) shortest() int {
	best := 0
	for _, k := range slices.Sorted(maps.Keys(a.best)) {
		if best == 0 || a.best[k].DescriptionLength < a.best[best].DescriptionLength {
			best = k
		}
	}
	return best
}
