package learn

import (
	"math"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/pose"
)

// The terms of the description length, added up by hand for three images (one
// of them twice) and two experts, of which one is never used.
func TestDescriptionLengthByHand(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Q: 0.5, Height: 1, Width: 3},
		[][]float64{{0.9, 0.5, 0.5}, {0.1, 0.2, 0.3}})
	data := patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("#.#"), bitmap.Parse("..."), bitmap.Parse("##.")},
		Weights: []int64{2, 1, 1}}
	tally := patchwork.NewTally(m)
	for i, picks := range [][]patchwork.Pick{{{Expert: 0}}, nil, {{Expert: 0}}} {
		img := data.Images[i]
		e := &patchwork.Explanation{Picks: picks, LogLikModel: patchwork.LogLik(img, m.Compose(1, 3, picks).P)}
		tally.Add(m, img, e, data.Weight(i))
	}
	h := func(pi float64) float64 { return -pi*math.Log(pi) - (1-pi)*math.Log(1-pi) }
	// three images have one pixel explained, the other nine pixels are coin tosses
	want := -(3*math.Log(0.9) + 9*math.Log(0.5)) +
		4*h(3.5/5) + 4*h(0.5/5) + // which experts are active where
		1*math.Log(4)/2 // the only vote of the only expert in use
	testkit.Near(t, "description length", DescriptionLength(m, tally), want, 1e-5)
}

// An impossible image cannot be described.
func TestDescriptionLengthOfTheImpossible(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Q: 1, Height: 1, Width: 1},
		[][]float64{{1}})
	tally, err := patchwork.EStep(t.Context(), m, patchwork.Data{Images: []*bitmap.Image{bitmap.Parse(".")}},
		patchwork.PursuitOptions{}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := DescriptionLength(m, tally); !math.IsInf(got, 1) {
		t.Errorf("description length %v", got)
	}
}

func TestActivationCosts(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 1}, [][]float64{{1}, {1}, {1}})
	tally := patchwork.NewTally(m)
	for i := range 9 { // experts active in 0, 2 and 8 images
		var picks []patchwork.Pick
		if i < 2 {
			picks = append(picks, patchwork.Pick{Expert: 1})
		}
		if i < 8 {
			picks = append(picks, patchwork.Pick{Expert: 2})
		}
		tally.Add(m, bitmap.New(1, 1), &patchwork.Explanation{Picks: picks}, 1)
	}
	testkit.NearAll(t, "costs", activationCosts(tally), []float64{math.Log(19), math.Log(3), 0}, 1e-12)
}

