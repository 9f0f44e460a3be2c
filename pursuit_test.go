package patchwork_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/pose"
)

// TestRefineClimbsToTheTop checks that the refining sweeps never lower the
// log-likelihood less threshold and costs of the picks, and end where no single
// replacement, removal or addition increases it. It compares with composing whole
// images.
func TestRefineClimbsToTheTop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testkit.DrawConfig(t, testkit.InnerLevel)
		m := testkit.DrawModel(t, c, testkit.InnerLevel)
		img := testkit.DrawImage(t, c.Height, c.Width, "#.?")
		opt := patchwork.PursuitOptions{
			Refined: true, RefineSweeps: 1000,
			RefineThreshold: rapid.SampledFrom([]float64{-1, 0, 0.4}).Draw(t, "threshold"),
			Forced:          rapid.Bool().Draw(t, "forced"),
			Reuse:           rapid.IntRange(1, 2).Draw(t, "reuse"),
			MaxPicks:        rapid.SampledFrom([]int{0, 0, 2}).Draw(t, "most picks"),
		}
		if c.Rule == patchwork.RuleMax {
			opt.Scoring = rapid.SampledFrom([]patchwork.Scoring{patchwork.ScoringOriginal, patchwork.ScoringTruncated}).Draw(t,
				"scoring")
		}
		if rapid.Bool().Draw(t, "costs") {
			opt.Costs = rapid.SliceOfN(rapid.Float64Range(0, 1), m.K(), m.K()).Draw(t, "costs")
		}
		checkTop(t, m, img, opt)
		again := opt // the same templates under another name: the sweeps begin anew, with all visits
		again.RefineScoring, again.Alpha = patchwork.ScoringMixed, 1
		got, want := testkit.MustExplain(t, m, img, opt), testkit.MustExplain(t, m, img, again)
		if got.LogLik != want.LogLik || got.StartLogLik != want.StartLogLik || !slices.Equal(got.Picks, want.Picks) {
			t.Fatalf("sweeps from where the search ended: %+v; begun anew: %+v", got, want)
		}
	})
}

// TestRefineVisitsAgain checks scenes of one row under three experts with
// intermediate probabilities that may be used twice: sweeps often replace picks
// there, and must then visit again the picks they had kept.
func TestRefineVisitsAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		templates := testkit.Make2D(3, 4)
		for _, mu := range templates {
			for i := range mu {
				mu[i] = []float64{0.05, 0.3, 0.6, 0.95}[rng.IntN(4)]
			}
		}
		m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 4, Q: 0.05, Defaults: patchwork.Defaults{Truncate: true},
			Poses: pose.Grid{DX: pose.Symmetric(2, 1)}}, templates)
		img := bitmap.New(1, 4)
		for x := range 4 {
			img.Set(0, x, rng.IntN(4) > 0)
		}
		checkTop(t, m, img, patchwork.PursuitOptions{Refined: true, RefineThreshold: -1, RefineSweeps: 1000, Reuse: 2})
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
	plain.Paper, plain.Refined = true, false
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

// bestAddition returns the largest objective with one pick more; ok reports whether
// one may be added.
func bestAddition(m *patchwork.Model, picks []patchwork.Pick, opt patchwork.PursuitOptions,
	objective func([]patchwork.Pick) float64) (best float64, ok bool) {
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

// checkRefined checks the limits, and the scores and gains of the picks.
func checkRefined(t failer, m *patchwork.Model, e *patchwork.Explanation, img *bitmap.Image,
	opt patchwork.PursuitOptions) {
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
	if want := patchwork.LogLik(img, m.Compose(img.Height(), img.Width(), e.Picks).P); !testkit.About(e.LogLik, want) ||
		!testkit.About(e.LogLikModel, want) {
		t.Fatalf("LogLik %v, LogLikModel %v, composed %v", e.LogLik, e.LogLikModel, want)
	}
}

// TestRefineTakesBackAGreedyMistake checks a sentence of section 3 of the paper:
// "If we allow for an iterative procedure then the scene can also be resolved with
// the original templates." Here the greedy pursuit picks a wrong wide bar first,
// and a sweep removes it.
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
	if got := experts(testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Paper: true})); !slices.Equal(got,
		[]int{0, 1, 2}) {
		t.Fatalf("greedy: experts %v; this example should mislead it", got)
	}
	if got := experts(testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Refined: true})); !slices.Equal(got,
		[]int{1, 2}) {
		t.Errorf("refined: experts %v", got)
	}
}

