// Package learn learns models from images: by EM (section 4 of the paper), online
// with sequential initialisation (section 4.1), from several starts, in memory or
// from streams, and finds out how many experts there are.
package learn

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"

	"example.com/patchwork"

	"example.com/patchwork/internal/pool"
)

// Trial is one start of a learning run.
type Trial struct {
	patchwork.Start
	Index int
	Model *patchwork.Model // the best of its iterations, with counts and usage
	Tally *patchwork.Tally // of Model explaining the data
}

// better reports whether t is to be preferred to o: by description length where
// there is one, or by what it makes of images left out, else by training
// log-likelihood.
func (t *Trial) better(o *Trial) bool {
	switch {
	case t.DescriptionLength != o.DescriptionLength:
		return t.DescriptionLength < o.DescriptionLength
	case t.LeaveOneOut != o.LeaveOneOut:
		return t.LeaveOneOut > o.LeaveOneOut
	}
	return t.Score > o.Score
}

// Learn learns a model from several starts and returns the best (the earliest
// of equals), with every start's score in its record and the Gaussian of the
// poses where there are any.
//
// Experts that move are judged by images left out ([LeaveOneOut]): an expert
// made for one odd example raises the training log-likelihood and nothing else.
// In ModePaper, and where there is one start, it is the training log-likelihood.
//
// Max-minus-min experts without poses are judged by their description length
// instead ([Tally.DescriptionLength]), except in ModePaper; the shortest start
// is improved by moving experts, and polished to a fixed point.
func Learn(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt LearnOptions) (*patchwork.Model, error) {
	var trials []Trial
	for t, err := range Starts(ctx, data, cfg, opt) {
		if err != nil {
			return nil, err
		}
		trials = append(trials, t)
	}
	return Choose(ctx, data, cfg, opt, trials)
}

// Choose turns the trials of a run into its model; see Learn.
func Choose(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt LearnOptions, trials []Trial) (*patchwork.Model, error) {
	if len(trials) == 0 {
		return nil, fmt.Errorf("patchwork: no start to choose from")
	}
	opt = opt.WithDefaults(cfg)
	best := trials[0]
	record := patchwork.Record{Method: opt.Method.String(), Mode: opt.Mode.String(), Seed: opt.Seed}
	for _, t := range trials {
		record.Starts = append(record.Starts, t.Start)
		if t.better(&best) {
			best = t
		}
	}
	record.Chosen, record.Rows, record.LogLik = best.Index, best.Tally.Rows(), best.Score
	if opt.byDescription(cfg) {
		return finish(ctx, best, data, opt, record)
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

// Starts runs the starts of Learn, up to Workers of them side by side, and
// yields each in its turn. The error is the context's, or says what in the
// options or data does not fit.
func Starts(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt LearnOptions) iter.Seq2[Trial, error] {
	problems := []error{opt.validate(), data.Validate(), cfg.Validate()}
	opt = opt.WithDefaults(cfg)
	return func(yield func(Trial, error) bool) {
		for _, err := range problems {
			if err != nil {
				yield(Trial{}, err)
				return
			}
		}
		inner := opt
		side := min(opt.Workers, opt.Starts)
		inner.Workers = max(1, opt.Workers/side)
		results := pool.InTurn(ctx, opt.Starts, side, func(ctx context.Context, i int) (Trial, error) {
			return runStart(ctx, data, cfg, inner, i)
		})
		for t, err := range results {
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// rng is the random source of start i of a run: split by index, never by worker.
func rng(seed uint64, i int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(i)))
}

// learningPursuit is how images are explained while learning: the first expert
// is always taken (findings, A6).
func learningPursuit() patchwork.PursuitOptions { return patchwork.PursuitOptions{Forced: true} }

// pursuit is how the sweeps of batch EM explain.
func (o LearnOptions) pursuit() patchwork.PursuitOptions {
	p := learningPursuit()
	p.Refine, p.RefineThreshold = o.Refine, -1
	return p
}
