package learn

import (
	"cmp"
	"context"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn/strokes"
)

// stage is a part of the race of the starts of MethodStrokes: after so many rounds
// of EM, so many of them are kept, the best.
type stage struct{ rounds, keep int }

// race returns the stages. Where straight parts are preferred there are more starts,
// and most are left early: where parts are bent, a good start matters more.
func (o Options) race() []stage {
	if o.Straight > 0 {
		return []stage{{1, 6}, {2, 2}, {max(o.Iterations-3, 1), 1}}
	}
	first := min(4, o.Iterations)
	return []stage{{first, 2}, {o.Iterations - first, 1}}
}

const (
	strokeRounds    = 9       // of EM, of the start that is chosen
	straightStarts  = 14      // where straight parts are preferred
	mostStrokePixel = 1 << 18 // of a frame whose parts are learned as strokes by default
)

// byStrokes reports whether MethodStrokes is the default for a configuration.
func (o Options) byStrokes(c patchwork.Config) bool {
	return !o.Paper && c.Poses.Len() > 1 && !c.Scene && c.Reuse <= 1 && c.Height*c.Width <= mostStrokePixel &&
		strokes.Fits(c) == nil
}

// strokeStart is one start.
type strokeStart struct {
	index  int
	how    string
	state  *strokes.State
	rounds int
}

// strokeRun is a run of MethodStrokes.
type strokeRun struct {
	data    patchwork.Data
	opt     Options
	learner *strokes.Learner
	base    *patchwork.Model // for models of its configuration
	ended   []strokeStart    // the starts that have come to a result, by index
}

// learnStrokes learns from several starts by EM of package strokes. They race: all
// make a few rounds, the two whose description is shortest go on, and the shorter
// one wins.
func learnStrokes(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options) (*patchwork.Model,
	error) {
	side := min(opt.Workers, opt.Starts)
	r, err := newStrokeRun(data, cfg, opt, side)
	if err != nil {
		return nil, err
	}
	alive := startsOf(opt)
	for n, s := range opt.race() {
		if alive, err = r.stage(ctx, alive, side, n == 0, s); err != nil {
			break
		}
	}
	if err == nil && opt.Straight > 0 {
		err = r.straighten(ctx, alive[0])
	}
	switch {
	case err != nil && enough(ctx) && len(r.ended) > 0:
		return r.choose(pool.Finish(ctx))
	case err != nil:
		return nil, err
	}
	m, err := r.choose(ctx)
	if err != nil && enough(ctx) {
		return r.choose(pool.Finish(ctx))
	}
	if err == nil && opt.Join && opt.joins(cfg, data) {
		joined, err := joinStrokes(ctx, data, cfg, opt, m)
		if joined != nil || err != nil {
			return joined, err
		}
	}
	return m, err
}

// newStrokeRun returns a run of so many starts at a time.
func newStrokeRun(data patchwork.Data, cfg patchwork.Config, opt Options, side int) (*strokeRun, error) {
	l, err := strokes.New(data, cfg, strokes.Options{Straight: opt.Straight, Shared: opt.Alphabet,
		Workers: max(1, opt.Workers/side)})
	if err != nil {
		return nil, err
	}
	r := &strokeRun{data: data, opt: opt, learner: l}
	r.base, err = r.empty(cfg)
	return r, err
}

// startsOf returns the starts of a run.
func startsOf(opt Options) []strokeStart {
	out := make([]strokeStart, opt.Starts)
	for i := range out {
		out[i].index = i
	}
	return out
}

// empty returns a model for the sake of its configuration, and of what a continued
// one has beside its experts.
func (r *strokeRun) empty(cfg patchwork.Config) (*patchwork.Model, error) {
	if r.opt.Continue != nil {
		return r.opt.Continue.WithConfig(cfg)
	}
	return patchwork.NewModel(cfg, [][]float64{make([]float64, cfg.Height*cfg.Width)})
}

