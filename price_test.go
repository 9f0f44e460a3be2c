package patchwork_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/pose"
)

// TestRatesAreCostsOfThePoses: rates explain as the costs that they stand for,
// whatever the size of the image and the way of the search.
func TestRatesAreCostsOfThePoses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := patchwork.Config{Height: 2, Width: 3, Q: 0.05, Scene: rapid.Bool().Draw(t, "scene"), Reuse: rapid.IntRange(1, 2).Draw(t, "reuse")}
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
			rate, cost := rapid.SampledFrom([]float64{0.001, 0.3, 1, 40}).Draw(t, "rate"), rapid.SampledFrom([]float64{-1, 0, 2}).Draw(t, "cost")
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
	img := bitmap.Parse(".........", ".........", "...#.....", ".........", ".........", ".........", "#########", ".........", ".........")
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
	for _, bad := range []patchwork.PursuitOptions{{Rates: []float64{1}}, {Rates: []float64{1, 0}}, {Rates: []float64{1, math.NaN()}},
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
	sure := [][]float64{{.9, .9, .9, .9, .9, .9}, {.9, .9, .9, .1, .9, .1}, {.9, .1, .9, .9, .9, .9}, {.9, .1, .1, .9, .9, .9}, {.9, .7, .3, .1, .1, .1}}
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
