package patchwork_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// The refining sweeps never lower log-likelihood minus threshold and costs of
// the picks, and end where no single replacement, removal or addition raises
// it. Checked against composing whole images.
func TestRefineClimbsToTheTop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.InnerLevel)
		m := testkit.DrawModel(t, c, testkit.InnerLevel)
		img := testkit.DrawImage(t, c.Height, c.Width, "#.?")
		opt := patchwork.PursuitOptions{
			Search: patchwork.SearchRefined, RefineSweeps: 1000,
			RefineThreshold: rapid.SampledFrom([]float64{-1, 0, 0.4}).Draw(t, "threshold"),
			Forced:          rapid.Bool().Draw(t, "forced"),
			Reuse:           rapid.IntRange(1, 2).Draw(t, "reuse"),
			MaxPicks:        rapid.SampledFrom([]int{0, 0, 2}).Draw(t, "most picks"),
		}
		if c.Rule == patchwork.Max {
			opt.Scoring = rapid.SampledFrom([]patchwork.Scoring{patchwork.Original, patchwork.Truncated}).Draw(t, "scoring")
		}
		if rapid.Bool().Draw(t, "costs") {
			opt.Costs = rapid.SliceOfN(rapid.Float64Range(0, 1), m.K(), m.K()).Draw(t, "costs")
		}
		checkTop(t, m, img, opt)
	})
}

// Scenes of a row of ink under three soft experts that may be used twice: here
// a sweep replaces often, and must then visit again what it had left alone.
func TestRefineVisitsAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		templates := testkit.Make2D(3, 4)
		for _, mu := range templates {
			for i := range mu {
				mu[i] = []float64{0.05, 0.3, 0.6, 0.95}[rng.IntN(4)]
			}
		}
		m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 4, Q: 0.05, Truncate: true,
			Poses: pose.Grid{DX: pose.Symmetric(2, 1)}}, templates)
		img := bitmap.New(1, 4)
		for x := range 4 {
			img.Set(0, x, rng.IntN(4) > 0)
		}
		checkTop(t, m, img, patchwork.PursuitOptions{Search: patchwork.SearchRefined, RefineThreshold: -1, RefineSweeps: 1000, Reuse: 2})
	}
}

// failer is a test, or a case of a property.
type failer interface {
	Fatal(...any)
	Fatalf(string, ...any)
}

// checkTop refines an explanation and looks for a step that would improve it.
func checkTop(t failer, m *patchwork.Model, img *bitmap.Image, opt patchwork.PursuitOptions) {
	c := m.Config()
	threshold := max(opt.RefineThreshold, 0)
	if opt.RefineThreshold == 0 {
		threshold = math.Log(float64(m.K() * c.Poses.Len()))
	}
	objective := func(picks []patchwork.Pick) float64 {
		sum := patchwork.LogLik(img, m.Compose(c.Height, c.Width, picks).P)
		for _, p := range picks {
			sum -= threshold
			if opt.Costs != nil {
				sum -= opt.Costs[p.Expert]
			}
		}
		return sum
	}
	refined := testkit.MustExplain(t, m, img, opt)
	checkRefined(t, m, refined, img, opt)
	got := objective(refined.Picks)
	plain := opt
	plain.Search = patchwork.SearchPaper
	if greedy := objective(testkit.MustExplain(t, m, img, plain).Picks); got < greedy-1e-7 {
		t.Fatalf("refining lowered the objective from %v to %v", greedy, got)
	}
	for j := range refined.Picks {
		others := slices.Delete(slices.Clone(refined.Picks), j, j+1)
		if forcedOne := opt.Forced && len(others) == 0; !forcedOne && objective(others) > got+1e-7 {
			t.Fatalf("dropping pick %d of %+v raises the objective from %v to %v", j, refined.Picks, got, objective(others))
		}
		if better, ok := bestAddition(m, others, opt, objective); ok && better > got+1e-7 {
			t.Fatalf("replacing pick %d of %+v raises the objective from %v to %v", j, refined.Picks, got, better)
		}
	}
	if opt.MaxPicks > 0 && len(refined.Picks) >= opt.MaxPicks {
		return
	}
	if better, ok := bestAddition(m, refined.Picks, opt, objective); ok && better > got+1e-7 {
		t.Fatalf("adding to %+v raises the objective from %v to %v", refined.Picks, got, better)
	}
}