// TestRefineThreshold checks that a threshold removes a pick with a small gain, that
// of a single pixel.
func TestRefineThreshold(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 2, Width: 2, Q: 0.1, Scene: true},
		[][]float64{{0.9, 0.9, 0.9, 0.9}, {0.9, 0, 0, 0}})
	img := bitmap.Parse(
		"##....",
		"##....",
		"....#.",
		"......")
	e := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Reuse: 3})
	if len(e.Picks) != 1 || e.Picks[0].Pose != (pose.Pose{}) {
		t.Errorf("picks %+v, want the square alone: one pixel gains %v nats, the threshold is log(30)", e.Picks, math.Log(9))
	}
	e = testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Refined: true, RefineThreshold: -1, Reuse: 3})
	if len(e.Picks) < 2 {
		t.Errorf("without a threshold: picks %+v", e.Picks)
	}
}

// TestRefineKeepsATie checks that a sweep does not replace a pick by an equal one,
// which would never end. Under the truncated search expert 1 is better, under the
// original likelihood both gain log 24.
func TestRefineKeepsATie(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2, Q: 0.1, Defaults: patchwork.Defaults{Truncate: true}},
		[][]float64{{0.6, 0.4}, {0.8, 0.3}})
	e := testkit.MustExplain(t, m, bitmap.Parse("##"), patchwork.PursuitOptions{Refined: true, MaxPicks: 1})
	if len(e.Picks) != 1 || e.Picks[0].Expert != 1 || !testkit.About(e.Picks[0].Gain, math.Log(24)) {
		t.Errorf("picks %+v, want expert 1 with log 24", e.Picks)
	}
}

// checkAll checks that explaining and counting many images together equals doing it
// one by one, to the bit.
func checkAll(t testing.TB, m *patchwork.Model, data patchwork.Data, opt patchwork.PursuitOptions) {
	t.Helper()
	one, many := testkit.MustPursuit(t, m, opt), testkit.MustPursuit(t, m, opt)
	var all patchwork.Explanations
	if err := many.ExplainAll(data.Images, &all); err != nil {
		t.Fatal(err)
	}
	want := patchwork.NewTally(m)
	for i, img := range data.Images {
		e, err := one.Explain(img)
		if err != nil {
			t.Fatal(err)
		}
		want.Add(m, img, e, data.Weight(i))
		if got := all.At(i); !testkit.SameExplanation(&got, e) {
			t.Fatalf("image %d of %d\n%v\nis explained by %+v among others, alone by %+v", i, len(all.LogLik), img, got, *e)
		}
	}
	seen := make([]*patchwork.Explanation, len(data.Images))
	for workers, each := range []func(int, *patchwork.Explanation){nil,
		func(i int, e *patchwork.Explanation) { seen[i] = e }} {
		got, err := patchwork.EStep(t.Context(), m, data, opt, 1+workers, each)
		if err != nil {
			t.Fatal(err)
		}
		if !testkit.SameTally(got, want) {
			t.Fatalf("the E-step's tally differs (shown: %v):\n%+v\n%+v", each != nil, got, want)
		}
	}
	for i, e := range seen {
		if a := all.At(i); !testkit.SameExplanation(&a, e) {
			t.Fatalf("image %d is shown as %+v, it is %+v", i, *e, a)
		}
	}
}

// fatals adapts a rapid.T to testing.TB.
type fatals struct {
	testing.TB
	t *rapid.T
}

func (f fatals) Helper()                      {}
func (f fatals) Fatal(args ...any)            { f.t.Fatal(args...) }
func (f fatals) Fatalf(s string, args ...any) { f.t.Fatalf(s, args...) }