// Every start's description length is in the record; the shortest was chosen,
// and what came after made it no longer.
func TestRecordOfDescriptionLengths(t *testing.T) {
	m, err := Learn(t.Context(), quadrants(t, 60), quadrantConfig(), Options{Experts: 8, Starts: 3, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := m.Extras().Record
	for i, s := range r.Starts {
		if s.DescriptionLength <= 0 || s.Score >= 0 {
			t.Errorf("start %d: description length %v, log-likelihood %v", i, s.DescriptionLength, s.Score)
		}
		if s.DescriptionLength < r.Starts[r.Chosen].DescriptionLength {
			t.Errorf("start %d was shorter than the chosen start %d", i, r.Chosen)
		}
	}
	if r.DescriptionLength <= 0 || r.DescriptionLength > r.Starts[r.Chosen].DescriptionLength+1 {
		t.Errorf("the model's description length is %v, the chosen start's %v", r.DescriptionLength,
			r.Starts[r.Chosen].DescriptionLength)
	}
}

// Only max-minus-min experts that do not move, not learned in the paper's mode,
// are judged by description length.
func TestWhichRunsAreJudgedByDescriptionLength(t *testing.T) {
	moving := pose.Grid{DX: pose.Symmetric(1, 1)}
	for _, c := range []struct {
		name string
		cfg  patchwork.Config
		opt  Options
		want bool
	}{
		{"default", quadrantConfig(), Options{}, true},
		{"paper", quadrantConfig(), Options{Paper: true}, false},
		{"online", quadrantConfig(), Options{Method: MethodOnline}, false},
		{"max", patchwork.NewConfig(patchwork.RuleMax, 6, 6, pose.Grid{}), Options{Method: MethodBatch}, false},
		{"moving", patchwork.NewConfig(patchwork.RuleMaxMinusMin, 6, 6, moving), Options{Method: MethodBatch}, false},
	} {
		if got := c.opt.WithDefaults(c.cfg).byDescription(c.cfg); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A weight of 2 and two equal rows teach the same, also with unknown pixels.
func TestLearnWeightsLikeRows(t *testing.T) {
	data := quadrants(t, 40)
	for i, img := range data.Images {
		img.SetUnknown(i%6, i/6%6)
	}
	var twice patchwork.Data
	for _, img := range data.Images {
		twice.Images, twice.Weights = append(twice.Images, img), append(twice.Weights, 2)
	}
	rows := patchwork.Data{Images: append(append([]*bitmap.Image(nil), data.Images...), data.Images...)}
	m := testkit.MustModel(t, quadrantConfig(), randomTemplates(t, 4))
	a, err := Learn(t.Context(), twice, quadrantConfig(), Options{Continue: m})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Learn(t.Context(), rows, quadrantConfig(), Options{Continue: m})
	if err != nil {
		t.Fatal(err)
	}
	if !sameTemplates(a, b) || a.Extras().Record.DescriptionLength != b.Extras().Record.DescriptionLength {
		t.Errorf("description length %v with weights, %v with rows", a.Extras().Record.DescriptionLength,
			b.Extras().Record.DescriptionLength)
	}
}

func randomTemplates(t *testing.T, experts int) [][]float64 {
	m, err := randomModel(quadrantConfig(), experts, rng(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	return m.Templates()
}

// Learning copes with odd problems: one expert, one image, one pixel, more experts
// than images, images all equal or all unknown, certain abstention values.
func TestLearnOddProblems(t *testing.T) {
	unknown := bitmap.New(1, 2)
	unknown.SetUnknown(0, 0)
	unknown.SetUnknown(0, 1)
	some := []*bitmap.Image{bitmap.Parse("#."), bitmap.Parse("##"), bitmap.Parse("#.")}
	for _, c := range []struct {
		name    string
		q       float64
		experts int
		data    patchwork.Data
	}{
		{"one of each", 0.5, 1, patchwork.Data{Images: some[:1]}},
		{"many experts", 0.5, 5, patchwork.Data{Images: some}},
		{"a heavy and a weightless row", 0.5, 2, patchwork.Data{Images: some, Weights: []int64{1 << 30, 0, 1}}},
		{"unknown", 0.5, 2, patchwork.Data{Images: []*bitmap.Image{unknown, unknown}}},
		{"q = 0", 0, 2, patchwork.Data{Images: some}},
		{"q = 1", 1, 2, patchwork.Data{Images: some}},
		{"one expert, q = 1", 1, 1, patchwork.Data{Images: some}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := patchwork.NewConfig(patchwork.RuleMaxMinusMin, 1, 2, pose.Grid{})
			cfg.Q, cfg.ZeroQ = c.q, true
			m, err := Learn(t.Context(), c.data, cfg, Options{Experts: c.experts, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			for k := range m.K() {
				for i, p := range m.Template(k) {
					if !(p >= 0 && p <= 1) {
						t.Errorf("expert %d pixel %d is %v", k, i, p)
					}
				}
			}
		})
	}
}

// An expert that always abstains is moved to the ink of a quadrant that no expert
// explains.
func TestRelocationRepairs(t *testing.T) {
	set, err := synth.Quadrants(synth.QuadrantsOptions{N: 200, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	data := patchwork.Data{Images: set.Images}
	const idle = 3
	templates := make([][]float64, len(set.Truth.Experts))
	for k, truth := range set.Truth.Experts {
		templates[k] = make([]float64, len(truth))
		for i, p := range truth {
			templates[k][i] = 0.5 + 0.9*(p-0.5)
			if k == idle {
				templates[k][i] = 0.5
			}
		}
	}
	cfg := quadrantConfig()
	opt := Options{Experts: 8}.WithDefaults(cfg)
	stuck, err := opt.describe(t.Context(), testkit.MustModel(t, cfg, templates), data, make([]float64, 8), nil)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := relocate(t.Context(), stuck, data, opt, rng(1, 9))
	if err != nil {
		t.Fatal(err)
	}
	if moved.length > stuck.length-50 {
		t.Errorf("description length %v, before the moves %v", moved.length, stuck.length)
	}
	sum := 0.0
	for i, p := range moved.model.Template(idle) {
		sum += math.Abs(p - set.Truth.Experts[idle][i])
	}
	if sum/36 > 0.05 {
		t.Errorf("the idle expert became %.2f, mean error %.3f", moved.model.Template(idle), sum/36)
	}
}

// rise is the difference of the lengths of the two models, usage included.
func TestRiseIsTheDifference(t *testing.T) {
	data := quadrants(t, 60)
	cfg := quadrantConfig()
	opt := Options{Experts: 4}.WithDefaults(cfg)
	d, err := opt.learnShort(t.Context(), testkit.MustModel(t, cfg, randomTemplates(t, 4)), data, 10, polishIterations)
	if err != nil {
		t.Fatal(err)
	}
	v, err := newView(t.Context(), d, data, opt)
	if err != nil {
		t.Fatal(err)
	}
	for k := range d.model.K() {
		costs := append(append([]float64(nil), v.costs[:k]...), v.costs[k+1:]...)
		without, err := opt.describe(t.Context(), withoutExpert(d.model, k), data, costs, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.rise(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Near(t, "rise", got, without.length-v.length, 1e-3)
	}
}
