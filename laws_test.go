package patchwork_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/gauss"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/pose"
	"example.com/patchwork/rule"
	"pgregory.net/rapid"
)

// TestComposeIsOrderFree checks that P does not depend on the order of the picks,
// and that k* and l* of a permutation are picks with the same opinions.
func TestComposeIsOrderFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := testkit.DrawModel(t, testkit.DrawConfig(t, testkit.AnyLevel), testkit.AnyLevel)
		h, w := m.Height(), m.Width()
		picks := testkit.DrawPicks(t, m, 0, 5)
		permuted := rapid.Permutation(picks).Draw(t, "order")
		a, b := m.Compose(h, w, picks), m.Compose(h, w, permuted)
		if !slices.Equal(a.P, b.P) {
			t.Fatalf("%v, permuted %v", a.P, b.P)
		}
		for i := range a.P {
			if (a.Max[i] < 0) != (b.Max[i] < 0) || (a.Min[i] < 0) != (b.Min[i] < 0) {
				t.Fatalf("pixel %d is spoken for by %d, %d; permuted by %d, %d", i, a.Max[i], a.Min[i], b.Max[i], b.Min[i])
			}
		}
	})
}

// TestComposeIsTheRule checks that Compose applies the rule of package rule to the
// opinions of the placed experts, pixel by pixel, and finds the picks with the
// extremal ones.
func TestComposeIsTheRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := testkit.DrawModel(t, testkit.DrawConfig(t, testkit.AnyLevel), testkit.AnyLevel)
		h, w := m.Height(), m.Width()
		picks := testkit.DrawPicks(t, m, 0, 5)
		placed := make([][]float64, len(picks))
		for j, pick := range picks {
			placed[j] = m.Place(h, w, pick)
		}
		got := m.Compose(h, w, picks)
		for i := range got.P {
			q := m.Abstention(i)
			gamma := rule.Rule(rule.Max{Q: q})
			if m.Config().Rule == patchwork.RuleMaxMinusMin {
				gamma = rule.MaxMinusMin{Q: q}
			}
			k, l := int16(-1), int16(-1)
			opinions := make([]float64, len(picks))
			for j := range picks {
				p := placed[j][i]
				opinions[j] = p
				if p > q && (k < 0 || p > opinions[k]) {
					k = int16(j)
				}
				if m.Config().Rule == patchwork.RuleMaxMinusMin && p < q && (l < 0 || p < opinions[l]) {
					l = int16(j)
				}
			}
			if want := gamma.Compose(opinions...); math.Abs(got.P[i]-want) > 1e-15 {
				t.Fatalf("pixel %d: %v, the rule has %v", i, got.P[i], want)
			}
			if got.Max[i] != k || got.Min[i] != l {
				t.Fatalf("pixel %d: k* = %d, l* = %d; want %d, %d of %v around %v", i, got.Max[i], got.Min[i], k, l, opinions, q)
			}
		}
	})
}

// TestExplanationIsItsComposition checks the log-likelihoods of an explanation
// against those of the reference composition, under the scoring in force and
// untruncated.
func TestExplanationIsItsComposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.AnyLevel)
		m := testkit.DrawModel(t, c, testkit.AnyLevel)
		img := testkit.DrawImage(t, c.Height, c.Width, "#.?")
		opt := patchwork.PursuitOptions{Forced: rapid.Bool().Draw(t, "forced"), Reuse: 2,
			Scoring: rapid.SampledFrom([]patchwork.Scoring{patchwork.ScoringOriginal, patchwork.ScoringMixed,
				patchwork.ScoringTruncated}).Draw(t, "scoring"), Alpha: 0.8,
			Paper: true}
		if rapid.Bool().Draw(t, "refined") {
			opt.Paper, opt.Refined = false, true
		}
		if c.Rule == patchwork.RuleMaxMinusMin && opt.Scoring == patchwork.ScoringTruncated {
			opt.Scoring = patchwork.ScoringOriginal
		}
		e := testkit.MustExplain(t, m, img, opt)
		opt.Scoring = e.Scoring
		viewed := asScored(t, m, opt)
		h, w := c.Height, c.Width
		if want := patchwork.LogLik(img, viewed.Compose(h, w, e.Picks).P); !testkit.About(e.LogLik, want) {
			t.Fatalf("LogLik %v, composed %v", e.LogLik, want)
		}
		if want := patchwork.LogLik(img, viewed.Compose(h, w, nil).P); !testkit.About(e.StartLogLik, want) {
			t.Fatalf("StartLogLik %v, composed %v", e.StartLogLik, want)
		}
		if want := patchwork.LogLik(img, m.Compose(h, w, e.Picks).P); !testkit.About(e.LogLikModel, want) {
			t.Fatalf("LogLikModel %v, composed %v", e.LogLikModel, want)
		}
		sum, finite := e.StartLogLik, !math.IsInf(e.StartLogLik, -1)
		for _, pick := range e.Picks {
			sum += pick.Gain
			finite = finite && !math.IsInf(pick.Gain, 0)
		}
		if finite && !testkit.About(sum, e.LogLik) {
			t.Fatalf("the gains lead to %v, LogLik is %v", sum, e.LogLik)
		}
	})
}