// drawTable draws a model of a table and rows of it. Opinions have few levels, so
// that they are often equal or cancel; if certain, 0 and 1 are among the levels.
func drawTable(t *rapid.T, certain bool) (*patchwork.Model, patchwork.Data, patchwork.PursuitOptions) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	levels := []float64{0.1, 0.9, 0.9, 0.25, 0.75, 0.75, 0.99, 0.02}
	if certain {
		levels = append(levels, 0, 1)
	}
	level := func() float64 { return levels[rng.IntN(len(levels))] }
	if rng.IntN(2) == 0 {
		level = func() float64 { return 0.001 + 0.998*rng.Float64() }
	}
	c := patchwork.Config{Height: 1, Width: rapid.IntRange(1, 150).Draw(t, "width"), Rule: patchwork.Rule(rng.IntN(2)),
		Q: 0.02}
	if rng.IntN(3) == 0 {
		c.Height, c.Width = 1+rng.IntN(12), 1+rng.IntN(12)
	}
	if c.Rule == patchwork.RuleMaxMinusMin {
		c.Q = 0.5
	}
	d := c.Height * c.Width
	if rng.IntN(2) == 0 {
		c.QMap = make([]float64, d)
		for i := range c.QMap {
			c.QMap[i] = []float64{0.02, 0.1, 0.5, 0.9}[rng.IntN(4)]
		}
	}
	templates := testkit.Make2D(rapid.IntRange(1, 20).Draw(t, "experts"), d)
	for k := range templates {
		for i := range templates[k] {
			templates[k][i] = level()
		}
		if k > 0 && rng.IntN(5) == 0 {
			copy(templates[k], templates[rng.IntN(k)])
		}
	}
	var data patchwork.Data
	for range rapid.IntRange(1, 60).Draw(t, "rows") {
		img := bitmap.New(c.Height, c.Width)
		p := templates[rng.IntN(len(templates))]
		for i := range d {
			switch y, x := i/c.Width, i%c.Width; {
			case rng.Float64() < p[i]:
				img.Set(y, x, true)
			case rng.IntN(60) == 0:
				img.SetUnknown(y, x)
			}
		}
		data.Images = append(data.Images, img)
	}
	if rng.IntN(2) == 0 {
		for range data.Images {
			data.Weights = append(data.Weights, []int64{1, 1, 2, 3, 254, 300, 0}[rng.IntN(7)])
		}
		data.Weights[0] = 1
	}
	return testkit.MustModel(t, c, templates), data, drawRowOptions(t, rng, len(templates), c.Rule)
}

func drawRowOptions(t *rapid.T, rng *rand.Rand, experts int, rule patchwork.Rule) patchwork.PursuitOptions {
	opt := patchwork.PursuitOptions{Forced: rng.IntN(2) == 0, MaxPicks: []int{0, 0, 0, 1, 2}[rng.IntN(5)],
		MinGain: []float64{0, 0, 1, 3, -2}[rng.IntN(5)], Reuse: []int{0, 0, 0, 0, 2}[rng.IntN(5)],
		Scoring: []patchwork.Scoring{patchwork.ScoringOriginal, patchwork.ScoringOriginal, patchwork.ScoringOriginal,
			patchwork.ScoringMixed, patchwork.ScoringTruncated}[rapid.IntRange(0, 4).Draw(t, "scoring")]}
	if opt.Scoring == patchwork.ScoringTruncated && rule != patchwork.RuleMax {
		opt.Scoring = patchwork.ScoringOriginal
	}
	if rng.IntN(2) == 0 {
		for range experts {
			opt.Costs = append(opt.Costs, []float64{0, 1, 2.5, -1, 30}[rng.IntN(5)])
		}
	}
	return opt
}

// TestRowsAreExplainedAlike checks that explaining many rows together changes no
// bit.
func TestRowsAreExplainedAlike(t *testing.T) {
	for _, certain := range []bool{false, true} {
		rapid.Check(t, func(r *rapid.T) {
			m, data, opt := drawTable(r, certain)
			checkAll(fatals{t, r}, m, data, opt)
		})
	}
}

