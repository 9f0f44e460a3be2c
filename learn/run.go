// Package learn learns models from images: by EM (section 4 of the paper), online
// with sequential initialisation (section 4.1), from several starts, in memory or
// from streams, and can determine the number of experts. [Learn] returns the
// model, [Run] yields every step; the zero [Options] are the recommended way, and
// Options.Paper with [PaperConfig] is the paper to the letter.
//
// # To read the code
//
// Begin with paper.go: sections 4 and 4.1 in the form of their formulas. Then follow a run: run.go (Run), options.go,
// starts.go (the starts side by side, and the best of them), begin.go (split.go:
// what a start begins with), em.go (EM) and loo.go (which start is the best).
// strokesrun.go is the run of MethodStrokes, the default where experts move and only
// write; its two steps are package learn/strokes.
// paperrun.go is the run of Options.Paper. stream.go learns from data larger than
// memory, count.go and gains.go find the number of experts that move.
//
// # From the paper to the code
//
//   - Section 3, the pursuit: patchwork.Pursuit; matchingPursuit in paper_test.go is
//     its formulas.
//   - Section 4, the E-step: patchwork.EStep. The M-step: eq. (1) is [EquationOne];
//     the default is the guarded step, patchwork.Tally.MStep.
//   - Section 4.1, the running mean and a new expert: paper.go, and [Reading] where
//     the printed formula and the text disagree.
//   - Section 4.2, the Gaussian of the poses: patchwork.FitGeometry, which a run
//     calls at its end.
//
// Not in the paper: starts from pieces of one image, the choice of a start by
// images left out, strokes.
package learn

import (
	"context"
	"errors"
	"iter"

	"example.com/patchwork"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
)

// Enough is the cause with which to cancel the context of a run that has learned
// enough. The run then ends with the best start so far, as if there had been no
// more starts, and returns no error.
//
//lint:ignore ST1012 a way to end, as fs.SkipAll, not a failure
var Enough = errors.New("learned enough")

// Until returns ctx with a context that bounds what a run does after ctx was cancelled with
// [Enough]: to judge what it has found, to count once more, to fit the poses. When end has ended too,
// the result is the best model so far as it is. Without it a run takes the time that it needs.
func Until(ctx, end context.Context) context.Context { return pool.Until(ctx, end) }

// enough reports whether a run was ended by Enough.
func enough(ctx context.Context) bool { return errors.Is(context.Cause(ctx), Enough) }

// Learn learns a model from images and returns it: the Model of Run's last Step.
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
// result; a caller that leaves the loop earlier has the best model in Step.Best.
//
// Run learns from several starts (Options.Starts) and keeps the best, the
// earliest of equals. Starts of MethodStrokes race and are compared by description
// length (strokes.State). Other starts whose experts move are compared by leaving each
// image out of the counts, because an expert made for one odd example raises the
// training log-likelihood and nothing else. All others are compared by training log-likelihood.
// The record of the model has the score of every start; if experts move, the
// model has the Gaussian of their poses.
//
// If Options.Experts is 0, Run determines the number of experts, as described at
// [Options] and in gains.go; the record then has the curve of all numbers tried.
//
// Of data in memory ([patchwork.Data], also embedded in another type) Run uses
// every image throughout. From any other source it learns the starts from a
// uniform sample, and continues batch EM over all images, reading the source
// once per iteration; if the sample holds all images, the result is that of the
// data in memory. Online learning passes once over all images, in their order,
// from one start.
//
// A configuration without a prior takes the recommended one. The result, and the
// steps in their order, are the same for any number of workers. The error is the
// source's or the context's, or says what in the options or data does not fit.
func Run(ctx context.Context, src patchwork.Source, cfg patchwork.Config, opt Options) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		ctx, cancel := pool.WithCancel(ctx)
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

// sized returns the configuration with the size of the images that scenes are learned
// from, that of the first, unless it has one.
func sized(c patchwork.Config, data patchwork.Data) patchwork.Config {
	given := c.ImageHeight != 0 && (c.ImageHeight != c.Height || c.ImageWidth != c.Width)
	if c.Scene && !given && len(data.Images) > 0 {
		c.ImageHeight, c.ImageWidth = data.Images[0].Height(), data.Images[0].Width()
	}
	return c
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

// note keeps a step if it is the best so far, and yields it.
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

// learn learns from data in memory or from a stream.
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
	if err := errors.Join(r.opt.validate(r.cfg), rows.ValidateConfig(r.cfg)); err != nil {
		return nil, err
	}
	return r.streamed(ctx, src)
}
