package studio

import (
	"context"
	"errors"
	"math"
	"runtime"

	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/table"

	"example.com/patchwork"
	"example.com/patchwork/workbench"
)

// progress is the progress of learning.
type progress struct {
	Trial     int      `json:"trial" doc:"models tried so far"`
	Trials    int      `json:"trials" doc:"0: not known in advance"`
	Stage     string   `json:"stage" doc:"online: the first start, image by image; start: complete starts; otherwise the stage of the search for the number of parts"`
	Iteration int      `json:"iteration" doc:"images learned so far when online, otherwise sweeps over the images"`
	Score     nats     `json:"score" doc:"of the latest model, in nats, larger is better: log-likelihood per known pixel, minus the loss per hidden bit, or minus the description length per image"`
	Best      nats     `json:"best" doc:"the largest score"`
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

// learning is one run of a plan.
type learning struct {
	*recipe.Plan
	data patchwork.Data
	tell func(p *progress, m *patchwork.Model) // m is the latest model, or nil for none new
	p    progress
}

// run learns. If the context ends with errStopped, it returns the best model so
// far.
func (l *learning) run(ctx context.Context) (outcome, error) {
	l.p = progress{Scores: []scored{}, Score: nats(math.NaN()), Best: nats(math.Inf(-1)), Height: l.Config.Height,
		Width: l.Config.Width}
	if l.Table != nil {
		return l.rows(ctx)
	}
	return l.images(ctx)
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
	for i, img := range l.data.Images {
		pixels += float64(float64(l.data.Weight(i)) * float64(img.CountKnown()))
	}
	if l.Learn.Experts != 0 {
		l.p.Trials = l.Learn.WithDefaults(l.Config).Starts
	}
	var last *patchwork.Model
	for s, err := range learn.Run(ctx, l.data, l.Config, l.Learn) {
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
		if s.Start == 0 && len(l.data.Images) <= maxShown {
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

// rows learns a table by table.Run.
func (l *learning) rows(ctx context.Context) (outcome, error) {
	var best *patchwork.Model
	for s, err := range table.Run(ctx, l.data, l.Config, *l.Table) {
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