// realRows returns the first rows of a table of real data.
func realRows(t testing.TB, name string, n int) []*bitmap.Image {
	t.Helper()
	f, err := os.Open(testenv.Shared(t, "data/debd/"+name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var images []*bitmap.Image
	for s := bufio.NewScanner(z); s.Scan() && len(images) < n; {
		images = append(images, bitmap.Parse(strings.ReplaceAll(s.Text(), ",", "")))
	}
	return images
}

// TestRealRowsAreExplainedAlike checks the same with real tables and learned
// experts, under both rules.
func TestRealRowsAreExplainedAlike(t *testing.T) {
	for _, name := range []string{"nltcs.train.data.gz", "plants.valid.data.gz"} {
		images := realRows(t, name, 1500)
		d := images[0].Width()
		for _, rule := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin} {
			c := patchwork.Config{Height: 1, Width: d, Rule: rule, Q: 0.5, QMap: make([]float64, d)}
			for i := range c.QMap {
				c.QMap[i] = 0.02 + 0.3*float64(i)/float64(d)
			}
			rng := rand.New(rand.NewPCG(1, 0))
			templates := testkit.Make2D(10, d)
			for _, template := range templates {
				for i := range template {
					template[i] = 0.02 + 0.96*rng.Float64()
				}
			}
			m, data := testkit.MustModel(t, c, templates), patchwork.Data{Images: images}
			var tally *patchwork.Tally
			for n := range 4 { // three rounds of EM
				if n > 0 {
					m = tally.MStep(m, patchwork.MStep{})
				}
				var err error
				if tally, err = patchwork.EStep(t.Context(), m, data, patchwork.PursuitOptions{}, 1, nil); err != nil {
					t.Fatal(err)
				}
			}
			data.Images = slices.Concat(images, images) // the second time from the results remembered
			checkAll(t, m, data, patchwork.PursuitOptions{MinGain: 1})
			if tally.Picks() == 0 {
				t.Fatalf("%s under %v: nothing was picked", name, rule)
			}
		}
	}
}

// page returns templates of three shapes for clean images, and a scene of two of them
// of which a share of the pixels is flipped.
func page(t *testing.T, seed uint64, flips float64) (*patchwork.Model, *bitmap.Image) {
	const side = 40
	var templates [][]float64
	rng := rand.New(rand.NewPCG(41, 0))
	for range 3 {
		template := make([]float64, 12*12)
		for y := range 3 { // a walk of squares
			for x := range 3 {
				if rng.IntN(3) == 0 {
					continue
				}
				for i := range 16 {
					template[(4*y+i/4)*12+4*x+i%4] = 0.98
				}
			}
		}
		for i := range template {
			template[i] = max(template[i], 0.01)
		}
		templates = append(templates, template)
	}
	m := testkit.MustModel(t, patchwork.Config{Height: 12, Width: 12, Q: 0.01, Scene: true,
		Defaults: patchwork.Defaults{Truncate: true}}, templates)
	rng = rand.New(rand.NewPCG(42, seed))
	picks := []patchwork.Pick{{Expert: 0, Pose: pose.Pose{DY: rng.IntN(28), DX: rng.IntN(28)}},
		{Expert: 1, Pose: pose.Pose{DY: rng.IntN(28), DX: rng.IntN(28)}}}
	img := bitmap.Sample(rng, side, side, m.Compose(side, side, picks).P)
	for i := range side * side {
		if rng.Float64() < flips {
			img.Set(i/side, i%side, !img.At(i/side, i%side))
		}
	}
	return m, img
}

// TestCalibratedIsTheModelUnderNoise checks that a scene is explained as by the model
// whose templates have the noise found, and without noise as by the model itself.
func TestCalibratedIsTheModelUnderNoise(t *testing.T) {
	for seed := range uint64(6) {
		flips := []float64{0, 0.15, 0.3}[seed%3]
		m, img := page(t, seed, flips)
		e := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{})
		if math.Abs(e.Missing-flips) > 0.1 || math.Abs(e.Clutter-flips) > 0.03 ||
			(flips == 0) != (e.Missing == 0 && e.Clutter == 0) {
			t.Errorf("seed %d: %.3f missing, %.3f clutter, made with %v", seed, e.Missing, e.Clutter, flips)
		}
		under := func(p float64) float64 { return p + e.Clutter*(1-p) - e.Missing*p }
		noisy, c := m.Templates(), m.Config()
		for _, template := range noisy {
			for i := range template {
				template[i] = under(template[i])
			}
		}
		c.Q = under(c.Q)
		want := testkit.MustExplain(t, testkit.MustModel(t, c, noisy), img, patchwork.PursuitOptions{AsLearned: true})
		if !slices.Equal(e.Picks, want.Picks) || e.LogLik != want.LogLik || e.StartLogLik != want.StartLogLik {
			t.Errorf("seed %d: %+v, by the model under this noise %+v", seed, e, want)
		}
		testkit.Near(t, "log-likelihood under the model", e.LogLikModel, patchwork.LogLik(img, m.Compose(40, 40, e.Picks).P),
			1e-9)
	}
}