// asScored returns a model whose opinions and abstention values are mapped as the
// scoring maps them.
func asScored(t interface{ Fatal(...any) }, m *patchwork.Model, opt patchwork.PursuitOptions) *patchwork.Model {
	mapped := func(p float64) float64 { return p }
	switch opt.Scoring {
	case patchwork.ScoringTruncated:
		mapped = func(p float64) float64 { return max(p, 0.5) }
	case patchwork.ScoringMixed:
		mapped = func(p float64) float64 { return opt.Alpha*p + (1-opt.Alpha)/2 }
	}
	c, templates := m.Config(), m.Templates()
	c.Q = mapped(c.Q)
	for i := range c.QMap {
		c.QMap[i] = mapped(c.QMap[i])
	}
	for _, t := range templates {
		for i := range t {
			t[i] = mapped(t[i])
		}
	}
	v, err := patchwork.NewModel(c, templates)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestUnknownPixelsAddNothing checks that an image is explained as if no expert had
// an opinion on its unknown pixels.
func TestUnknownPixelsAddNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.AnyLevel)
		c.Poses = pose.Grid{}
		m := testkit.DrawModel(t, c, testkit.AnyLevel)
		img := testkit.DrawImage(t, c.Height, c.Width, "#.?")
		silent := m.Templates()
		seen := img.Clone()
		for i := range img.Len() {
			if y, x := i/c.Width, i%c.Width; !img.Known(y, x) {
				seen.Set(y, x, rapid.Bool().Draw(t, "hidden value"))
				for _, s := range silent {
					s[i] = m.Abstention(i)
				}
			}
		}
		removed, err := patchwork.NewModel(c, silent)
		if err != nil {
			t.Fatal(err)
		}
		opt := patchwork.PursuitOptions{Forced: rapid.Bool().Draw(t, "forced")}
		a, b := testkit.MustExplain(t, m, img, opt), testkit.MustExplain(t, removed, seen, opt)
		if !slices.Equal(a.Picks, b.Picks) {
			t.Fatalf("with unknown pixels %v, without those entries %v", a.Picks, b.Picks)
		}
	})
}

// TestPursuitIsGreedy checks that in the paper's pursuit every pick is the best
// candidate, the first of equals, and that it stops when no candidate gains
// anything. It compares with composing whole images.
func TestPursuitIsGreedy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.InnerLevel)
		m := testkit.DrawModel(t, c, testkit.InnerLevel)
		img := testkit.DrawImage(t, c.Height, c.Width, "#.?")
		opt := patchwork.PursuitOptions{
			Paper:    true,
			Forced:   rapid.Bool().Draw(t, "forced"),
			MinGain:  rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "least gain"),
			MaxPicks: rapid.IntRange(0, 2).Draw(t, "most picks"),
			Reuse:    rapid.IntRange(0, 2).Draw(t, "reuse"),
		}
		if rapid.Bool().Draw(t, "costs") {
			opt.Costs = rapid.SliceOfN(rapid.Float64Range(-0.2, 2), m.K(), m.K()).Draw(t, "costs")
		}
		e := testkit.MustExplain(t, m, img, opt)
		var picks []patchwork.Pick
		for j := 0; ; j++ {
			best, gain := naiveBest(m, img, picks, opt)
			stop := best < 0 || !(gain > opt.MinGain+1e-9) && !(opt.Forced && j == 0) || opt.MaxPicks > 0 && j == opt.MaxPicks
			if stop != (j == len(e.Picks)) && math.Abs(gain-opt.MinGain) > 1e-8 {
				t.Fatalf("after %d picks the best gains %v; the pursuit has %v", j, gain, e.Picks)
			}
			if j == len(e.Picks) {
				return
			}
			n := m.Config().Poses.Len()
			want := patchwork.Pick{Expert: best / n, Pose: m.Config().Poses.At(best % n)}
			got := e.Picks[j]
			if opt.Costs != nil {
				gain += opt.Costs[want.Expert]
			}
			if got.Expert != want.Expert || got.Pose != want.Pose || !testkit.About(got.Gain, gain) {
				t.Fatalf("pick %d is %+v, the best is %+v with gain %v", j, got, want, gain)
			}
			picks = append(picks, got)
		}
	})
}

