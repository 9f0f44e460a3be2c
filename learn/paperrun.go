package learn

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// paperStart runs start i of a learning run in the mode of the paper: online
// learning, EM from random templates, or EM from where online learning ended.
// The data must have been checked to fit the configuration.
func paperStart(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt LearnOptions, i int) (Trial, error) {
	opt = opt.WithDefaults(cfg)
	m, how, err := (*patchwork.Model)(nil), "order", error(nil)
	if opt.Method == BatchLearning {
		how = "random"
		m, err = RandomModel(cfg, opt.Experts, rng(opt.Seed, i))
	} else {
		for step, failed := range paperSteps(ctx, data, cfg, opt, i) {
			m, err = step, failed
		}
	}
	if err != nil {
		return Trial{}, err
	}
	iterations := opt.Iterations
	if opt.Method == OnlineLearning {
		iterations = 0
	}
	m, t, err := em(m, iterations, func(m *patchwork.Model) (*patchwork.Tally, error) {
		how := patchwork.PursuitOptions{Forced: true, Refine: opt.Refine, RefineThreshold: -1}
		return patchwork.Explain(ctx, m, data, how, opt.Workers, nil)
	})
	if err != nil {
		return Trial{}, err
	}
	return Trial{Start: patchwork.Start{Seed: opt.Seed, Score: t.LogLik(), Method: how}, Index: i, Model: m, Tally: t}, nil
}

// paperSteps yields the model after each image of the online pass of start i.
func paperSteps(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt LearnOptions, i int) iter.Seq2[*patchwork.Model, error] {
	return func(yield func(*patchwork.Model, error) bool) {
		o := newOnline(cfg, opt.Experts, fastPursuit)
		for _, n := range Order(len(data.Images), opt.Seed, i) {
			for range data.Weight(n) {
				err := ctx.Err()
				if err == nil {
					err = o.learn(data.Images[n])
				}
				if err != nil {
					yield(nil, fmt.Errorf("image %d: %w", n, err))
					return
				}
			}
			if data.Weight(n) > 0 && !yield(o.model, nil) {
				return
			}
		}
	}
}

// fastPursuit explains an image as matchingPursuit does, by patchwork.Pursuit.
func fastPursuit(m *patchwork.Model, x *bitmap.Image) ([]patchwork.Pick, error) {
	p, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{Forced: true})
	if err != nil {
		return nil, err
	}
	picks, err := p.Picks(x)
	if err != nil {
		return nil, err
	}
	return slices.Collect(picks), nil
}
