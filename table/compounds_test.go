package table

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// twoLevels draws rows of two compounds of three parts of four columns each.
func twoLevels(n int, seed uint64) (data patchwork.Data) {
	rng := rand.New(rand.NewPCG(seed, 71))
	for range n {
		p := slices.Repeat([]float64{0.02}, 24)
		for compound := range 2 {
			comes := rng.Float64() < 0.3
			for part := 3 * compound; part < 3*compound+3; part++ {
				if comes && rng.Float64() < 0.95 || rng.Float64() < 0.08 {
					for j := range 4 {
						p[4*part+j] = 0.95
					}
				}
			}
		}
		data.Images = append(data.Images, bitmap.Sample(rng, 1, 24, p))
	}
	return data
}

// Parts that come together are parts of compounds, not parts with all their columns; new rows are likelier so.
func TestTwoLevels(t *testing.T) {
	for seed := range uint64(3) {
		data := twoLevels(500, seed)
		m, err := Learn(t.Context(), data, patchwork.Config{Height: 1, Width: 24}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := m.Extras().SetPrior
		if m.K() != 6 || p == nil || len(p.Sure) != 2 {
			t.Errorf("seed %d: %d parts, %+v", seed, m.K(), p)
			continue
		}
		for i, set := range p.Sets {
			groups := map[int]bool{}
			for _, k := range set {
				groups[slices.Index(m.Template(k), slices.Max(m.Template(k)))/12] = true
			}
			if len(set) != 3 || len(groups) != 1 {
				t.Errorf("seed %d: compound %d is of parts %v", seed, i, set)
			}
		}
		flat := m.Extras()
		flat.SetPrior = nil
		without, err := m.WithExtras(flat)
		if err != nil {
			t.Fatal(err)
		}
		tests := twoLevels(500, seed+100)
		c := counted(t, m, tests)
		if got, none := c.LogLik(), counted(t, without, tests).LogLik(); got < none+50 {
			t.Errorf("seed %d: new rows have log-likelihood %.1f, without compounds %.1f", seed, got, none)
		}
		if said, got := m.Extras().Record.DescriptionLength, counted(t, m, data).DescriptionLength(m); math.Abs(said-got) > 1e-6 {
			t.Errorf("seed %d: the description takes %v, the file says %v", seed, got, said)
		}
	}
}