// naiveBest composes the image with every candidate. It returns the number of the
// best one, by expert, then pose, and its gain less its cost.
func naiveBest(m *patchwork.Model, img *bitmap.Image, picks []patchwork.Pick, opt patchwork.PursuitOptions) (int,
	float64) {
	used := make([]int, m.K())
	for _, p := range picks {
		used[p.Expert]++
	}
	before := patchwork.LogLik(img, m.Compose(img.Height(), img.Width(), picks).P)
	best, top := -1, math.Inf(-1)
	for k := range m.K() {
		if used[k] >= max(opt.Reuse, max(m.Config().Reuse, 1)) {
			continue
		}
		for i := range m.Config().Poses.Len() {
			with := append(slices.Clip(picks), patchwork.Pick{Expert: k, Pose: m.Config().Poses.At(i)})
			gain := patchwork.LogLik(img, m.Compose(img.Height(), img.Width(), with).P) - before
			if opt.Costs != nil {
				gain -= opt.Costs[k]
			}
			if gain > top+1e-9 {
				best, top = k*m.Config().Poses.Len()+i, gain
			}
		}
	}
	return best, top
}

// TestPursuitIsDeterministic checks that an image gets the same explanation again,
// from a fork, from a new pursuit, and after other images.
func TestPursuitIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.AnyLevel)
		m := testkit.DrawModel(t, c, testkit.AnyLevel)
		opt := patchwork.PursuitOptions{Forced: true, Reuse: 2,
			Paper: rapid.Bool().Draw(t, "paper")}
		opt.Refined = !opt.Paper && rapid.Bool().Draw(t, "refined")
		img, other := testkit.DrawImage(t, c.Height, c.Width, "#.?"), testkit.DrawImage(t, c.Height, c.Width, "#.")
		first := testkit.MustPursuit(t, m, opt)
		want, err := first.Explain(img)
		if err != nil {
			t.Fatal(err)
		}
		fork := first.Fork()
		for _, p := range []*patchwork.Pursuit{first, fork, testkit.MustPursuit(t, m, opt)} {
			if _, err := p.Explain(other); err != nil {
				t.Fatal(err)
			}
			got, err := p.Explain(img)
			if err != nil {
				t.Fatal(err)
			}
			if !testkit.SameExplanation(got, want) {
				t.Fatalf("%+v, at first %+v", got, want)
			}
		}
	})
}

// TestForcedAndEmpty checks that a forced greedy pursuit differs from an unforced
// one only if the latter finds nothing.
func TestForcedAndEmpty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.AnyLevel)
		m := testkit.DrawModel(t, c, testkit.AnyLevel)
		img := testkit.DrawImage(t, c.Height, c.Width, "#.?")
		forced, empty := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Paper: true, Forced: true}),
			testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Paper: true})
		switch {
		case len(forced.Picks) == 0:
			t.Fatal("nothing picked by force")
		case len(empty.Picks) == 0:
			if g := forced.Picks[0].Gain; g > 1e-9 {
				t.Fatalf("empty, though a pick gains %v", g)
			}
		case !testkit.SameExplanation(forced, empty):
			t.Fatalf("forced %+v, empty %+v", forced, empty)
		}
		for _, pick := range empty.Picks {
			if !(pick.Gain > 0) {
				t.Fatalf("a pick of gain %v", pick.Gain)
			}
		}
	})
}

