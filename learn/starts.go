package learn

import (
	"context"
	"math/rand/v2"

	"example.com/patchwork"
	"example.com/patchwork/internal/pool"
)

// trial is one start of a learning run and its outcome.
type trial struct {
	patchwork.Start
	Index int
	Model *patchwork.Model // the best of its iterations, with counts and usage
	Tally *patchwork.Tally // of Model explaining the data
}

// better reports whether t is to be preferred to o: by description length where
// there is one, or by what it makes of images left out, else by training
// log-likelihood.
func (t *trial) better(o *trial) bool {
	switch {
	case t.DescriptionLength != o.DescriptionLength:
		return t.DescriptionLength < o.DescriptionLength
	case t.LeaveOneOut != o.LeaveOneOut:
		return t.LeaveOneOut > o.LeaveOneOut
	}
	return t.Score > o.Score
}

// learnStarts runs the starts, up to Workers of them side by side, and makes the
// model of the best. Its steps are told start by start.
func learnStarts(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options) (*patchwork.Model, error) {
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
			return choose(context.WithoutCancel(ctx), data, cfg, opt, trials, true)
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
	m, err := choose(ctx, data, cfg, opt, trials, false)
	if err != nil && enough(ctx) {
		return choose(context.WithoutCancel(ctx), data, cfg, opt, trials, true)
	}
	return m, err
}

// choose turns the trials of a run into its model; see Run. Where learning was
// enough the best start is left as it is.
func choose(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options, trials []trial, enough bool) (*patchwork.Model, error) {
	best := trials[0]
	record := patchwork.Record{Method: opt.Method.String(), Mode: opt.mode(), Seed: opt.Seed}
	for _, t := range trials {
		record.Starts = append(record.Starts, t.Start)
		if t.better(&best) {
			best = t
		}
	}
	record.Chosen, record.Rows, record.LogLik = best.Index, best.Tally.Rows(), best.Score
	if opt.byDescription(cfg) {
		if enough {
			record.DescriptionLength = best.DescriptionLength
			return best.Model.WithExtras(patchwork.Extras{Counts: best.Tally, Usage: best.Tally.Usage(), Record: record})
		}
		return improve(ctx, best, data, opt, record)
	}
	extras := best.Model.Extras()
	extras.Usage, extras.Record = best.Tally.Usage(), record
	if cfg.Poses.Len() > 1 {
		geometry, err := patchwork.FitGeometry(ctx, best.Model, data, opt.pursuit(), opt.Workers)
		if err != nil {
			return nil, err
		}
		extras.Geometry = geometry
	}
	return best.Model.WithExtras(extras)
}

// rng returns the random source of start i of a run: split by index, never by
// worker.
func rng(seed uint64, i int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(i)))
}

// learningPursuit is how images are explained while learning: the first expert
// is always taken, or an expert that fits badly at first would never learn.
func learningPursuit() patchwork.PursuitOptions { return patchwork.PursuitOptions{Forced: true} }

// pursuit is how the iterations of batch EM explain.
func (o Options) pursuit() patchwork.PursuitOptions {
	p := learningPursuit()
	p.Refine, p.RefineThreshold = o.Refine, -1
	return p
}
