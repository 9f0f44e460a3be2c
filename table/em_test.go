package table

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/internal/wire"
	"example.com/patchwork/posterior"

	"example.com/patchwork/bitmap"
)

// randomTable returns rows with unknown bits, and a random model of them.
func randomTable(rng *rand.Rand, rule patchwork.Rule, rows, experts, width int) (*patchwork.Model, patchwork.Data) {
	cfg := patchwork.Config{Rule: rule, Height: 1, Width: width, QMap: make([]float64, width)}
	templates := make([][]float64, experts)
	for i := range cfg.QMap {
		cfg.QMap[i] = 0.1 + 0.8*rng.Float64()
	}
	for k := range templates {
		templates[k] = slices.Clone(cfg.QMap)
		for i, q := range cfg.QMap {
			switch v := 0.02 + 0.96*rng.Float64(); {
			case rng.IntN(3) == 0: // abstains
			case rule == patchwork.RuleMaxMinusMin || v > q:
				templates[k][i] = v
			}
		}
	}
	m, err := patchwork.NewModel(cfg, templates)
	if err != nil {
		panic(err)
	}
	var data patchwork.Data
	for i := range rows {
		p := m.Compose(1, width, []patchwork.Pick{{Expert: rng.IntN(experts)}, {Expert: rng.IntN(experts)}}).P
		data.Images = append(data.Images, posterior.Exclusive(nil).Hide(bitmap.Sample(rng, 1, width, p), 0.1, 1, i))
		data.Weights = append(data.Weights, rng.Int64N(3))
	}
	data.Weights[0] = 1
	return m, data
}

// The tally, and the model read off it, is the same for any number of workers;
// a weight is so many rows.
func TestSoftExplainExact(t *testing.T) {
	for _, rule := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin} {
		m, data := randomTable(rand.New(rand.NewPCG(1, 2)), rule, 90, 5, 12)
		var repeated patchwork.Data
		for i, row := range data.Images {
			for range data.Weight(i) {
				repeated.Images = append(repeated.Images, row)
			}
		}
		want := mustCount(t, m, data, 1)
		for workers, d := range map[int]patchwork.Data{2: data, 5: data, 3: repeated, 4: rows.Distinct(repeated)} {
			got := mustCount(t, m, d, workers)
			if !bytes.Equal(wire.Marshal(got.code), wire.Marshal(want.code)) {
				t.Errorf("%v, %d workers: another tally", rule, workers)
			}
		}
	}
}

func mustCount(t testing.TB, m *patchwork.Model, data patchwork.Data, workers int) *counts {
	t.Helper()
	tally, err := eStep(t.Context(), m, data, posterior.Options{}, workers)
	if err != nil {
		t.Fatal(err)
	}
	return tally
}

// A soft iteration from the truth keeps it, nearly.
func TestSoftEMKeepsTheTruth(t *testing.T) {
	for _, rule := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin} {
		rng := rand.New(rand.NewPCG(5, 6))
		q := make([]float64, 12)
		truth := make([][]float64, 3)
		for i := range q {
			q[i] = 0.2
		}
		for k := range truth {
			truth[k] = slices.Clone(q)
			for i := range 4 {
				truth[k][4*k+i] = 0.9
			}
		}
		m, err := patchwork.NewModel(patchwork.Config{Rule: rule, Height: 1, Width: 12, QMap: q}, truth)
		if err != nil {
			t.Fatal(err)
		}
		m, _ = m.WithExtras(patchwork.Extras{Usage: []float64{0.4, 0.4, 0.4}, Record: patchwork.Record{Rows: 2000}})
		var data patchwork.Data
		for range 2000 {
			var picks []patchwork.Pick
			for k := range truth {
				if rng.Float64() < 0.4 {
					picks = append(picks, patchwork.Pick{Expert: k})
				}
			}
			data.Images = append(data.Images, bitmap.Sample(rng, 1, 12, m.Compose(1, 12, picks).P))
		}
		var last round
		for it, err := range softEM(t.Context(), m, rows.Distinct(data),
			emOptions{Iterations: 3, MStep: mStepOptions{Marginal: rows.Means(data)}}) {
			if err != nil {
				t.Fatal(err)
			}
			last = it
		}
		for k := range truth {
			testkit.NearAll(t, fmt.Sprintf("%v: expert %d", rule, k), last.Model.Template(k), truth[k], 0.06)
		}
		testkit.NearAll(t, "background", last.Model.Config().QMap, q, 0.06)
		testkit.NearAll(t, "usage", last.Model.Extras().Usage, []float64{0.4, 0.4, 0.4}, 0.06)
	}
}

// Experts without votes, or without rows, go; one is left in any case.
func TestBusy(t *testing.T) {
	cfg := patchwork.Config{Height: 1, Width: 2, QMap: []float64{0.5, 0.5}}
	m, err := patchwork.NewModel(cfg, [][]float64{{0.5, 0.5}, {0.9, 0.5}, {0.5, 0.9}})
	if err != nil {
		t.Fatal(err)
	}
	for rows, want := range map[int64]int{100: 2, 10: 1, 0: 1} {
		m, _ := m.WithExtras(patchwork.Extras{Usage: []float64{0.5, 0.2, 0.02}, Record: patchwork.Record{Rows: rows}})
		if got := withoutIdle(m); got.K() != want || len(got.Extras().Usage) != want {
			t.Errorf("%d rows: %d experts left, want %d", rows, got.K(), want)
		}
	}
}

func TestSoftRefuses(t *testing.T) {
	m, data := randomTable(rand.New(rand.NewPCG(7, 8)), patchwork.RuleMax, 5, 2, 4)
	scene, err := m.WithConfig(patchwork.Config{Height: 1, Width: 4, Scene: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := eStep(t.Context(), scene, data, posterior.Options{}, 1); err == nil {
		t.Error("a scene, no error")
	}
	wide := patchwork.Data{Images: []*bitmap.Image{bitmap.New(1, 5)}}
	if _, err := eStep(t.Context(), m, wide, posterior.Options{}, 1); err == nil {
		t.Error("a row too wide, no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := eStep(ctx, m, data, posterior.Options{}, 2); err == nil {
		t.Error("cancelled, no error")
	}
	defer func() {
		if recover() == nil {
			t.Error("counts of different columns merged")
		}
	}()
	other, _ := randomTable(rand.New(rand.NewPCG(7, 9)), patchwork.RuleMaxMinusMin, 5, 2, 6)
	newCounts(m, 1).merge(newCounts(other, 1))
}

// The name of an expert follows it, and goes with it.
func TestNamesFollowExperts(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2, Q: 0.1},
		[][]float64{{0.9, 0.1}, {0.1, 0.1}, {0.1, 0.8}})
	m, err := m.WithExtras(patchwork.Extras{Usage: []float64{0.5, 0.2, 0.5}, Record: patchwork.Record{Rows: 100},
		Names: []string{"first", "idle", "last"}, Columns: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	e := withoutIdle(m).Extras()
	if !slices.Equal(e.Names, []string{"first", "last"}) || !slices.Equal(e.Columns, []string{"a", "b"}) {
		t.Errorf("names %q, columns %q", e.Names, e.Columns)
	}
}

// noisyOr is a rule that is no fold.
const noisyOr = patchwork.Rule(joint.NoisyOr)
