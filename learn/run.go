// Package learn learns models from images: by EM (section 4 of the paper), online
// with sequential initialisation (section 4.1), from several starts, in memory or
// from streams, and finds out how many experts there are.
package learn

import (
	"context"
	"errors"
	"iter"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
)

// Enough is the cause to cancel the context of a run with that has learned
// enough: the run then ends with the best of the starts so far, as if there had
// been no more of them, instead of an error.
//
//lint:ignore ST1012 a way to end, as fs.SkipAll, not a failure
var Enough = errors.New("learned enough")

// enough reports whether a run was ended by Enough.
func enough(ctx context.Context) bool { return errors.Is(context.Cause(ctx), Enough) }

// Learn learns a model from images: it is the last Step of Run.
func Learn(ctx context.Context, src patchwork.Source, cfg patchwork.Config, opt Options) (*patchwork.Model, error) {
	var last *patchwork.Model
	for s, err := range Run(ctx, src, cfg, opt) {
		if err != nil {
			return nil, err
		}
		last = s.Model
	}
	return last, nil
}

// Run learns a model from images and yields every step. The last step is the
// result; leaving the loop earlier keeps Step.Best.
//
// Learning begins anew several times (Options.Starts) and keeps the best start,
// the earliest of equals. Experts that move are judged by leaving each image out
// of the counts: an expert made for one odd example raises the training
// log-likelihood and nothing else. Max-minus-min experts that stay where they
// are, learned in batches, are judged by their description length
// ([DescriptionLength]), and the shortest start is improved by moving experts
// and polished to a fixed point. Others, and a single start, are judged by the
// training log-likelihood. The record of the model has the score of every start;
// where experts move, the model has the Gaussian of their poses.
//
// Where the number of experts is to be found out (Options.Experts is 0), see
// [Options] and count.go; the record then has the curve of all numbers tried.
//
// Data in memory ([patchwork.Data], also embedded in another type) are learned from whole. Of any other source
// the starts are learned from a uniform sample, and batch EM goes on over all
// images, one reading per iteration; where the sample is everything, the result
// is that of the data in memory. Online learning passes over all images, in
// their order, from one start.
//
// A configuration without a prior takes the recommended one. The result, and the
// steps in their order, are the same for any number of workers. The error is the
// source's or the context's, or says what in the options or data does not fit.
func Run(ctx context.Context, src patchwork.Source, cfg patchwork.Config, opt Options) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		r := &runner{cfg: cfg, opt: opt.WithDefaults(cfg), given: opt, yield: yield, cancel: cancel}
		r.cfg.Prior, r.opt.online = rows.Priors(cfg, opt.Paper)
		r.opt.note = r.note
		m, err := r.learn(ctx, src)
		switch {
		case r.left:
		case err != nil && enough(ctx) && r.best.Model != nil:
			r.finish(r.best)
		case err != nil:
			yield(Step{}, err)
		default:
			r.finish(pointOf(m, StageFinal))
		}
	}
}

// runner is one run.
type runner struct {
	cfg    patchwork.Config
	opt    Options
	given  Options // before the defaults
	yield  func(Step, error) bool
	cancel context.CancelFunc
	best   Step
	left   bool // the consumer wants no more
}

// note yields a step.
func (r *runner) note(s Step) {
	if r.left {
		return
	}
	if rank := s.rank(); s.Best != nil {
		if s.Best == s.Model {
			r.best = s
		}
	} else if r.best.Model == nil || rank > r.best.rank() || rank == r.best.rank() && (rank == 0 || s.better(&r.best)) {
		r.best = s
	}
	s.Best = r.best.Model
	if !r.yield(s, nil) {
		r.left = true
		r.cancel()
	}
}

// finish yields the result.
func (r *runner) finish(s Step) {
	s = Step{CurvePoint: s.CurvePoint, Model: s.Model, Best: s.Model}
	for _, p := range s.Model.Extras().Record.Curve {
		if p.Chosen {
			s.CurvePoint = p
		}
	}
	s.Stage, s.Chosen = StageFinal, true
	r.yield(s, nil)
}

// learn chooses the way: how the images come, and whether the number of experts is
// known.
func (r *runner) learn(ctx context.Context, src patchwork.Source) (*patchwork.Model, error) {
	_, elsewhere := src.(interface {
		Tally(context.Context, *patchwork.Model, patchwork.PursuitOptions) (*patchwork.Tally, error)
	})
	if whole, ok := src.(interface{ All() patchwork.Data }); ok && !elsewhere {
		data := whole.All()
		if r.opt.Memory != nil {
			data.Memory = r.opt.Memory
		}
		if err := r.opt.check(data, r.cfg); err != nil {
			return nil, err
		}
		return r.inMemory(ctx, data)
	}
	if err := errors.Join(r.opt.validate(r.cfg), r.cfg.Validate()); err != nil {
		return nil, err
	}
	return r.streamed(ctx, src)
}
