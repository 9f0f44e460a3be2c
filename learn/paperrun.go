package learn

import (
	"context"
	"fmt"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// PaperConfig returns the configuration of the paper for images of height x width
// under the given poses: q = 0 and truncated templates for the max rule, q = 1/2
// for max-minus-min, epsilon = 1. Use it with Options.Paper.
func PaperConfig(rule patchwork.Rule, height, width int, poses pose.Grid) patchwork.Config {
	c := patchwork.NewConfig(rule, height, width, poses)
	c.Truncate, c.Prior = rule == patchwork.RuleMax, patchwork.Prior{On: 1, Off: 1}
	if rule == patchwork.RuleMax {
		c.Q = 0
	}
	return c
}

// paperStart runs start i of a learning run in the mode of the paper: online
// learning, EM from random templates, or EM from the result of online learning.
// The data must have been checked to fit the configuration.
func paperStart(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options, i int) (trial, error) {
	how, m, err := begin(ctx, data, cfg, opt, i)
	if err != nil {
		return trial{}, err
	}
	iterations := opt.Iterations
	if opt.Method == MethodOnline {
		iterations = 0
	}
	n := 0
	m, t, err := em(m, iterations, func(m *patchwork.Model) (*patchwork.Tally, error) {
		t, err := opt.eStep(ctx, m, data)
		if err == nil && iterations > 0 {
			opt.tell(iteration{Number: n, Model: m, Tally: t}.step())
			n++
		}
		return t, err
	})
	if err != nil {
		return trial{}, err
	}
	return trial{Start: patchwork.Start{Seed: opt.Seed, Score: t.LogLik(), Method: how}, Index: i, Model: m, Tally: t}, nil
}

// eStep explains all images of a source and counts.
func (o Options) eStep(ctx context.Context, m *patchwork.Model, src patchwork.Source) (*patchwork.Tally, error) {
	return patchwork.EStep(ctx, m, src, o.pursuit(), o.Workers, nil)
}

// An image of large weight counts for all the times that are left at once when its picks
// were the same so many times in a row, or when it was explained so often in all.
const (
	repeatsAlike = 64
	repeatsInAll = 1000
)

// repeat learns image i of a source weight times in a row.
func (o *online) repeat(ctx context.Context, i int, img *bitmap.Image, weight int64) error {
	if img.Height() != o.cfg.Height || img.Width() != o.cfg.Width {
		return fmt.Errorf("image %d: %w", i, &patchwork.SizeError{Height: img.Height(), Width: img.Width(),
			ModelHeight: o.cfg.Height, ModelWidth: o.cfg.Width})
	}
	same := 0
	for left := weight; left > 0; left-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		if same == repeatsAlike || weight-left == repeatsInAll {
			return o.learnAll(img, left)
		}
		before := o.picks
		if err := o.learn(img); err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
		if same++; left == weight || !samePicks(o.picks, before) {
			same = 0
		}
	}
	return nil
}

// samePicks reports whether two explanations place the same experts at the same poses.
func samePicks(a, b []patchwork.Pick) bool {
	return slices.EqualFunc(a, b, func(x, y patchwork.Pick) bool { return x.Expert == y.Expert && x.Pose == y.Pose })
}

// learnAll learns an image weight times, all of them as the first.
func (o *online) learnAll(img *bitmap.Image, weight int64) error {
	before := o.sums.clone()
	err := o.learn(img)
	if err != nil {
		return err
	}
	o.sums.addAgain(before, weight-1)
	o.rows += weight - 1
	o.model, err = o.step(o.model)
	return err
}

// clone returns a copy of the sums.
func (s *sums) clone() *sums {
	return &sums{On: slices.Clone(s.On), Seen: slices.Clone(s.Seen), LostOn: slices.Clone(s.LostOn),
		LostSeen: slices.Clone(s.LostSeen)}
}

// addAgain adds n times what was added since before.
func (s *sums) addAgain(before *sums, n int64) {
	for _, c := range [][2][]int64{{s.On, before.On}, {s.Seen, before.Seen}, {s.LostOn, before.LostOn},
		{s.LostSeen, before.LostSeen}} {
		for i := range c[0] {
			c[0][i] += n * (c[0][i] - c[1][i])
		}
	}
}
