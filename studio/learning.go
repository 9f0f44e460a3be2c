package studio

import (
	"context"
	"errors"
	"math"
	"sync"

	"example.com/patchwork/learn"
	"example.com/patchwork/table"

	"example.com/patchwork"
)

// progress is the progress of learning.
type progress struct {
	Trial     int    `json:"trial" doc:"models tried so far"`
	Trials    int    `json:"trials" doc:"0: not known in advance"`
	Stage     string `json:"stage" doc:"online: the first start, image by image; start: complete starts; otherwise the stage of the search for the number of experts"`
	Iteration int    `json:"iteration" doc:"images learned so far when online, otherwise sweeps over the images"`
	Score     nats   `json:"score" doc:"of the latest model, in nats, larger is better: log-likelihood per known pixel, minus the loss per hidden bit, or minus the description length per image"`
	Best      nats   `json:"best" doc:"the largest score"`
	Height    int    `json:"height"`
	Width     int    `json:"width"`
	Templates []f32  `json:"templates" doc:"of the latest model; none if they have more than 262,144 numbers"`
}

// outcome is the result of learning.
type outcome struct {
	model *patchwork.Model
	// starts, if not 0, is the number of starts before learning was stopped: as
	// many give the same model. -1: no command line does.
	starts int
}

var (
	errStopped = errors.New("learning was stopped")
	errNothing = errors.New("stopped before the first model")
)

// learning is one run of a plan.
type learning struct {
	*plan
	data   patchwork.Data
	tell   func(p *progress, m *patchwork.Model) // m is the latest model, or nil if there is no new one
	unseen bool                                  // nobody watches

	mu sync.Mutex // guards p: several goroutines count sweeps
	p  progress
}

// run learns. If the context ends with errStopped, it returns the best model so
// far.
func (l *learning) run(ctx context.Context) (outcome, error) {
	l.p = progress{Score: nats(math.NaN()), Best: nats(math.Inf(-1)), Height: l.cfg.Height, Width: l.cfg.Width}
	switch {
	case l.table != nil:
		return l.rows(ctx)
	case l.auto:
		return l.search(ctx, learn.Auto(ctx, l.data, l.cfg, learn.AutoOptions{Learn: l.learn, MaxExperts: maxGrown}))
	}
	return l.starts(ctx)
}

// step reports a new model.
func (l *learning) step(m *patchwork.Model, change func(p *progress)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.p)
	if s := float64(l.p.Score); !math.IsNaN(s) {
		l.p.Best = nats(max(float64(l.p.Best), s))
	}
	l.tell(&l.p, m)
}

// sweeps counts the E-steps of a run: it is a memory that stores nothing.
type sweeps struct{ l *learning }

func (s sweeps) Recall(string) ([]byte, bool, error) { return nil, false, nil }

func (s sweeps) Keep(string, []byte) error {
	s.l.step(nil, func(p *progress) { p.Iteration++ })
	return nil
}

// remembered returns the data with that memory.
func (l *learning) remembered() patchwork.Data {
	d := l.data
	d.Memory = sweeps{l}
	return d
}

// maxShown is the maximum number of images for showing the first start image by
// image.
const maxShown = 200

// starts runs the starts. If the first is online, it runs twice, once to be
// shown.
func (l *learning) starts(ctx context.Context) (outcome, error) {
	opt := l.learn.WithDefaults(l.cfg)
	l.p.Trials = opt.Starts
	shown, err := l.show(ctx, opt)
	if err != nil {
		return outcome{}, err
	}
	pixels := 0.0
	for i, img := range l.data.Images {
		pixels += float64(l.data.Weight(i)) * float64(img.CountKnown())
	}
	var trials []learn.Trial
	for t, err := range learn.Starts(ctx, l.remembered(), l.cfg, l.learn) {
		if errors.Is(context.Cause(ctx), errStopped) {
			return l.stopped(trials, shown)
		}
		if err != nil {
			return outcome{}, err
		}
		trials = append(trials, t)
		l.step(t.Model, func(p *progress) { p.Stage, p.Trial, p.Score = "start", len(trials), nats(t.Score/pixels) })
	}
	m, err := learn.Choose(ctx, l.remembered(), l.cfg, l.learn, trials)
	if errors.Is(context.Cause(ctx), errStopped) {
		return l.stopped(trials, shown)
	}
	return outcome{model: m}, err
}

// show runs the first start image by image, if it is online. It returns the
// last model.
func (l *learning) show(ctx context.Context, opt learn.LearnOptions) (*patchwork.Model, error) {
	if l.unseen || opt.Method == learn.BatchLearning || len(l.data.Images) > maxShown {
		return nil, nil
	}
	var last *patchwork.Model
	for m, err := range learn.OnlineSteps(ctx, l.data, l.cfg, opt, 0) {
		if errors.Is(context.Cause(ctx), errStopped) {
			return last, nil
		}
		if err != nil {
			return nil, err
		}
		last = m
		l.step(m, func(p *progress) { p.Stage, p.Iteration = "online", p.Iteration+1 })
	}
	l.step(nil, func(p *progress) { p.Stage, p.Iteration = "start", 0 })
	return last, nil
}

// stopped returns the best of the starts so far, without the improvement that a
// complete run adds.
func (l *learning) stopped(trials []learn.Trial, shown *patchwork.Model) (outcome, error) {
	switch {
	case len(trials) == 0 && shown == nil:
		return outcome{}, errNothing
	case len(trials) == 0:
		return outcome{shown, -1}, nil
	case trials[0].DescriptionLength != 0:
		best := trials[0]
		for _, t := range trials {
			if t.DescriptionLength < best.DescriptionLength {
				best = t
			}
		}
		return outcome{best.Model, -1}, nil
	}
	m, err := learn.Choose(context.Background(), l.data, l.cfg, l.learn, trials)
	if len(trials) == 1 {
		return outcome{m, -1}, err // a run of one start judges it differently
	}
	return outcome{m, len(trials)}, err
}

// search runs a search for the number of experts.
func (l *learning) search(ctx context.Context, steps func(func(learn.AutoStep, error) bool)) (outcome, error) {
	var best, last *patchwork.Model
	highest := math.Inf(-1)
	for s, err := range steps {
		if errors.Is(context.Cause(ctx), errStopped) {
			if best == nil {
				return outcome{}, errNothing
			}
			return outcome{best, -1}, nil
		}
		if err != nil {
			return outcome{}, err
		}
		score := -s.DescriptionLength / float64(s.Rows)
		if last = s.Model; score > highest {
			best, highest = s.Model, score
		}
		l.step(s.Model, func(p *progress) { p.Stage, p.Trial, p.Score = s.Stage, p.Trial+1, nats(score) })
	}
	return outcome{model: last}, nil
}

// rows learns a table by table.Run.
func (l *learning) rows(ctx context.Context) (outcome, error) {
	var best *patchwork.Model
	for s, err := range table.Run(ctx, l.data, l.cfg, *l.table) {
		if errors.Is(context.Cause(ctx), errStopped) {
			if best == nil {
				return outcome{}, errNothing
			}
			return outcome{best, -1}, nil
		}
		if err != nil {
			return outcome{}, err
		}
		best = s.Best
		l.step(s.Model, func(p *progress) {
			if p.Stage, p.Iteration = s.Stage, p.Iteration+1; !s.Candidate {
				return
			}
			p.Trial, p.Score = p.Trial+1, nats(-s.DescriptionLength/float64(s.Rows))
			if s.HiddenBits > 0 {
				p.Score = nats(-s.HiddenLoss)
			}
		})
	}
	return outcome{model: best}, nil
}
