package joint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// summed returns the probability of a set of experts, and of the compounds that are above it, as the formula has it.
func summed(set []int16, sets [][]int, sure [][]float64, alone []float64, ofCompounds func(came []int16) float64) float64 {
	sum := 0.0
	for bits := range 1 << len(sets) {
		now, came := slices.Clone(alone), []int16{}
		for i, members := range sets {
			if bits>>i&1 == 1 {
				came = append(came, int16(i))
				for j, k := range members {
					now[k] = max(now[k], sure[i][j])
				}
			}
		}
		p := ofCompounds(came)
		for k, v := range now {
			if !slices.Contains(set, int16(k)) {
				v = 1 - v
			}
			p *= v
		}
		sum += p
	}
	return sum
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// The probabilities of compounds, of compounds of compounds, and of one of several are those of the formula, and add
// up to 1; the evidence of a row is the sum over all sets.
func TestCompoundsAreTheFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	for range 20 {
		const experts, many = 6, 4
		alone, share := make([]float64, experts), make([]float64, many)
		for k := range alone {
			alone[k] = 0.02 + 0.3*rng.Float64()
		}
		sets, sure := make([][]int, many), make([][]float64, many)
		for i := range sets {
			share[i] = 0.05 + 0.2*rng.Float64()
			for k := range experts {
				if rng.IntN(2) == 1 {
					sets[i], sure[i] = append(sets[i], k), append(sure[i], 0.01+0.98*rng.Float64())
				}
			}
		}
		independent := func(shares []float64) func(came []int16) float64 {
			return func(came []int16) float64 {
				p := 1.0
				for i, w := range shares {
					if !slices.Contains(came, int16(i)) {
						w = 1 - w
					}
					p *= w
				}
				return p
			}
		}
		names := [][2]float64{{0.1, 0.1}, {0.2, 0.2}, {0.1, 0.1}, {0.3, 0.3}}
		one := NewSetPrior([][]int{{0}, {1}, {2, 3}}, []float64{0.3, 0.4, 0.2}, []int{-1, -1, -1, -1}, names)
		var key []byte
		top := [][]int{{0, 2}, {1, 2, 3}}
		topSure := [][]float64{{0.9, 0.8}, {0.7, 0.95, 0.9}}
		for name, prior := range map[string]struct {
			above *SetPrior
			of    func([]int16) float64
		}{
			"any": {nil, independent(share)},
			"one": {one, func(came []int16) float64 { p, _ := one.LogP(came, &key); return math.Exp(p) }},
			"three levels": {NewCompounds(top, topSure, []float64{0.3, 0.2}, share, nil), func(came []int16) float64 {
				return summed(came, top, topSure, share, independent([]float64{0.3, 0.2}))
			}},
		} {
			p := NewCompounds(sets, sure, share, alone, prior.above)
			probability := make([]float64, 1<<experts)
			total := 0.0
			for i := range probability {
				set := setOf(i)
				if i>>5 == 1 {
					set = append(set, 5)
				}
				probability[i] = summed(set, sets, sure, alone, prior.of)
				got, number := p.LogP(set, &key)
				near(t, name, got, math.Log(probability[i]))
				if number >= 0 {
					t.Errorf("%s: %v has a name", name, set)
				}
				total += probability[i]
			}
			near(t, name+", all", total, 1)
			e, x := draw(rng, Max, experts, 12)
			evidence := 0.0
			for i, v := range probability {
				set := setOf(i)
				if i>>5 == 1 {
					set = append(set, 5)
				}
				evidence += v * math.Exp(likelihood(e, x, set))
			}
			s := NewSearch(e, alone, 2, 16, 0)
			s.Prior = p
			_, got := s.Fork().Explain(x)
			near(t, name+", evidence", got, math.Log(evidence))
		}
	}
}