// TestStepsAreThePicks checks that Steps yields the picks that Explain returns, and
// that an iteration can be stopped early and started again.
func TestStepsAreThePicks(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 4, Q: 0.1},
		[][]float64{{0.9, 0.9, 0, 0}, {0, 0, 0.9, 0.9}})
	img := bitmap.Parse("####")
	p := testkit.MustPursuit(t, m, patchwork.PursuitOptions{})
	want, err := p.Explain(img)
	if err != nil || len(want.Picks) != 2 {
		t.Fatal(want, err)
	}
	picks, err := p.Steps(img)
	if err != nil {
		t.Fatal(err)
	}
	for pick := range picks {
		if pick != want.Picks[0] {
			t.Errorf("first pick %+v, want %+v", pick, want.Picks[0])
		}
		break
	}
	again, err := p.Steps(img)
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(again); !slices.Equal(got, want.Picks) {
		t.Errorf("%v, want %v", got, want.Picks)
	}
}

// TestSceneIsShiftInvariant checks that a scene is explained by experts that lie
// completely inside, and the same pixels in a larger scene by shifted picks.
func TestSceneIsShiftInvariant(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 2, Width: 3, Q: 0.1, Scene: true,
		Poses: pose.Grid{Angles: []float64{0, 180}}},
		[][]float64{{0.9, 0.9, 0.9, 0.9, 0, 0}, {0, 0.9, 0, 0.9, 0.9, 0.9}})
	small := bitmap.Parse(
		"......",
		".###..",
		".#....",
		"......")
	e := testkit.MustExplain(t, m, small, patchwork.PursuitOptions{})
	if len(e.Picks) != 1 || e.Picks[0].Pose != (pose.Pose{DY: 1, DX: 1}) {
		t.Fatalf("picks %+v", e.Picks)
	}
	large := bitmap.New(9, 11)
	for y := range small.Height() {
		for x := range small.Width() {
			large.Set(y+3, x+4, small.At(y, x))
		}
	}
	shifted := testkit.MustExplain(t, m, large, patchwork.PursuitOptions{})
	want := e.Picks[0]
	want.Pose.DY, want.Pose.DX = want.Pose.DY+3, want.Pose.DX+4
	if len(shifted.Picks) != 1 || shifted.Picks[0] != want {
		t.Errorf("picks %+v, want %+v", shifted.Picks, want)
	}
}

// TestRatesAreCostsOfThePoses: rates explain as the costs that they stand for,
// whatever the size of the image and the way of the search.
func TestRatesAreCostsOfThePoses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := patchwork.Config{Height: 2, Width: 3, Q: 0.05, Scene: rapid.Bool().Draw(t, "scene"),
			Reuse: rapid.IntRange(1, 2).Draw(t, "reuse")}
		if !cfg.Scene {
			cfg.Poses = pose.Grid{DY: pose.Symmetric(1, 1), DX: pose.Symmetric(rapid.IntRange(0, 2).Draw(t, "reach"), 1)}
		}
		levels := rapid.SampledFrom([]float64{0.01, 0.05, 0.6, 0.97})
		m := testkit.DrawModel(t, cfg, levels)
		h, w := 2, 3
		if cfg.Scene {
			h, w = rapid.IntRange(2, 6).Draw(t, "h"), rapid.IntRange(3, 6).Draw(t, "w")
		}
		img := testkit.DrawImage(t, h, w, ".#?")
		grid, err := m.GridFor(h, w)
		if err != nil {
			t.Fatal(err)
		}
		priced := patchwork.PursuitOptions{Paper: rapid.Bool().Draw(t, "paper"), Forced: rapid.Bool().Draw(t, "forced"),
			Scoring: rapid.SampledFrom([]patchwork.Scoring{0, patchwork.ScoringMixed}).Draw(t, "scoring")}
		charged := priced
		if !priced.Paper {
			priced.Refined, charged.Refined, charged.RefineThreshold = true, true, -1
		}
		for range m.K() {
			rate, cost := rapid.SampledFrom([]float64{0.001, 0.3, 1, 40}).Draw(t, "rate"),
				rapid.SampledFrom([]float64{-1, 0, 2}).Draw(t, "cost")
			priced.Rates, priced.Costs = append(priced.Rates, rate), append(priced.Costs, cost)
			charged.Costs = append(charged.Costs, cost+max(1, math.Log(float64(grid.Len())/rate)))
		}
		got, want := testkit.MustExplain(t, m, img, priced), testkit.MustExplain(t, m, img, charged)
		if !testkit.SameExplanation(got, want) {
			t.Fatalf("with rates %+v, with costs %+v", got, want)
		}
	})
}

