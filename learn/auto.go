package learn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
)

// The stages of Auto: what made the model of a CurvePoint.
const (
	StageGrow     = "grow"     // an expert appended by sequential initialisation
	StageShrink   = "shrink"   // an expert deleted
	StageMerge    = "merge"    // two experts made one
	StageRelocate = "relocate" // experts moved and exactly polished
	StageFresh    = "fresh"    // the default learner; on the images not held out, where there is no description length
	StageConfirm  = "confirm"  // the default learner on the images not held out
	StageFinal    = "final"    // the learner on all images, after the choice
	StageMixture  = "mixture"  // the components of a mixture as experts (LearnTable)
)

// AutoOptions are the settings of Auto and LearnAuto. The zero value is the
// recommended default: grow.
type AutoOptions struct {
	// Learn is how a model is learned once K is given; its Experts is ignored.
	Learn LearnOptions

	// From and To, if not 0, are the numbers of experts to try, 1 <= From <= To.
	// If they are 0 the number is grown.
	From, To int

	// MaxExperts ends growing; 0 means 64.
	MaxExperts int

	// HeldOut is the share of the images held out to confirm the choice, or to
	// make it; 0 means a fifth. It is below 1, and at least one image each is
	// held out and left.
	HeldOut float64
}

// AutoStep is one point of the curve and the model it is of.
type AutoStep struct {
	patchwork.CurvePoint
	Model *patchwork.Model
}

// LearnAuto learns a model and how many experts it has; see Auto.
func LearnAuto(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt AutoOptions) (*patchwork.Model, error) {
	var last *patchwork.Model
	for s, err := range Auto(ctx, data, cfg, opt) {
		if err != nil {
			return nil, err
		}
		last = s.Model
	}
	return last, nil
}

// Auto finds out how many experts there are. It yields every model tried, and
// in the end the chosen one again: the only step with Chosen set, whose model
// has the curve in its record (Record.Curve).
//
// Where the learner goes by description length (max-minus-min experts without
// poses, default mode, batches) so does the choice. Without a range the experts
// are grown: one made of a badly explained image is appended (section 4.1)
// until two in a row have not paid; then experts are deleted and merged, and
// moved, as long as that shortens the description; and what came of it is
// compared with the default learner's models of as many experts, one fewer and
// one more, of which a better one is improved likewise. With a range the default learner tries each number.
//
// Then the chosen number and its neighbours are learned again without the
// held-out images. A neighbour takes over only if it predicts these better
// beyond doubt: by two standard errors of the mean difference, and uses all of
// its experts. With fewer than ten images held out they have no say.
//
// Where there is no description length a range must be given, each number is
// learned without the held-out images, and the one that gives them the largest
// log-likelihood (the smallest of equals) is learned again from all images.
//
// The steps are the same for any number of workers. The error is the context's,
// or says what in the options or data does not fit.
func Auto(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt AutoOptions) iter.Seq2[AutoStep, error] {
	return func(yield func(AutoStep, error) bool) {
		opt, err := opt.withDefaults(data, cfg)
		if err == nil {
			a := &autoRun{data: data, cfg: cfg, opt: opt, yield: yield, best: make(map[int]AutoStep)}
			err = a.run(ctx)
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(AutoStep{}, err)
		}
	}
}

