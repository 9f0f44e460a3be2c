package learn

import (
	"context"

	"example.com/patchwork"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
)

// trial is one start of a learning run and its outcome.
type trial struct {
	patchwork.Start
	Index int
	Model *patchwork.Model // the best of its iterations, with counts and usage
	Tally *patchwork.Tally // of Model explaining the data
}

// better reports whether t is preferable to o: by description length if there is
// one, else by the log-likelihood of images left out, else by that of training.
func (t *trial) better(o *trial) bool {
	switch {
	case t.DescriptionLength != o.DescriptionLength:
		return t.DescriptionLength < o.DescriptionLength
	case t.LeaveOneOut != o.LeaveOneOut:
		return t.LeaveOneOut > o.LeaveOneOut
	}
	return t.Score > o.Score
}

// learnStarts runs the starts, up to Workers of them at a time, and returns the
// model of the best. It emits their steps start by start.
func learnStarts(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options) (*patchwork.Model,
	error) {
	if opt.Alphabet {
		return learnAlphabet(ctx, data, cfg, opt)
	}
	if opt.Method == MethodStrokes {
		return learnStrokes(ctx, data, cfg, opt)
	}
	type news struct {
		step  Step
		trial *trial
	}
	inner := opt
	side := min(opt.Workers, opt.Starts)
	inner.Workers = max(1, opt.Workers/side)
	var trials []trial
	best := 0
	for n, err := range pool.Emit(ctx, opt.Starts, side, func(ctx context.Context, i int, emit func(news)) error {
		own := inner
		own.start = i
		if opt.note != nil {
			own.note = func(s Step) { emit(news{step: s}) }
		}
		t, err := runStart(ctx, data, cfg, own, i)
		if err == nil {
			emit(news{trial: &t})
		}
		return err
	}) {
		switch {
		case err != nil && enough(ctx) && len(trials) > 0:
			return choose(pool.Finish(ctx), data, cfg, opt, trials)
		case err != nil:
			return nil, err
		case n.trial == nil:
			opt.note(n.step)
			continue
		}
		trials = append(trials, *n.trial)
		if n.trial.better(&trials[best]) {
			best = len(trials) - 1
		}
		opt.start = n.trial.Index
		opt.tell(Step{CurvePoint: patchwork.CurvePoint{Stage: StageStart, Rows: n.trial.Tally.Rows(), LogLik: n.trial.Score,
			DescriptionLength: n.trial.DescriptionLength}, Model: n.trial.Model, Best: trials[best].Model})
	}
	m, err := choose(ctx, data, cfg, opt, trials)
	if err != nil && enough(ctx) {
		return choose(pool.Finish(ctx), data, cfg, opt, trials)
	}
	return m, err
}

// runStart learns from start i.
func runStart(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options, i int) (trial, error) {
	if opt.Paper {
		return paperStart(ctx, data, cfg, opt, i)
	}
	how, m, err := begin(ctx, data, cfg, opt, i)
	if err != nil {
		return trial{}, err
	}
	iterations := opt.Iterations
	if opt.Method == MethodOnline {
		iterations = 0
	}
	it, err := sweep(ctx, m, data, opt, iterations)
	if err != nil {
		return trial{}, err
	}
	t := trial{Start: patchwork.Start{Seed: opt.Seed, Score: it.Tally.LogLik(), Method: how}, Index: i, Model: it.Model,
		Tally: it.Tally}
	switch {
	case it.Rates != nil:
		t.DescriptionLength, err = opt.placedLength(ctx, it.Model, data, it.Tally)
	case opt.byLeavingOut(cfg):
		refined := patchwork.PursuitOptions{Refined: true, Forced: true, RefineThreshold: -1}
		t.LeaveOneOut, _, err = leaveOneOut(ctx, it.Model, data, refined, patchwork.MStep{}, opt.Workers)
	}
	return t, err
}

// choose returns the model of a run from its trials, as Run describes.
func choose(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options,
	trials []trial) (*patchwork.Model, error) {
	best := trials[0]
	record := patchwork.Record{Method: opt.Method.String(), Mode: opt.mode(), Seed: opt.Seed}
	for _, t := range trials {
		record.Starts = append(record.Starts, t.Start)
		if t.better(&best) {
			best = t
		}
	}
	record.Chosen, record.Rows, record.LogLik = best.Index, best.Tally.Rows(), best.Score
	if opt.priced(cfg) {
		record.DescriptionLength = best.DescriptionLength
	}
	extras := best.Model.Extras()
	extras.Usage, extras.Record = best.Tally.Usage(), record
	if rows.Moves(cfg) && !cfg.Scene { // parts of scenes lie anywhere
		geometry, err := patchwork.FitGeometry(ctx, best.Model, data, opt.pursuit(), opt.Workers)
		if err != nil {
			return nil, err
		}
		extras.Geometry = geometry
	}
	return best.Model.WithExtras(extras)
}
