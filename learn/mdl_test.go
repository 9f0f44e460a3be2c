package learn

import (
	"math"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"example.com/patchwork/bitmap"
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
	if !sameTemplates(a, b) || a.Extras().Record.LogLik != b.Extras().Record.LogLik {
		t.Errorf("log-likelihood %v with weights, %v with rows", a.Extras().Record.LogLik, b.Extras().Record.LogLik)
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