func (o AutoOptions) withDefaults(data patchwork.Data, cfg patchwork.Config) (AutoOptions, error) {
	o.Learn.Experts = max(o.From, 1)
	if err := errors.Join(o.Learn.validate(), data.Validate(), cfg.Validate()); err != nil {
		return o, err
	}
	o.Learn = o.Learn.WithDefaults(cfg)
	byDescription := o.Learn.byDescription(cfg)
	grow := o.From == 0 && o.To == 0
	if o.MaxExperts == 0 {
		o.MaxExperts = 64
	}
	if o.HeldOut == 0 {
		o.HeldOut = 0.2
	}
	switch {
	case !grow && (o.From < 1 || o.To < o.From):
		return o, fmt.Errorf("patchwork: from %d to %d experts is no range", o.From, o.To)
	case grow && !byDescription:
		return o, fmt.Errorf("patchwork: experts are grown by description length, which is for max-minus-min experts without poses, in batches; give a range to try")
	case o.MaxExperts < 1:
		return o, fmt.Errorf("patchwork: cannot grow %d experts", o.MaxExperts)
	case !(o.HeldOut > 0 && o.HeldOut < 1):
		return o, fmt.Errorf("patchwork: held-out share %v is not between 0 and 1", o.HeldOut)
	case !byDescription && rows.Counting(data) < 2:
		return o, fmt.Errorf("patchwork: the number of experts is chosen by held-out images; one image is too few")
	}
	return o, nil
}

// errStopped says that the consumer of a sequence wants no more.
var errStopped = errors.New("stopped")

// autoRun is one run of Auto.
type autoRun struct {
	data  patchwork.Data
	cfg   patchwork.Config
	opt   AutoOptions
	yield func(AutoStep, error) bool
	curve patchwork.Curve
	best  map[int]AutoStep // by number of experts: the shortest description
}

func (a *autoRun) run(ctx context.Context) error {
	if !a.opt.Learn.byDescription(a.cfg) {
		return a.tryHeldOut(ctx)
	}
	if a.opt.To > 0 {
		for k := a.opt.From; k <= a.opt.To; k++ {
			if err := a.fresh(ctx, k); err != nil {
				return err
			}
		}
	} else if err := a.grow(ctx); err != nil {
		return err
	}
	k, err := a.confirm(ctx, a.shortest())
	if err != nil {
		return err
	}
	return a.choose(a.best[k])
}

// step records a point and hands it out.
func (a *autoRun) step(s AutoStep) error {
	a.curve = append(a.curve, s.CurvePoint)
	if !a.yield(s, nil) {
		return errStopped
	}
	return nil
}

// choose hands the chosen step out again, with the curve.
func (a *autoRun) choose(s AutoStep) error {
	a.curve[slices.Index(a.curve, s.CurvePoint)].Chosen = true
	s.Chosen = true
	extras := s.Model.Extras()
	extras.Record.Curve = a.curve
	var err error
	if s.Model, err = s.Model.WithExtras(extras); err != nil {
		return err
	}
	a.yield(s, nil)
	return nil
}

// fresh tries the default learner with k experts.
func (a *autoRun) fresh(ctx context.Context, k int) error {
	m, err := a.learn(ctx, a.data, k)
	if err != nil {
		return err
	}
	return a.keep(pointOf(m, StageFresh))
}

func (a *autoRun) learn(ctx context.Context, data patchwork.Data, k int) (*patchwork.Model, error) {
	opt := a.opt.Learn
	opt.Experts = k
	return Learn(ctx, data, a.cfg, opt)
}

// pointOf is the point of a learned model, by its record.
func pointOf(m *patchwork.Model, stage string) AutoStep {
	r := m.Extras().Record
	return AutoStep{CurvePoint: patchwork.CurvePoint{Experts: m.K(), Stage: stage, Rows: r.Rows, LogLik: r.LogLik, DescriptionLength: r.DescriptionLength}, Model: m}
}

// keep hands a model of all images out that may be chosen; rounding apart, the
// first of equals is.
func (a *autoRun) keep(s AutoStep) error {
	if b, ok := a.best[s.Experts]; !ok || s.DescriptionLength < b.DescriptionLength-1e-9 {
		a.best[s.Experts] = s
	}
	return a.step(s)
}

// shortest is the number of experts that describes the images in the fewest
// nats, the smallest of equals.
func (a *autoRun) shortest() int {
	best := 0
	for _, k := range slices.Sorted(maps.Keys(a.best)) {
		if best == 0 || a.best[k].DescriptionLength < a.best[best].DescriptionLength {
			best = k
		}
	}
	return best
}