// TestRatesOnlyAfterTruncatedSearch: a search by truncated templates does not pay for
// places, its sweeps do: a part that is worth less than its place is found and dropped.
func TestRatesOnlyAfterTruncatedSearch(t *testing.T) {
	cfg := patchwork.NewConfig(patchwork.RuleMax, 9, 9, pose.Grid{DY: pose.Symmetric(4, 1), DX: pose.Symmetric(4, 1)})
	dot, bar := make([]float64, 81), make([]float64, 81)
	dot[40] = 0.9
	for x := range 9 {
		bar[36+x] = 0.9
	}
	m := testkit.MustModel(t, cfg, [][]float64{dot, bar})
	img := bitmap.Parse(".........", ".........", "...#.....", ".........", ".........", ".........", "#########",
		".........", ".........")
	opt := patchwork.PursuitOptions{RefineThreshold: -1}
	if e := testkit.MustExplain(t, m, img, opt); len(e.Picks) != 2 {
		t.Fatalf("free placement: %+v", e.Picks)
	}
	opt.Rates = []float64{0.5, 0.5} // log(81/.5) = 5.1 nats; the dot gains log(90) = 4.5
	if e := testkit.MustExplain(t, m, img, opt); len(e.Picks) != 1 || e.Picks[0].Expert != 1 {
		t.Fatalf("priced placement: %+v", e.Picks)
	}
	opt.Rates[0] = 1 // log(81) = 4.4
	if e := testkit.MustExplain(t, m, img, opt); len(e.Picks) != 2 {
		t.Fatalf("a part that is in every image: %+v", e.Picks)
	}
	for _, bad := range []patchwork.PursuitOptions{{Rates: []float64{1}}, {Rates: []float64{1, 0}},
		{Rates: []float64{1, math.NaN()}},
		{Rates: []float64{1, math.Inf(1)}}, {Rates: []float64{1, 1}, Paper: true}} {
		if _, err := patchwork.NewPursuit(m, bad); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// TestRowsPayRates: rows of tables, explained together, pay what one alone pays.
func TestRowsPayRates(t *testing.T) {
	m, images, err := testkit.SampledRows(8, 36, 500)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	opt := patchwork.PursuitOptions{}
	for range m.K() {
		opt.Rates = append(opt.Rates, math.Exp(-4*r.Float64()))
	}
	checkAll(t, m, patchwork.Data{Images: images}, opt)
}

// TestScenesAreJudgedByOdds: where most parts of a scene are there, one that gains less
// than the number of candidates asks for, but more than its places over the share of the
// parts that are there, is in it; a threshold that is given stays.
func TestScenesAreJudgedByOdds(t *testing.T) {
	cfg := patchwork.Config{Height: 2, Width: 3, Q: 0.1, Scene: true}
	sure := [][]float64{{.9, .9, .9, .9, .9, .9}, {.9, .9, .9, .1, .9, .1}, {.9, .1, .9, .9, .9, .9},
		{.9, .1, .1, .9, .9, .9}, {.9, .7, .3, .1, .1, .1}}
	m := testkit.MustModel(t, cfg, sure)
	img := bitmap.Parse(
		"###..###..#.#..#....",
		"###...#...###..###..",
		"....................",
		"..........###.......",
		"....................")
	grid, err := m.GridFor(5, 20)
	if err != nil {
		t.Fatal(err)
	}
	all, own := math.Log(float64(5*grid.Len())), math.Log(float64(grid.Len())/(4.5/6))
	if gain := math.Log(9) + math.Log(7) + math.Log(3); !(own < gain && gain < all) {
		t.Fatalf("the faint part gains %v, between %v and %v", gain, own, all)
	}
	if e := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{RefineThreshold: all}); len(e.Picks) != 4 {
		t.Errorf("picks by the number of candidates: %+v", e.Picks)
	}
	if e := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{}); len(e.Picks) != 5 {
		t.Errorf("picks by odds: %+v", e.Picks)
	}
}

