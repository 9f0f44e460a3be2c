package patchwork_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/pose"
	"pgregory.net/rapid"
)

// TestEasyCallsAreThePursuit checks that the easy calls return what a pursuit with
// the default settings does, from several goroutines, and also for a copy of the
// model with another configuration.
func TestEasyCallsAreThePursuit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.AnyLevel)
		m := testkit.DrawModel(t, c, testkit.AnyLevel)
		img := testkit.DrawImage(t, c.Height, c.Width, "#.?")
		checkEasy(t, m, img)
		c = m.Config()
		c.Reuse = 3
		other, err := m.WithConfig(c)
		if err != nil {
			t.Fatal(err)
		}
		checkEasy(t, other, img)
	})
}

func checkEasy(t *rapid.T, m *patchwork.Model, img *bitmap.Image) {
	want := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{})
	var wait sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wait.Go(func() {
			e, err := m.Explain(img)
			if err == nil && !testkit.SameExplanation(e, want) {
				err = errors.New("another explanation than the pursuit's")
			}
			errs[i] = err
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got, err := m.LogLik(img); err != nil || got != want.LogLikModel {
		t.Fatalf("LogLik %v, %v, want %v", got, err, want.LogLikModel)
	}
}

// TestEasyCallsRefuseOtherSizes checks that the easy calls return a *SizeError for
// an image of another size.
func TestEasyCallsRefuseOtherSizes(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 4, Q: 0.1}, testkit.Make2D(2, 4))
	var size *patchwork.SizeError
	if _, err := m.Explain(bitmap.New(2, 4)); !errors.As(err, &size) {
		t.Errorf("Explain: %v", err)
	}
	if _, err := m.LogLik(bitmap.New(2, 4)); !errors.As(err, &size) {
		t.Errorf("LogLik: %v", err)
	}
	if _, err := m.Explain(bitmap.New(1, 4)); err != nil {
		t.Errorf("after an error: %v", err)
	}
}

// TestSampleIsPicksThenPixels checks that Sample draws the picks, then the pixels.
func TestSampleIsPicksThenPixels(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 2, Width: 2, Q: 0.1}, [][]float64{{.9, .5, .2, 0}, {0, .4, .6, .8}})
	img, picks := m.Sample(rand.New(rand.NewPCG(1, 2)))
	rng := rand.New(rand.NewPCG(1, 2))
	wantPicks := m.SamplePicks(rng)
	want := bitmap.Sample(rng, 2, 2, m.Compose(2, 2, wantPicks).P)
	if img.String() != want.String() || !slices.Equal(picks, wantPicks) {
		t.Errorf("%v %v, want %v %v", img, picks, want, wantPicks)
	}
}

// TestSearchAuto checks that by default experts that can move are searched for by
// the refined pursuit, unless Scoring is set, and tables are explained greedily.
func TestSearchAuto(t *testing.T) {
	templates := [][]float64{{0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0}, {0.9, 0.9, 0.9, 0.9, 0, 0, 0, 0}, {0, 0, 0, 0, 0.9, 0.9, 0.9, 0.9}}
	img := bitmap.Parse("########")
	still := patchwork.Config{Height: 1, Width: 8, Q: 0.1}
	shifted, scene := still, still
	shifted.Poses, scene.Scene = pose.Grid{DY: pose.Symmetric(1, 1)}, true
	for _, c := range []struct {
		cfg   patchwork.Config
		opt   patchwork.PursuitOptions
		picks int // 3 if greedy, 2 if refined
	}{
		{still, patchwork.PursuitOptions{}, 3},
		{still, patchwork.PursuitOptions{Refined: true}, 2},
		{shifted, patchwork.PursuitOptions{}, 2},
		{shifted, patchwork.PursuitOptions{Scoring: patchwork.ScoringOriginal}, 3},
		{shifted, patchwork.PursuitOptions{Refined: true, Scoring: patchwork.ScoringOriginal}, 2},
		{shifted, patchwork.PursuitOptions{Paper: true}, 3},
		{scene, patchwork.PursuitOptions{}, 2},
	} {
		m := testkit.MustModel(t, c.cfg, templates)
		if e := testkit.MustExplain(t, m, img, c.opt); len(e.Picks) != c.picks {
			t.Errorf("%+v, %+v: %d picks, want %d", c.cfg.Poses, c.opt, len(e.Picks), c.picks)
		}
	}
}