// bestAddition is the largest objective with one pick more, ok if one may be had.
func bestAddition(m *patchwork.Model, picks []patchwork.Pick, opt patchwork.PursuitOptions, objective func([]patchwork.Pick) float64) (best float64, ok bool) {
	best = math.Inf(-1)
	for k := range m.K() {
		used := 0
		for _, p := range picks {
			if p.Expert == k {
				used++
			}
		}
		if used >= opt.Reuse {
			continue
		}
		for i := range m.Config().Poses.Len() {
			ok = true
			best = max(best, objective(append(slices.Clip(picks), patchwork.Pick{Expert: k, Pose: m.Config().Poses.At(i)})))
		}
	}
	return best, ok
}

// checkRefined checks limits and that the numbers belong to the picks.
func checkRefined(t failer, m *patchwork.Model, e *patchwork.Explanation, img *bitmap.Image, opt patchwork.PursuitOptions) {
	if opt.MaxPicks > 0 && len(e.Picks) > opt.MaxPicks {
		t.Fatalf("%d picks, at most %d asked for", len(e.Picks), opt.MaxPicks)
	}
	if opt.Forced && len(e.Picks) == 0 {
		t.Fatal("nothing picked by force")
	}
	used := make([]int, m.K())
	for j, p := range e.Picks {
		if used[p.Expert]++; used[p.Expert] > opt.Reuse {
			t.Fatalf("expert %d is used %d times", p.Expert, used[p.Expert])
		}
		before := patchwork.LogLik(img, m.Compose(img.Height(), img.Width(), e.Picks[:j]).P)
		after := patchwork.LogLik(img, m.Compose(img.Height(), img.Width(), e.Picks[:j+1]).P)
		if !testkit.About(p.Gain, after-before) {
			t.Fatalf("pick %d gains %v, is said to gain %v", j, after-before, p.Gain)
		}
	}
	if want := patchwork.LogLik(img, m.Compose(img.Height(), img.Width(), e.Picks).P); !testkit.About(e.LogLik, want) || !testkit.About(e.LogLikModel, want) {
		t.Fatalf("LogLik %v, LogLikModel %v, composed %v", e.LogLik, e.LogLikModel, want)
	}
}

// The text of section 3: "If we allow for an iterative procedure then the
// scene can also be resolved with the original templates." Here the greedy
// pursuit falls for a wide bar, and a sweep takes it back.
func TestRefineTakesBackAGreedyMistake(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 8, Q: 0.1}, [][]float64{
		{0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0}, // most of both
		{0.9, 0.9, 0.9, 0.9, 0, 0, 0, 0},
		{0, 0, 0, 0, 0.9, 0.9, 0.9, 0.9},
	})
	img := bitmap.Parse("########")
	experts := func(e *patchwork.Explanation) (ks []int) {
		for _, p := range e.Picks {
			ks = append(ks, p.Expert)
		}
		slices.Sort(ks)
		return ks
	}
	if got := experts(testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Search: patchwork.SearchPaper})); !slices.Equal(got, []int{0, 1, 2}) {
		t.Fatalf("greedy: experts %v; this example should mislead it", got)
	}
	if got := experts(testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Search: patchwork.SearchRefined})); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("refined: experts %v", got)
	}
}

// A threshold drops what barely pays: ink of one stray pixel.
func TestRefineThreshold(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 2, Width: 2, Q: 0.1, Scene: true}, [][]float64{{0.9, 0.9, 0.9, 0.9}, {0.9, 0, 0, 0}})
	img := bitmap.Parse(
		"##....",
		"##....",
		"....#.",
		"......")
	e := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Reuse: 3})
	if len(e.Picks) != 1 || e.Picks[0].Pose != (pose.Pose{}) {
		t.Errorf("picks %+v, want the square alone: one pixel gains %v nats, the threshold is log(30)", e.Picks, math.Log(9))
	}
	e = testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Search: patchwork.SearchRefined, RefineThreshold: -1, Reuse: 3})
	if len(e.Picks) < 2 {
		t.Errorf("without a threshold: picks %+v", e.Picks)
	}
}

// Among equals a sweep leaves the pick where it is: trading them would never
// end. Under the truncated search expert 1 wins, under the original likelihood
// both gain log 24.
func TestRefineKeepsATie(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2, Q: 0.1, Truncate: true}, [][]float64{{0.6, 0.4}, {0.8, 0.3}})
	e := testkit.MustExplain(t, m, bitmap.Parse("##"), patchwork.PursuitOptions{Search: patchwork.SearchRefined, MaxPicks: 1})
	if len(e.Picks) != 1 || e.Picks[0].Expert != 1 || !testkit.About(e.Picks[0].Gain, math.Log(24)) {
		t.Errorf("picks %+v, want expert 1 with log 24", e.Picks)
	}
}
