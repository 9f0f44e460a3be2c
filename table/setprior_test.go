package table

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/posterior"
)

// Of parts that come together, or one at a time, the model says so; its description and its predictions are better
// than those of the same learner without, and independent parts have no prior.
func TestDependentParts(t *testing.T) {
	kinds := map[string]func(rng *rand.Rand) []bool{
		"together": func(rng *rand.Rand) []bool {
			a := rng.Float64() < 0.4
			return []bool{a, rng.Float64() < map[bool]float64{true: 0.7, false: 0.15}[a], rng.Float64() < 0.2, rng.Float64() < 0.3}
		},
		"one": func(rng *rand.Rand) []bool {
			out := make([]bool, 4)
			out[rng.IntN(4)] = true
			return out
		},
		"independent": func(rng *rand.Rand) []bool {
			return []bool{rng.Float64() < 0.3, rng.Float64() < 0.3, rng.Float64() < 0.3, rng.Float64() < 0.3}
		},
	}
	for name, active := range kinds {
		for seed := range uint64(2) {
			rng := rand.New(rand.NewPCG(seed, 42))
			draw := func(n int) (data patchwork.Data) {
				for range n {
					p := make([]float64, 32)
					for i, on := range active(rng) {
						for j := range 8 {
							if p[8*i+j] = 0.1; on {
								p[8*i+j] = 0.8
							}
						}
					}
					data.Images = append(data.Images, bitmap.Sample(rng, 1, 32, p))
				}
				return data
			}
			m, err := Learn(t.Context(), draw(400), patchwork.Config{Height: 1, Width: 32}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			extras := m.Extras()
			if got := extras.SetPrior != nil; got != (name != "independent") || m.K() != 4 {
				t.Errorf("%s, seed %d: %d parts, prior %+v", name, seed, m.K(), extras.SetPrior)
				continue
			}
			if extras.SetPrior == nil {
				continue
			}
			extras.SetPrior = nil
			flat, err := m.WithExtras(extras)
			if err != nil {
				t.Fatal(err)
			}
			tests := draw(400)
			got, without := counted(t, m, tests).LogLik(), counted(t, flat, tests).LogLik()
			if got < without+20 {
				t.Errorf("%s, seed %d: new rows have log-likelihood %.1f, without the prior %.1f", name, seed, got, without)
			}
			hidden := posterior.Exclusive(nil).HideBits(tests, 0.3, 1, seed)
			with, flatLoss := hiddenLoss(t, m, hidden), hiddenLoss(t, flat, hidden)
			if with > flatLoss+1e-4 {
				t.Errorf("%s, seed %d: hidden bits lose %.4f, without the prior %.4f", name, seed, with, flatLoss)
			}
		}
	}
}

func hiddenLoss(t *testing.T, m *patchwork.Model, hidden posterior.HiddenBits) float64 {
	t.Helper()
	s, err := posterior.Score(t.Context(), m, hidden, posterior.Options{}, 1)
	if err != nil || math.IsNaN(s.Averaged.LogLoss) {
		t.Fatal(err)
	}
	return s.Averaged.LogLoss
}
