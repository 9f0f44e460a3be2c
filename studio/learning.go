package studio

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/table"
	"example.com/patchwork/workbench"
)

// stand is where learning is.
type stand struct {
	Trial     int    `json:"trial" doc:"models tried so far"`
	Trials    int    `json:"trials" doc:"0: not known in advance"`
	Stage     string `json:"stage" doc:"online: the first start, image by image; start: complete starts; otherwise the stage of the search for the number of parts"`
	Iteration int    `json:"iteration" doc:"images learned so far when online, otherwise sweeps over the images, or parts of real values"`
	Score     nats   `json:"score" doc:"of the latest model, in nats, larger is better: log-likelihood per known pixel, minus the loss per hidden bit, or minus the description length per image"`
	Best      nats   `json:"best" doc:"the largest score"`
}

// progress is the progress of learning.
type progress struct {
	stand
	Scores    []scored `json:"scores" doc:"of the models tried so far, of many the last 500"`
	Unit      string   `json:"unit" doc:"what the score is, in words; empty while there is none"`
	Height    int      `json:"height"`
	Width     int      `json:"width"`
	Templates []f32    `json:"templates" doc:"of the latest model; none if they have more than 262,144 numbers"`
}

// scored is the score of a model.
type scored struct {
	Trial int  `json:"trial" doc:"models tried before it, and it"`
	Score nats `json:"score"`
}

// mostScores is how many scores are told.
const mostScores = 500

// What scores are.
const (
	perPixel  = "log-likelihood per pixel, nats"
	perImage  = "minus the description length per image, nats"
	perRow    = "minus the description length per row, nats"
	perHidden = "minus the loss per hidden cell, nats"
)

// outcome is the result of learning.
type outcome struct {
	model workbench.Model
	// starts, if not 0, is the number of starts before learning was stopped: as
	// many give the same model. -1: no command line does.
	starts int
}

// errStopped is the cause that ends learning with the best model so far.
var errStopped = learn.Enough

var errNothing = errors.New("stopped before the first model")

// learning is one run of a recipe.
type learning struct {
	rows
	recipe       recipe.Recipe                         // as a command line says it
	*recipe.Plan                                       // of bits
	real         *real.Options                         // of real values
	tell         func(p *progress, m *patchwork.Model) // m is the latest model, or nil for none new
	p            progress
}

// newLearning plans to learn from rows. The error names a field of the recipe, or a limit.
func (l *bounds) newLearning(r rows, how recipe.Recipe) (*learning, error) {
	h, w := r.set.Size()
	out := &learning{rows: r}
	var err error
	if r.numbers() {
		if out.real, err = realOptions(&how, h, w); err != nil {
			return nil, err
		}
		out.recipe = how
		return out, l.checkReal(&real.Model{Height: h, Width: w, Poses: out.real.Poses})
	}
	facts := recipe.Facts{Rows: r.set.Len(), Height: h, Width: w, Table: r.set.Table && h == 1}
	out.recipe = how.Literally(facts)
	resolved, _ := out.recipe.Resolve(facts)
	if out.Plan, err = newPlan(&resolved, h, w); err != nil {
		return nil, err
	}
	if out.Table != nil {
		out.Table.Exclusive = r.set.Exclusive()
	}
	return out, l.checkModel(&out.Config, resolved.Most())
}

// run learns. If the context ends with errStopped, it returns the best model so
// far.
func (l *learning) run(ctx context.Context) (out outcome, err error) {
	l.p = progress{Scores: []scored{}}
	l.p.Score, l.p.Best = nats(math.NaN()), nats(math.Inf(-1))
	l.p.Height, l.p.Width = l.set.Size()
	if l.real != nil {
		return l.numbers(ctx)
	}
	l.p.Height, l.p.Width = l.Config.Height, l.Config.Width
	if l.Table != nil {
		out, err = l.table(ctx)
	} else {
		out, err = l.images(ctx)
	}
	if err != nil {
		return out, err
	}
	m, err := l.set.Describe(out.model.(workbench.Bits).Model)
	out.model = workbench.Bits{Model: m}
	return out, err
}

// newPlan returns the plan of a recipe, on all processors.
func newPlan(r *recipe.Recipe, height, width int) (*recipe.Plan, error) {
	all := *r
	all.Workers = runtime.GOMAXPROCS(0)
	p, err := all.Plan(height, width)
	var wrong *recipe.Error
	if errors.As(err, &wrong) {
		return nil, problemAt(422, "body."+wrong.Field, nil, "%v", err)
	}
	return p, err
}

// step reports a new model.
func (l *learning) step(m *patchwork.Model, change func(p *progress)) {
	change(&l.p)
	if s := float64(l.p.Score); !math.IsNaN(s) {
		l.p.Best = nats(max(float64(l.p.Best), s))
		next := scored{l.p.Trial, l.p.Score}
		if n := len(l.p.Scores); n == 0 || l.p.Scores[n-1] != next {
			l.p.Scores = append(l.p.Scores[max(0, n+1-mostScores):n:n], next)
		}
	}
	l.tell(&l.p, m)
}

// maxShown is up to how many images the first start is shown image by image.
const maxShown = 200

// images learns by learn.Run.
func (l *learning) images(ctx context.Context) (outcome, error) {
	pixels := 0.0
	for i, img := range l.set.Images {
		pixels += float64(float64(l.set.Weight(i)) * float64(img.CountKnown()))
	}
	if l.Learn.Experts != 0 {
		l.p.Trials = l.Learn.WithDefaults(l.Config).Starts
	}
	var last *patchwork.Model
	for s, err := range learn.Run(ctx, l.set.Data, l.Config, l.Learn) {
		if err != nil && errors.Is(context.Cause(ctx), errStopped) {
			return outcome{}, errNothing
		}
		if err != nil {
			return outcome{}, err
		}
		last = s.Model
		l.see(s, pixels)
	}
	return outcome{model: workbench.Bits{Model: last}, starts: l.startsOf(ctx, last)}, nil
}

