// Package learn learns models from images: by EM (section 4 of the paper), online
// with sequential initialisation (section 4.1), from several starts, in memory or
// from streams, and finds out how many experts there are.
package learn

import (
	"context"
	"errors"
	"iter"

	"example.com/patchwork"
)

// Stages of learning: what made the model of a Step. From StageGrow on they are
// models of which one is chosen where the number of experts is found out.
const (
	StageOnline = "online" // one more image was learned (section 4.1)
	StageEM     = "em"     // an iteration of batch EM (section 4)
	StagePolish = "polish" // an iteration of EM that charges votes and activity
	StageExact  = "exact"  // an iteration of the exact M-step
	StageMove   = "move"   // an expert was moved to where one was missing
	StageStart  = "start"  // a start has ended

	StageGrow     = "grow"     // an expert was appended by sequential initialisation
	StageShrink   = "shrink"   // an expert was deleted
	StageMerge    = "merge"    // two experts were made one
	StageRelocate = "relocate" // experts were moved and exactly polished
	StageFresh    = "fresh"    // a run of starts; on the images not held out, where there is no description length
	StageConfirm  = "confirm"  // a run of starts on the images not held out
	StageFinal    = "final"    // learning has ended: the result
)

// Step is one step of learning.
type Step struct {
	// CurvePoint has the Stage, the number of experts, and the scores that the
	// stage has found out. Chosen marks the result.
	patchwork.CurvePoint

	Start, Starts int // the number of the present start, from 0, of how many; Starts is 0 where it has no meaning
	Iteration     int // of the stage, from 0
	Image         int // StageOnline: which image was learned

	// Model is what the step has come to, a snapshot. Best is the best model so
	// far that a run would end with: keep it to stop at any step.
	Model, Best *patchwork.Model
}

// Enough is the cause to cancel the context of a run with that has learned
// enough: the run then ends with the best of the starts so far, as if there had
// been no more of them, instead of an error.
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
		r.cfg.Prior, r.opt.online = priors(cfg, opt.Paper)
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

// rank is 0 for a model on the way, 1 for one at the end of a start, 2 for one of
// a number of experts that was tried, and 3 for the result.
func (s *Step) rank() int {
	switch s.Stage {
	case StageOnline, StageEM, StagePolish, StageExact, StageMove, StageConfirm, "":
		return 0
	case StageStart:
		return 1
	case StageFinal:
		return 3
	}
	return 2
}

// better reports whether a model is to be preferred to another of its rank.
func (s *Step) better(o *Step) bool {
	if s.DescriptionLength != o.DescriptionLength {
		return s.DescriptionLength < o.DescriptionLength
	}
	if s.HeldOutRows > 0 && o.HeldOutRows > 0 {
		return s.HeldOut > o.HeldOut
	}
	return s.LogLik > o.LogLik
}

// learn chooses the way: how the images come, and whether the number of experts is
// known.
func (r *runner) learn(ctx context.Context, src patchwork.Source) (*patchwork.Model, error) {
	if whole, ok := src.(interface{ All() patchwork.Data }); ok {
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

// inMemory learns from images in memory.
func (r *runner) inMemory(ctx context.Context, data patchwork.Data) (*patchwork.Model, error) {
	if !r.opt.finding() {
		return learnStarts(ctx, data, r.cfg, r.opt)
	}
	return learnCount(ctx, data, r.cfg, r.opt)
}

// pointOf is the point of a learned model, by its record.
func pointOf(m *patchwork.Model, stage string) Step {
	r := m.Extras().Record
	return Step{CurvePoint: patchwork.CurvePoint{Experts: m.K(), Stage: stage, Rows: r.Rows, LogLik: r.LogLik, DescriptionLength: r.DescriptionLength}, Model: m}
}