// stage lets starts make some rounds, up to side of them at a time, and returns
// those that are kept, the best first.
func (r *strokeRun) stage(ctx context.Context, alive []strokeStart, side int, first bool, s stage) ([]strokeStart,
	error) {
	type news struct {
		step  Step
		start *strokeStart
	}
	opt := r.opt // as it is now: that of the run changes while starts are told
	var out []strokeStart
	for n, err := range pool.Emit(ctx, len(alive), side, func(ctx context.Context, i int, emit func(news)) error {
		own := alive[i]
		if first {
			own, opt := &own, opt
			if opt.note != nil {
				opt.note = func(s Step) { emit(news{step: s, start: &strokeStart{index: own.index}}) }
			}
			if err := r.begin(ctx, own, opt); err != nil {
				return err
			}
			emit(news{step: r.step(0, own.state), start: &strokeStart{index: own.index}})
		} else {
			own.state = own.state.Clone() // the result of the stage before stays
		}
		best := own.state.Clone()
		err := r.learner.Rounds(ctx, own.state, s.rounds, func(st *strokes.State) {
			own.rounds++
			if st.Length < best.Length {
				best = st.Clone()
			}
			emit(news{step: r.step(own.rounds, st), start: &strokeStart{index: own.index}})
		})
		if own.state = best; err == nil {
			emit(news{start: &own})
		}
		return err
	}) {
		if err != nil {
			return nil, err
		}
		r.opt.start = n.start.index
		if n.start.state == nil {
			r.opt.tell(n.step)
			continue
		}
		out = append(out, *n.start)
		if r.end(*n.start); first {
			ended := r.step(0, n.start.state)
			ended.Stage, ended.Best = StageStart, r.model(r.best().state)
			r.opt.tell(ended)
		}
	}
	slices.SortStableFunc(out, shorter)
	return out[:min(s.keep, len(out))], nil
}

// shorter compares starts by description length.
func shorter(a, b strokeStart) int { return cmp.Compare(a.state.Length, b.state.Length) }

// begin makes what a start begins with, and explains the images by it.
func (r *strokeRun) begin(ctx context.Context, s *strokeStart, opt Options) error {
	how, m, err := begin(ctx, r.data, r.base.Config(), opt, s.index)
	if err != nil {
		return err
	}
	s.how, s.state = how, r.learner.Start(m.Templates())
	return r.learner.Explain(ctx, s.state, true)
}

// straighten tries the parts of the best start as straight ones.
func (r *strokeRun) straighten(ctx context.Context, s strokeStart) error {
	r.opt.start = s.index
	s.state = s.state.Clone()
	if err := r.learner.Straighten(ctx, s.state, func(st *strokes.State) {
		s.rounds++
		r.opt.tell(r.step(s.rounds, st))
	}); err != nil {
		return err
	}
	r.end(s)
	return nil
}

// step returns a state as a step of learning.
func (r *strokeRun) step(round int, st *strokes.State) Step {
	return Step{CurvePoint: patchwork.CurvePoint{Stage: StageEM, Rows: rows.Total(r.data), LogLik: st.LogLik,
		DescriptionLength: st.Length},
		Iteration: round, Model: r.model(st)}
}

// model returns the model of a state.
func (r *strokeRun) model(st *strokes.State) *patchwork.Model {
	e := r.base.Extras()
	return r.base.WithTemplates(r.learner.Templates(st), patchwork.Extras{Names: e.Names, Columns: e.Columns,
		Reading: e.Reading})
}

// end keeps the result of a start, or a later one.
func (r *strokeRun) end(s strokeStart) {
	at, found := slices.BinarySearchFunc(r.ended, s.index, func(s strokeStart, i int) int { return s.index - i })
	if !found {
		r.ended = slices.Insert(r.ended, at, s)
	}
	r.ended[at] = s
}

// best returns the start whose description is shortest, the earliest of equals.
func (r *strokeRun) best() strokeStart { return slices.MinFunc(r.ended, shorter) }

// choose returns the model of the best start, with its counts, the poses of its
// experts and the record of all starts.
func (r *strokeRun) choose(ctx context.Context) (*patchwork.Model, error) {
	best := r.best()
	m := r.model(best.state)
	t := patchwork.NewTally(m)
	for i, img := range r.data.Images {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e := &patchwork.Explanation{Picks: r.learner.Picks(best.state, i)}
		e.LogLikModel = patchwork.LogLik(img, m.Compose(img.Height(), img.Width(), e.Picks).P)
		t.Add(m, img, e, r.data.Weight(i))
	}
	record := r.record()
	record.Rows, record.LogLik, record.DescriptionLength = t.Rows(), t.LogLik(), best.state.Length
	extras := m.Extras()
	extras.Counts, extras.Usage, extras.Record = t, t.Usage(), record
	if r.opt.Alphabet {
		return m.WithExtras(extras) // its parts are anywhere
	}
	var err error
	if extras.Geometry, err = patchwork.FitGeometry(ctx, m, r.data, r.opt.pursuit(), r.opt.Workers); err != nil {
		return nil, err
	}
	return m.WithExtras(extras)
}

// record returns the record of all starts that have come to a result.
func (r *strokeRun) record() patchwork.Record {
	best := r.best()
	out := patchwork.Record{Method: r.opt.Method.String(), Mode: r.opt.mode(), Seed: r.opt.Seed}
	for i, s := range r.ended {
		out.Starts = append(out.Starts, patchwork.Start{Seed: r.opt.Seed, Score: s.state.LogLik,
			DescriptionLength: s.state.Length, Method: s.how})
		if s.index == best.index {
			out.Chosen = i
		}
	}
	return out
}