// TestFitGeometry checks the mean and the presence of the fit, also if experts are
// missing from images.
func TestFitGeometry(t *testing.T) {
	m, data := testkit.Corners(t, [][2]*pose.Pose{
		{testkit.At(-2, -3, 0), testkit.At(2, 3, 0)},
		{testkit.At(-3, -2, 90), testkit.At(3, 2, 0)},
		{testkit.At(-1, -1, 0), nil},
		{testkit.At(-2, -2, 90), testkit.At(1, 1, 0)},
	})
	g, err := patchwork.FitGeometry(t.Context(), m, data, patchwork.PursuitOptions{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	mean := g.Normal.Mean()
	testkit.NearAll(t, "mean of the expert that is always there", mean[:3], []float64{-2, -2, 45}, 1e-9)
	if want := (gauss.Presence{{Mask: 1, N: 1}, {Mask: 3, N: 3}}); len(g.Presence) != 2 || g.Presence[0] != want[0] ||
		g.Presence[1] != want[1] {
		t.Errorf("presence %v, want %v", g.Presence, want)
	}
	if g.Normal.Dim() != 6 {
		t.Errorf("%d coordinates of two experts", g.Normal.Dim())
	}
	data.Weights = []int64{1, 1, 5, 1}
	weighted, err := patchwork.FitGeometry(t.Context(), m, data, patchwork.PursuitOptions{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Near(t, "weighted mean", weighted.Normal.Mean()[0], (-2.-3-5-2)/8, 1e-9)
}

// TestFitGeometryTakesTheFirstPick checks that of several picks of an expert in an
// image the first is counted.
func TestFitGeometryTakesTheFirstPick(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 3, Q: 0.01, Scene: true, Reuse: 2},
		[][]float64{{0.9, 0.9, 0.2}})
	img := bitmap.Parse("##...##?")
	e := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{})
	if len(e.Picks) != 2 || e.Picks[0].Pose == e.Picks[1].Pose {
		t.Fatalf("picks %+v, want two", e.Picks)
	}
	g, err := patchwork.FitGeometry(t.Context(), m, patchwork.Data{Images: []*bitmap.Image{img}},
		patchwork.PursuitOptions{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	testkit.NearAll(t, "mean", g.Normal.Mean(), []float64{float64(e.Picks[0].Pose.DY), float64(e.Picks[0].Pose.DX), 0}, 0)
}

// TestFitGeometryOfNothing checks that there is no geometry and no error if nothing
// was found, or there are too many experts for the Gaussian.
func TestFitGeometryOfNothing(t *testing.T) {
	m, _ := testkit.Corners(t, nil)
	blank := patchwork.Data{Images: []*bitmap.Image{bitmap.New(9, 9)}}
	if g, err := patchwork.FitGeometry(t.Context(), m, blank, patchwork.PursuitOptions{}, 1); g != nil || err != nil {
		t.Errorf("%v, %v from a blank image", g, err)
	}
	many := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 1}, testkit.Make2D(gauss.MaxExperts+1, 1))
	if g, err := patchwork.FitGeometry(t.Context(), many, patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("#")}},
		patchwork.PursuitOptions{}, 1); g != nil || err != nil {
		t.Errorf("%v, %v of %d experts", g, err, many.K())
	}
	if _, err := patchwork.FitGeometry(t.Context(), m, patchwork.Data{Images: []*bitmap.Image{bitmap.New(1, 1)}},
		patchwork.PursuitOptions{}, 1); err == nil {
		t.Error("no error for an image that does not fit")
	}
}

