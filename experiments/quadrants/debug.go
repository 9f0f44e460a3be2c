package quadrants

import (
	"context"

	"example.com/patchwork"
	"example.com/patchwork/dataset/synth"
	"example.com/patchwork/pose"
)

func Debug(ctx context.Context, o Options, set int, f func(string, *patchwork.Model)) {
	seed := o.Seed*1_000_003 + uint64(set)
	train, _ := synth.Quadrants(synth.QuadrantsOptions{N: o.N, Seed: seed})
	data := patchwork.Data{Images: train.Images}
	cfg := patchwork.DefaultConfig(o.Mode, patchwork.MaxMinusMin, train.Truth.Side, train.Truth.Side, pose.Grid{})
	opt := patchwork.LearnOptions{Experts: synth.QuadrantExperts, Mode: o.Mode, Seed: seed, Workers: o.Workers}
	m, _ := patchwork.Learn(ctx, data, cfg, opt)
	f("learned", m)
	m2, _ := patchwork.Improve(ctx, m, data, opt)
	f("again", m2)
	truth, _ := patchwork.NewModel(cfg, train.Truth.Experts)
	limit, _ := patchwork.Improve(ctx, soften(truth), data, opt)
	f("limit", limit)
}
