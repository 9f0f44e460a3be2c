package learn

import (
	"context"
	"slices"

	"example.com/patchwork"
)

// inMemory learns from images in memory.
func (r *runner) inMemory(ctx context.Context, data patchwork.Data) (*patchwork.Model, error) {
	if r.opt.Blank(r.cfg, data) > 0 {
		data = inked(data)
	}
	if r.opt.StartFrom == StartFromPairs && r.opt.Continue == nil {
		if err := r.opt.checkPairs(r.cfg, data); err != nil {
			return nil, err
		}
		if ended, err := r.fromPairs(ctx, data); ended != nil || err != nil {
			return ended, err
		}
	}
	r.cfg = sized(r.cfg, data)
	if !r.opt.finding() {
		return learnStarts(ctx, data, r.cfg, r.opt)
	}
	return (&counter{data: data, cfg: r.cfg, opt: r.opt}).run(ctx)
}

// counter is one search for the number of experts that move; see gains.go. It emits every model tried; the curve of
// all is in the record (Record.Curve).
type counter struct {
	data  patchwork.Data
	cfg   patchwork.Config
	opt   Options
	curve []patchwork.CurvePoint
	best  Step // of the numbers tried
}

// run tries numbers of experts and returns the chosen model.
func (a *counter) run(ctx context.Context) (*patchwork.Model, error) {
	m, err := a.tryGains(ctx)
	if err != nil && enough(ctx) && a.best.Model != nil {
		return a.choose(a.best)
	}
	return m, err
}

// step adds a step to the curve and emits it.
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

// learn runs the starts with k experts. Their steps are emitted, but are no
// candidates for the choice.
func (a *counter) learn(ctx context.Context, k int) (*patchwork.Model, error) {
	opt := a.opt
	opt.Experts, opt.AtLeast, opt.AtMost = k, 0, 0
	return learnStarts(ctx, a.data, a.cfg, opt.onTheWay())
}
