package patchwork_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// countdown is a context that ends after it was asked so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestWithin: a search that is interrupted anywhere returns the error of its context, and the pursuit
// then explains as a new one does; one that is not finds the same as without a context.
func TestWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	shift := pose.Symmetric(2, 1)
	for _, c := range []struct {
		rule  patchwork.Rule
		poses pose.Grid
		opt   patchwork.PursuitOptions
	}{
		{patchwork.RuleMax, pose.Grid{DY: shift, DX: shift}, patchwork.PursuitOptions{Refined: true}},
		{patchwork.RuleMaxMinusMin, pose.Grid{DY: shift, DX: shift, Angles: []float64{-20, 0, 20}}, patchwork.PursuitOptions{Refined: true, Calibrated: true}},
		{patchwork.RuleMaxMinusMin, pose.Grid{}, patchwork.PursuitOptions{}},
	} {
		const side = 24
		templates := make([][]float64, 3)
		for k := range templates {
			for i := range side * side {
				p := .5
				if i%7 == k || i/side == 5*k {
					p = .2 + .6*rng.Float64()
				}
				templates[k] = append(templates[k], p)
			}
		}
		m, err := patchwork.NewModel(patchwork.NewConfig(c.rule, side, side, c.poses), templates)
		if err != nil {
			t.Fatal(err)
		}
		p, err := patchwork.NewPursuit(m, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		img := bitmap.New(side, side)
		for i := range side * side {
			img.Set(i/side, i%side, i%7 == 1 || i/side == 5)
		}
		want, err := p.Fork().Explain(img)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		for step, n := 1, 0; ; n, step = n+step, step+step/3+1 {
			ctx := &countdown{t.Context(), n}
			p.Within(ctx)
			got, err := p.Explain(img)
			if err == nil {
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%v: with a context %v, without %v", c.rule, got, want)
				}
				break
			}
			if asked++; !errors.Is(err, context.Canceled) || got != nil {
				t.Fatalf("%v: %v, %v", c.rule, got, err)
			}
			p.Within(context.Background())
			if got, err = p.Explain(img); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%v: after an interruption %v, %v; want %v", c.rule, got, err, want)
			}
		}
		if asked < 1 {
			t.Errorf("%v: never interrupted", c.rule)
		}
	}
}
