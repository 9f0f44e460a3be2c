package table

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testkit"
)

// halves draws rows of three groups of four columns, each in half of the rows: that a
// group is there and that it is not describe them equally well.
func halves(seed uint64) patchwork.Data {
	rng := rand.New(rand.NewPCG(seed, 5))
	var data patchwork.Data
	for range 300 {
		p := make([]float64, 12)
		for g := range 3 {
			on := rng.Float64() < 0.5
			for i := range 4 {
				if p[4*g+i] = 0.12; on {
					p[4*g+i] = 0.9
				}
			}
		}
		data.Images = append(data.Images, bitmap.Sample(rng, 1, len(p), p))
	}
	return data
}

// Parts say what is there, where that describes the rows as well.
func TestPartsSayWhatIsThere(t *testing.T) {
	cfg := patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 12, Q: 0.5}
	all := 0
	for seed := range uint64(5) {
		turned, before := false, math.Inf(1)
		var m *patchwork.Model
		for s, err := range Run(t.Context(), halves(seed), cfg, Options{Seed: seed}) {
			if err != nil {
				t.Fatal(err)
			}
			if s.Candidate && s.Stage != StageFinal {
				before = min(before, s.DescriptionLength)
			}
			turned = turned || s.Candidate && s.Stage == StageFinal
			m = s.Model
		}
		if m.K() != 3 || absences(m) > 0 {
			t.Errorf("seed %d: %d parts, of which %d say what is absent", seed, m.K(), absences(m))
		}
		if got := m.Extras().Record.DescriptionLength; got > before+3*complementCost {
			t.Errorf("seed %d: %v nats, %v before", seed, got, before)
		}
		if turned {
			all++
		}
	}
	if all < 1 {
		t.Errorf("%d of 5 models were turned; the test shows little", all)
	}
}

// Where the parts vote on columns of their own, the complement describes the rows in
// as many nats, but for the explanations that the search leaves out.
func TestComplement(t *testing.T) {
	cfg := patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 12, QMap: make([]float64, 12)}
	absent, there := make([]float64, 12), make([]float64, 12)
	for i := range 12 {
		cfg.QMap[i] = 0.3 + 0.04*float64(i)
		absent[i], there[i] = cfg.QMap[i], cfg.QMap[i]
		if i < 4 {
			absent[i] = 0.05
		} else if i < 8 {
			there[i] = 0.95
		}
	}
	m, err := patchwork.NewModel(cfg, [][]float64{there, absent})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.WithExtras(patchwork.Extras{Usage: []float64{0.25, 0.6}, Record: patchwork.Record{Rows: 300},
		Names: []string{"a", "b"}}); err != nil {
		t.Fatal(err)
	}
	if absences(m) != 1 {
		t.Fatalf("%d parts that say what is absent", absences(m))
	}
	next, err := complement(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	if absences(next) != 0 || next.Extras().Names[1] != "b" {
		t.Errorf("%v, named %v", next.Templates(), next.Extras().Names)
	}
	testkit.NearAll(t, "usage", next.Extras().Usage, []float64{0.25, 0.4}, 1e-12)
	data := halves(1)
	testkit.NearAll(t, "nats", []float64{mustCounts(t, next, data, 1).LogLik()},
		[]float64{mustCounts(t, m, data, 1).LogLik()}, 1)
	testkit.NearAll(t, "templates", m.Template(1), absent, 0) // is not changed
}