// TestSamplePicks checks that samples have the experts of some training image, near
// where they were.
func TestSamplePicks(t *testing.T) {
	m, data := testkit.Corners(t, [][2]*pose.Pose{
		{testkit.At(-2, -3, 0), testkit.At(2, 3, 0)}, {testkit.At(-3, -2, 0), testkit.At(3, 2, 0)},
		{testkit.At(-1, -1, 0), nil}, {testkit.At(-2, -2, 0), testkit.At(1, 1, 0)},
	})
	g, err := patchwork.FitGeometry(t.Context(), m, data, patchwork.PursuitOptions{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err = m.WithExtras(patchwork.Extras{Geometry: g})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 2000
	both, sum := 0, 0.0
	for range n {
		picks := m.SamplePicks(rng)
		if len(picks) == 0 || picks[0].Expert != 0 || len(picks) > 2 {
			t.Fatalf("picks %+v: expert 0 was in every image", picks)
		}
		if len(picks) == 2 {
			both++
		}
		sum += float64(picks[0].Pose.DY)
		m.Compose(9, 9, picks) // whatever was drawn can be drawn as an image
	}
	if share := float64(both) / n; math.Abs(share-0.75) > 0.04 {
		t.Errorf("both experts in %v of the samples, in 3/4 of the images", share)
	}
	testkit.Near(t, "mean of the sampled dy", sum/n, -2, 0.1)
	mean := m.SamplePicks(nil)
	if len(mean) != 2 || mean[0] != (patchwork.Pick{Expert: 0, Pose: pose.Pose{DY: -2, DX: -2}}) {
		t.Errorf("mean picks %+v", mean)
	}
}

// TestSamplePicksWithoutGeometry checks that without geometry each expert is drawn
// independently by its usage, and that without usage all experts are picked.
func TestSamplePicksWithoutGeometry(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, testkit.Make2D(3, 2))
	rng := rand.New(rand.NewPCG(1, 2))
	if got := m.SamplePicks(rng); len(got) != 3 || got[2] != (patchwork.Pick{Expert: 2}) {
		t.Errorf("picks %+v, want everybody at the zero pose", got)
	}
	if got := m.SamplePicks(nil); len(got) != 3 || got[1] != (patchwork.Pick{Expert: 1}) {
		t.Errorf("mean picks %+v", got)
	}
	m, err := m.WithExtras(patchwork.Extras{Usage: []float64{0, 0.3, 1}})
	if err != nil {
		t.Fatal(err)
	}
	const n = 5000
	count := make([]float64, 3)
	for range n {
		for _, p := range m.SamplePicks(rng) {
			count[p.Expert]++
		}
	}
	if count[0] != 0 || count[2] != n || math.Abs(count[1]/n-0.3) > 0.03 {
		t.Errorf("sampled %v times of %d", count, n)
	}
}

func TestSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := []float64{0, 1, 0.25, 0, 1, 0.25}
	on := 0
	for range 2000 {
		img := bitmap.Sample(rng, 2, 3, p)
		for y := range 2 {
			if img.At(y, 0) || !img.At(y, 1) {
				t.Fatalf("%v: probabilities 0 and 1 are certain", img)
			}
			if img.At(y, 2) {
				on++
			}
		}
	}
	if share := float64(on) / 4000; math.Abs(share-0.25) > 0.03 {
		t.Errorf("on in %v of the samples, want 1/4", share)
	}
}

// TestPicksAreTheBest checks that every pick is the best of all candidates by
// gain less all costs.
func TestPicksAreTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := testkit.DrawConfig(t, testkit.InnerLevel)
		cfg.Poses = testkit.DrawPoses(t)
		m := testkit.DrawModel(t, cfg, testkit.InnerLevel)
		img := testkit.DrawImage(t, m.Height(), m.Width(), ".#?")
		opt := patchwork.PursuitOptions{Paper: true, Scoring: patchwork.ScoringOriginal}
		if rapid.Bool().Draw(t, "costs") {
			opt.Costs = rapid.SliceOfN(rapid.Float64Range(-0.2, 2), m.K(), m.K()).Draw(t, "costs")
		}
		p := testkit.MustPursuit(t, m, opt)
		grid, err := m.GridFor(img.Height(), img.Width())
		if err != nil {
			return // a frame larger than the image's grid allows
		}
		picks, err := p.Steps(img)
		if err != nil {
			t.Fatal(err)
		}
		var before []patchwork.Pick
		for pick := range picks {
			// The search already has the pick; judge by the picks before it.
			most, got := math.Inf(-1), math.Inf(-1)
			p.Judge(img, grid, before, func(c int, g float64) {
				most = max(most, g)
				if i, _ := grid.Index(pick.Pose); c == pick.Expert*grid.Len()+i {
					got = g
				}
			})
			if got < most-1e-8 {
				t.Fatalf("pick %+v gains %v after costs, the best candidate %v", pick, got, most)
			}
			before = append(before, pick)
		}
	})
}
