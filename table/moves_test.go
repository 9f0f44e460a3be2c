package table

import (
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

// Parts say what is there, where that describes the rows as well, and no part beside its opposite
// what the background may say.
func TestPartsSayWhatIsThere(t *testing.T) {
	cfg := patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 12, Q: 0.5}
	absent := 0
	for seed := range uint64(5) {
		m, err := Learn(t.Context(), halves(seed), cfg, Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for k := range m.K() {
			if votesFor(m, k) == 0 {
				absent++
			}
		}
		if m.K() != 3 {
			t.Errorf("seed %d: %d parts", seed, m.K())
		}
	}
	if absent > 1 {
		t.Errorf("%d of 15 parts say what is absent", absent)
	}
}

// The votes of a part that becomes the background are said where nobody votes; the other parts stay.
func TestAsBackground(t *testing.T) {
	q := []float64{.3, .3, .3, .4}
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 4, QMap: q},
		[][]float64{{.9, .9, .3, .4}, {.05, .1, .3, .4}, {.3, .95, .95, .4}})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.WithExtras(patchwork.Extras{Usage: []float64{.25, .6, .2}, Names: []string{"a", "b", "c"}}); err != nil {
		t.Fatal(err)
	}
	next, err := asBackground(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	testkit.NearAll(t, "background", next.Config().QMap, []float64{.05, .1, .3, .4}, 0)
	testkit.NearAll(t, "what votes", next.Template(0), []float64{.9, .9, .3, .4}, 0)
	testkit.NearAll(t, "and what does not", next.Template(1), []float64{.05, .95, .95, .4}, 0)
	if next.K() != 2 || next.Extras().Names[1] != "c" {
		t.Errorf("%d parts, named %v", next.K(), next.Extras().Names)
	}
}

// sources returns rows of a noisy-or network: each of some sources, drawn on a third of the
// columns, is active in a fifth of the rows, and turns its columns on but for a tenth.
func sources(rows, width, n int, seed uint64) (data patchwork.Data, columns [][]bool) {
	rng := rand.New(rand.NewPCG(seed, 12))
	for range n {
		source := make([]bool, width)
		for _, i := range rng.Perm(width)[:width/3] {
			source[i] = true
		}
		columns = append(columns, source)
	}
	for range rows {
		bits := make([]uint8, width)
		for _, source := range columns {
			active := rng.Float64() < 0.2
			for i, on := range source {
				if active && on && rng.Float64() < 0.9 {
					bits[i] = 1
				}
			}
		}
		data.Images = append(data.Images, bitmap.FromBytes(1, width, bits))
	}
	return data, columns
}

// found returns how many sources have an expert that votes for just their columns.
func found(m *patchwork.Model, columns [][]bool) int {
	n := 0
	for _, source := range columns {
		for k := range m.K() {
			same := true
			for i, p := range m.Template(k) {
				same = same && (p > 0.5) == source[i]
			}
			if same {
				n++
				break
			}
		}
	}
	return n
}

// Under a rule whose experts may vote for off, the sources of presences are found as under
// others, and no longer a description than the 1731.4 and 1673.7 nats of the five alone.
func TestSourcesOfPresences(t *testing.T) {
	for seed, length := range map[uint64]float64{2: 1731.4, 6: 1673.7} {
		data, columns := sources(300, 30, 5, seed)
		m, err := Learn(t.Context(), data, patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 30},
			Options{StartFrom: StartFromGrow, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if got := found(m, columns); got != len(columns) || m.Extras().Record.DescriptionLength > length {
			t.Errorf("seed %d: %d of %d sources found, in %v nats", seed, got, len(columns),
				m.Extras().Record.DescriptionLength)
		}
	}
}

// A start counts as one that has come again only beside a model that there is.
func TestSameAsAny(t *testing.T) {
	of := func(experts int, length float64) tried {
		c := tried{Step: Step{Model: new(patchwork.Model)}}
		c.Experts, c.DescriptionLength = experts, length
		return c
	}
	for _, c := range []struct {
		found, other tried
		want         bool
	}{
		{of(8, 900), tried{}, false},
		{of(8, 1000.5), tried{}, true},
		{of(7, 1000.5), tried{}, false},
		{of(8, 900), of(8, 999.5), true},
		{of(8, 900), of(9, 999.5), false},
	} {
		if got := sameAsAny(of(8, 1000), c.found, c.other); got != c.want {
			t.Errorf("%d experts in %v nats, and %d in %v: %v", c.found.Experts, c.found.DescriptionLength, c.other.Experts,
				c.other.DescriptionLength, got)
		}
	}
	if sameAsAny(tried{}, tried{}, tried{}) {
		t.Error("no model is as good as none")
	}
}