// TestCalibratedPages checks that pages of one pursuit, of its fork and explained
// together are explained as each page alone, whatever noise the page before had.
func TestCalibratedPages(t *testing.T) {
	var images []*bitmap.Image
	var m *patchwork.Model
	for seed := range uint64(7) {
		var img *bitmap.Image
		m, img = page(t, seed, []float64{0.2, 0, 0.1}[seed%3])
		images = append(images, img)
	}
	images = append(images, bitmap.New(40, 40))
	p := testkit.MustPursuit(t, m, patchwork.PursuitOptions{})
	var all patchwork.Explanations
	if err := p.ExplainAll(images, &all); err != nil {
		t.Fatal(err)
	}
	for i, img := range images {
		want := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{})
		forked, err := p.Fork().Explain(img)
		if err != nil {
			t.Fatal(err)
		}
		if got := all.At(i); !testkit.SameExplanation(&got, want) || got.Missing != want.Missing ||
			got.Clutter != want.Clutter || !testkit.SameExplanation(forked, want) {
			t.Errorf("page %d: together %+v, by a fork %+v, alone %+v", i, got, forked, want)
		}
	}
}

// TestCalibratedRefuses checks the errors, and what leaves calibration out.
func TestCalibratedRefuses(t *testing.T) {
	m, img := page(t, 1, 0.2)
	if _, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{Calibrated: true, AsLearned: true}); err == nil ||
		!strings.Contains(err.Error(), "not both") {
		t.Errorf("both: %v", err)
	}
	table := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 3, Q: 0.1}, [][]float64{{0.9, 0.9, 0.1}})
	if _, err := patchwork.NewPursuit(table, patchwork.PursuitOptions{Calibrated: true}); err == nil ||
		!strings.Contains(err.Error(), "can move") {
		t.Errorf("a table: %v", err)
	}
	for name, opt := range map[string]patchwork.PursuitOptions{"as learned": {AsLearned: true}, "paper": {Paper: true},
		"scored": {Scoring: patchwork.ScoringOriginal},
		"forced": {Forced: true}, "rates": {Rates: []float64{1, 1, 1}}, "threshold": {RefineThreshold: 20}} {
		if e := testkit.MustExplain(t, m, img, opt); e.Missing != 0 || e.Clutter != 0 {
			t.Errorf("%s: calibrated to %+v", name, e)
		}
	}
	if e := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Calibrated: true, RefineThreshold: 20}); e.Clutter ==
		0 {
		t.Error("asked for, but not calibrated")
	}
}

// TestExplainAllNamesTheImage checks that the error names the first image of
// another size, and that the explanations of the images before it are returned.
func TestExplainAllNamesTheImage(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 3, Q: 0.1}, [][]float64{{0.9, 0.9, 0.1}})
	images := []*bitmap.Image{bitmap.Parse("##."), bitmap.Parse("##.."), bitmap.Parse("...")}
	var all patchwork.Explanations
	err := testkit.MustPursuit(t, m, patchwork.PursuitOptions{}).ExplainAll(images, &all)
	if err == nil || !strings.HasPrefix(err.Error(), "image 1: ") || len(all.LogLik) != 1 || len(all.At(0).Picks) != 1 {
		t.Fatalf("error %v, %d explanations", err, len(all.LogLik))
	}
}

// TestExplanationsAreReused: the same memory takes the explanations of pursuits whose two log-likelihoods are
// one, of others, and of those again, as new memory does.
func TestExplanationsAreReused(t *testing.T) {
	m, images, err := testkit.SampledRows(8, 36, 3000)
	if err != nil {
		t.Fatal(err)
	}
	var reused patchwork.Explanations
	for i, scoring := range []patchwork.Scoring{patchwork.ScoringOriginal, patchwork.ScoringTruncated,
		patchwork.ScoringOriginal, patchwork.ScoringTruncated} {
		p := testkit.MustPursuit(t, m, patchwork.PursuitOptions{Scoring: scoring})
		var fresh patchwork.Explanations
		rows := images[:len(images)-i*700]
		for _, out := range []*patchwork.Explanations{&reused, &fresh} {
			if err := p.ExplainAll(rows, out); err != nil {
				t.Fatal(err)
			}
		}
		differ := 0
		for j := range rows {
			got, want := reused.At(j), fresh.At(j)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("run %d, row %d: %+v, by new memory %+v", i, j, got, want)
			}
			if got.LogLik != got.LogLikModel {
				differ++
			}
		}
		if (differ > 0) != (scoring == patchwork.ScoringTruncated) {
			t.Errorf("run %d: %d rows have two log-likelihoods", i, differ)
		}
	}
}