// see tells of a step of learning.
func (l *learning) see(s learn.Step, pixels float64) {
	switch s.Stage {
	case learn.StageOnline:
		if s.Start == 0 && len(l.set.Images) <= maxShown {
			l.step(s.Model, func(p *progress) { p.Stage, p.Iteration = s.Stage, s.Iteration+1 })
		}
	case learn.StageStart:
		l.step(s.Model, func(p *progress) {
			p.Stage, p.Trial, p.Iteration, p.Score, p.Unit = s.Stage, s.Start+1, 0, nats(s.LogLik/pixels), perPixel
		})
	case learn.StageEM, learn.StagePolish, learn.StageExact, learn.StageMove:
		l.step(nil, func(p *progress) {
			if p.Stage == learn.StageOnline || p.Stage == "" {
				p.Stage, p.Iteration = learn.StageStart, 0
			}
			p.Iteration++
		})
	case learn.StageFinal:
	default:
		l.step(s.Model, func(p *progress) {
			p.Stage, p.Trial, p.Score, p.Unit = s.Stage, p.Trial+1, nats(-s.DescriptionLength/float64(s.Rows)), perImage
		})
	}
}

// startsOf says how many starts give the model that learning was stopped with: 0
// where it was not stopped, -1 where no command line gives it.
func (l *learning) startsOf(ctx context.Context, m *patchwork.Model) int {
	r := m.Extras().Record
	switch {
	case !errors.Is(context.Cause(ctx), errStopped):
		return 0
	case l.Learn.Experts == 0 || len(r.Starts) < 2 || r.DescriptionLength != 0:
		return -1 // one start is judged otherwise; a description is improved at length
	}
	return len(r.Starts)
}

// table learns a table by table.Run.
func (l *learning) table(ctx context.Context) (outcome, error) {
	var best *patchwork.Model
	for s, err := range table.Run(ctx, l.set.Data, l.Config, *l.Table) {
		if errors.Is(context.Cause(ctx), errStopped) {
			if best == nil {
				return outcome{}, errNothing
			}
			return outcome{model: workbench.Bits{Model: best}, starts: -1}, nil
		}
		if err != nil {
			return outcome{}, err
		}
		best = s.Best
		l.step(s.Model, func(p *progress) {
			if p.Stage, p.Iteration = s.Stage, p.Iteration+1; !s.Candidate {
				return
			}
			p.Trial, p.Score, p.Unit = p.Trial+1, nats(-s.DescriptionLength/float64(s.Rows)), perRow
			if s.HiddenBits > 0 {
				p.Score, p.Unit = nats(-s.HiddenLoss), perHidden
			}
		})
	}
	return outcome{model: workbench.Bits{Model: best}}, nil
}

// realOptions returns a recipe as options of the learner of real values. The error names a field that says nothing
// about them.
func realOptions(r *recipe.Recipe, height, width int) (*real.Options, error) {
	o := &real.Options{Experts: r.Experts, Starts: r.Starts, Seed: r.Seed, Predict: r.Aim == "predict",
		Workers: runtime.GOMAXPROCS(0)}
	plain := recipe.Recipe{Count: recipe.Count{Experts: r.Experts, Auto: r.Auto && r.Experts == 0}, Poses: r.Poses,
		Starts: r.Starts, Seed: r.Seed, Aim: r.Aim}
	if !slices.Equal(r.Args(), plain.Args()) || r.Auto && r.Experts != 0 {
		return nil, problemf(422,
			"of real values a request to learn has experts, shift, shift_step, rotate, aim, starts and seed, and no "+
				"other settings")
	}
	r.Auto = false // the number is found unless it is given; the command line says so by saying nothing
	var err error
	if o.Poses, err = r.Grid(1, height, width); err != nil {
		return nil, problemAt(422, "body.shift", nil, "%v", err)
	}
	if r.Rotate == "" {
		o.Poses.Angles = nil
	}
	return o, nil
}

// numbers learns real values. Stopped, it returns the best so far.
func (l *learning) numbers(ctx context.Context) (outcome, error) {
	v, o, unit := l.set, *l.real, perImage
	if v.Table {
		unit = perRow
	}
	data, err := real.NewData(v.Height, v.Width, v.Values)
	if err != nil {
		return outcome{}, err
	}
	o.Progress = func(s real.Progress) {
		l.step(nil, func(p *progress) {
			p.Trial, p.Trials, p.Stage, p.Iteration = s.Start+1, s.Starts, s.Stage, s.Experts
			p.Score, p.Unit = nats(-s.DescriptionLength/float64(v.Len())), unit
		})
	}
	r, err := real.Learn(ctx, data, o)
	out := outcome{}
	if err != nil && errors.Is(context.Cause(ctx), errStopped) {
		if r == nil {
			return out, errNothing
		}
		if out.starts, err = -1, nil; len(r.Starts) > 0 && v.Height > 1 && !o.Predict {
			// those that were complete; rows of tables and aims to predict have steps after all starts
			out.starts = len(r.Starts)
		}
	}
	if err != nil {
		return outcome{}, err
	}
	m := *r.Model
	if m.Columns = nil; v.Table {
		m.Columns = v.Columns
	}
	m.Reading, err = v.Reading()
	out.model = workbench.Numbers{Model: &m}
	return out, err
}
