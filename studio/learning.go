package studio

import (
	"context"
	"errors"
	"math"
	"runtime"

	"example.com/patchwork"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
	"example.com/patchwork/workbench"
)

// stand is where learning is.
type stand struct {
	Trial     int    `json:"trial" doc:"models tried so far"`
	Trials    int    `json:"trials" doc:"0: not known in advance"`
	Stage     string `json:"stage" doc:"online: the first start, image by image; start: complete starts; otherwise the stage of the search for the number of parts"`
	Iteration int    `json:"iteration" doc:"images learned so far when online, otherwise sweeps over the images, or parts of numbers"`
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
	case out.Mixed != nil:
		return out, l.checkParts(1, facts.Width, pose.Grid{}, 1)
	case out.Numbers != nil:
		return out, l.checkParts(facts.Height, facts.Width, out.Numbers.Poses, 1)
	}
	return out, l.checkParts(out.Config.Height, out.Config.Width, out.Config.Poses, out.Recipe.Most())
}

// run learns. If the context ends with errStopped, it returns the best model so
// far.
func (l *learning) run(ctx context.Context) (out outcome, err error) {
	l.p = progress{Scores: []scored{}}
	l.p.Score, l.p.Best = nats(math.NaN()), nats(math.Inf(-1))
	l.p.Height, l.p.Width = l.rows.set.Size()
	for s, err := range l.Steps(ctx) {
		switch {
		case errors.Is(err, errStopped):
			return out, errNothing
		case err != nil:
			return out, err
		case !s.Final:
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

// see tells of a step of learning. Trials are starts, or where there are none models that may be chosen.
func (l *learning) see(s *workbench.Step) {
	p, score := &l.p, math.NaN()
	p.Stage, p.Trials, p.Iteration = s.Stage, s.Starts, s.Iteration+1
	if s.Model == nil {
		p.Iteration = s.Experts
	}
	if s.Starts > 0 {
		p.Trial = max(p.Trial, s.Start+1)
	} else if s.Candidate {
		p.Trial++
	}
	switch {
	case s.HiddenBits > 0:
		score, p.Unit = -s.HiddenLoss, "minus the loss per hidden cell, nats"
	case s.Stage == learn.StageStart:
		score, p.Unit = s.LogLik/l.Pixels, "log-likelihood per pixel, nats"
	case s.DescriptionLength != 0 && (l.Plan == nil || l.Table != nil || l.Learn.Experts == 0): // else starts tell
		score, p.Unit = -s.DescriptionLength/float64(s.Rows), "minus the description length per row or image, nats"
	}
	if !math.IsNaN(score) {
		p.Score, p.Best = nats(score), nats(max(float64(p.Best), score))
		next := scored{p.Trial, p.Score}
		if n := len(p.Scores); n == 0 || p.Scores[n-1] != next {
			p.Scores = append(p.Scores[max(0, n+1-mostScores):n:n], next)
		}
	}
	m, _ := s.Model.(workbench.Bits)
	l.tell(p, m.Model)
}