// BenchmarkExplainAll measures the rows per second explained together on one core,
// from images to flat explanations. The rows repeat, as in learning.
func BenchmarkExplainAll(b *testing.B) {
	for _, c := range []struct{ k, d, n int }{{8, 36, 20000}, {32, 128, 4000}, {64, 784, 400}} {
		b.Run(fmt.Sprintf("K=%d/D=%d", c.k, c.d), func(b *testing.B) {
			m, images, err := testkit.SampledRows(c.k, c.d, c.n)
			if err != nil {
				b.Fatal(err)
			}
			p := testkit.MustPursuit(b, m, patchwork.PursuitOptions{})
			var out patchwork.Explanations
			n := 0
			for b.Loop() {
				if err := p.ExplainAll(images, &out); err != nil {
					b.Fatal(err)
				}
				n += len(out.LogLik)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkEMIteration measures an iteration of batch EM on a table, on one core:
// E-step and M-step.
func BenchmarkEMIteration(b *testing.B) {
	m, images, err := testkit.SampledRows(32, 128, 100000)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		t, err := patchwork.EStep(b.Context(), m, patchwork.Data{Images: images}, patchwork.PursuitOptions{}, 1, nil)
		if err != nil {
			b.Fatal(err)
		}
		t.MStep(m, patchwork.MStep{})
	}
	b.ReportMetric(float64(b.N)*float64(len(images))/b.Elapsed().Seconds(), "rows/s")
}

// TestExchangesTwoForOne: a part that covers most of two others gains more than either, and
// then neither gains enough besides. No change of one pick leads from it to the two, which
// explain more.
func TestExchangesTwoForOne(t *testing.T) {
	bar := func(from, to int) []float64 {
		v := make([]float64, 12)
		for i := range v {
			v[i] = 0.1
			if from <= i && i < to {
				v[i] = 0.5
			}
		}
		return v
	}
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 12, Q: 0.4, Scene: true},
		[][]float64{bar(0, 6), bar(6, 12), bar(3, 10)})
	img := bitmap.Parse("############")
	e := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Refined: true, AsLearned: true, MinGain: 0.9})
	if len(e.Picks) != 2 || e.Picks[0].Expert+e.Picks[1].Expert != 1 {
		t.Errorf("explained by %+v, not by both halves", e.Picks)
	}
	if stuck := testkit.MustExplain(t, m, img, patchwork.PursuitOptions{Refined: true, AsLearned: true, MinGain: 0.9,
		RefineThreshold: 0.98}); len(stuck.Picks) != 1 {
		t.Errorf("at a fixed threshold %+v: the test does not need an exchange", stuck.Picks)
	}
}

// TestExchangesNeverLose checks that scenes, in which picks are exchanged, end no lower than
// sweeps alone at the same price of a pick, and that picks and likelihood belong together.
func TestExchangesNeverLose(t *testing.T) {
	const price = 30 // beyond the odds of so few places
	rapid.Check(t, func(t *rapid.T) {
		templates := make([][]float64, rapid.IntRange(2, 4).Draw(t, "parts"))
		for k := range templates {
			templates[k] = rapid.SliceOfN(rapid.SampledFrom([]float64{1e-6, 1e-4, 0.3, 0.8, 0.999}), 9, 9).Draw(t, "template")
		}
		m := testkit.MustModel(t, patchwork.Config{Height: 3, Width: 3, Q: 1e-6, Scene: true,
			Reuse: rapid.IntRange(1, 2).Draw(t, "reuse")}, templates)
		img := testkit.DrawImage(t, 4, 5, "##.?")
		value := func(opt patchwork.PursuitOptions) float64 {
			opt.Refined, opt.AsLearned, opt.MinGain = true, true, price
			e := testkit.MustExplain(t, m, img, opt)
			if want := patchwork.LogLik(img, m.Compose(4, 5, e.Picks).P); math.Abs(e.LogLik-want) > 1e-6 {
				t.Fatalf("log-likelihood %v of picks that compose %v", e.LogLik, want)
			}
			return e.LogLik - price*float64(len(e.Picks))
		}
		if with, without := value(patchwork.PursuitOptions{}),
			value(patchwork.PursuitOptions{RefineThreshold: price}); with < without-1e-6 {
			t.Fatalf("exchanges end at %v, sweeps alone at %v", with, without)
		}
	})
}

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
		{patchwork.RuleMaxMinusMin, pose.Grid{DY: shift, DX: shift, Angles: []float64{-20, 0, 20}},
			patchwork.PursuitOptions{Refined: true, Calibrated: true}},
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
