package studio

import (
	"context"
	"errors"
	"math"
	"runtime"

	"example.com/patchwork"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/real"
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
	*workbench.Learning
	rows   rows
	recipe recipe.Recipe                         // as a command line says it
	tell   func(p *progress, m *patchwork.Model) // m is the latest model, or nil for none new
	p      progress
}

// newLearning plans to learn from rows, on all processors. The error names a field of the recipe, or a limit.
func (l *bounds) newLearning(r rows, how recipe.Recipe) (*learning, error) {
	data := workbench.Data{Frame: r.set}
	facts := data.Facts()
	out := &learning{rows: r, recipe: how.Literally(facts)}
	if r.numbers() {
		out.recipe = how
		out.recipe.Auto = how.Auto && how.Experts != 0 // the number is found unless it is given
	}
	all := out.recipe
	all.Workers = runtime.GOMAXPROCS(0)
	var err error
	out.Learning, err = workbench.NewLearning(data, all, facts)
	var wrong *recipe.Error
	switch {
	case errors.As(err, &wrong):
		return nil, problemAt(422, "body."+wrong.Field, nil, "%v", err)
	case err != nil:
		return nil, err
	case out.Numbers != nil:
		return out, l.checkReal(&real.Model{Height: facts.Height, Width: facts.Width, Poses: out.Numbers.Poses})
	}
	return out, l.checkModel(&out.Config, out.Recipe.Most())
}

// run learns. If the context ends with errStopped, it returns the best model so
// far.
func (l *learning) run(ctx context.Context) (out outcome, err error) {
	l.p = progress{Scores: []scored{}}
	l.p.Score, l.p.Best = nats(math.NaN()), nats(math.Inf(-1))
	l.p.Height, l.p.Width = l.rows.set.Size()
	if l.Numbers == nil && l.Table == nil && l.Learn.Experts != 0 {
		l.p.Trials = l.Learn.WithDefaults(l.Config).Starts
	}
	for s, err := range l.Steps(ctx) {
		switch {
		case errors.Is(err, errStopped):
			return out, errNothing
		case err != nil:
			return out, err
		case !s.Final || l.Numbers == nil && l.Table != nil && !s.Interrupted:
			l.see(&s)
		}
		if out.model = s.Model; s.Interrupted {
			if out.starts = l.Repeats(s.Model); out.starts == 0 {
				out.starts = -1
			}
		}
	}
	return out, nil
}

// step reports a new model.
func (l *learning) step(of workbench.Model, change func(p *progress)) {
	change(&l.p)
	if s := float64(l.p.Score); !math.IsNaN(s) {
		l.p.Best = nats(max(float64(l.p.Best), s))
		next := scored{l.p.Trial, l.p.Score}
		if n := len(l.p.Scores); n == 0 || l.p.Scores[n-1] != next {
			l.p.Scores = append(l.p.Scores[max(0, n+1-mostScores):n:n], next)
		}
	}
	m, _ := of.(workbench.Bits)
	l.tell(&l.p, m.Model)
}

// maxShown is up to how many images the first start is shown image by image.
const maxShown = 200

// see tells of a step of learning.
func (l *learning) see(s *workbench.Step) {
	described, unit := nats(-s.DescriptionLength/float64(s.Rows)), perImage
	if l.rows.set.Table {
		unit = perRow
	}
	switch {
	case l.Numbers != nil:
		l.step(nil, func(p *progress) {
			p.Trial, p.Trials, p.Stage, p.Iteration = s.Start+1, s.Starts, s.Stage, s.Experts
			p.Score, p.Unit = described, unit
		})
	case l.Table != nil:
		l.step(s.Model, func(p *progress) {
			if p.Stage, p.Iteration = s.Stage, p.Iteration+1; !s.Candidate {
				return
			}
			p.Trial, p.Score, p.Unit = p.Trial+1, described, perRow
			if s.HiddenBits > 0 {
				p.Score, p.Unit = nats(-s.HiddenLoss), perHidden
			}
		})
	case s.Stage == learn.StageOnline:
		if s.Start == 0 && l.Images <= maxShown {
			l.step(s.Model, func(p *progress) { p.Stage, p.Iteration = s.Stage, s.Iteration+1 })
		}
	case s.Stage == learn.StageStart:
		l.step(s.Model, func(p *progress) {
			p.Stage, p.Trial, p.Iteration, p.Score, p.Unit = s.Stage, s.Start+1, 0, nats(s.LogLik/l.Pixels), perPixel
		})
	case s.Stage == learn.StageEM, s.Stage == learn.StagePolish, s.Stage == learn.StageExact, s.Stage == learn.StageMove:
		l.step(nil, func(p *progress) {
			if p.Stage == learn.StageOnline || p.Stage == "" {
				p.Stage, p.Iteration = learn.StageStart, 0
			}
			p.Iteration++
		})
	default:
		l.step(s.Model, func(p *progress) {
			p.Stage, p.Trial, p.Score, p.Unit = s.Stage, p.Trial+1, described, perImage
		})
	}
}
