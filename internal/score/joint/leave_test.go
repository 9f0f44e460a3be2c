package joint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// No expert can be left out of the best set so that the row gets likelier: also not one that
// was taken first and that later ones have made needless. Each set is returned once, and its
// probability is what the formula says.
func TestNoExpertIsNeedless(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 23))
	pi := []float64{0.3, 0.2, 0.25, 0.1, 0.3, 0.15, 0.2, 0.3}
	prior := func(set []int16) float64 {
		sum := 0.0
		for k, p := range pi {
			if slices.Contains(set, int16(k)) {
				sum += math.Log(p)
			} else {
				sum += math.Log1p(-p)
			}
		}
		return sum
	}
	for _, r := range all {
		left := 0
		for range 400 {
			e, x := overlapping(rng, r, len(pi), 16)
			s := NewSearch(e, pi, 2, 16, 0)
			for range 1 + rng.IntN(5) { // the search remembers what others came to
				s.Explain(x)
			}
			sets, _ := s.Explain(x)
			seen := map[string]bool{}
			for _, set := range sets {
				if want := prior(set.Experts) + likelihood(e, x, set.Experts); math.Abs(set.Joint-want) > 1e-6*(1+math.Abs(want)) {
					t.Fatalf("%s: %v has %v, want %v", Names[r], set.Experts, set.Joint, want)
				}
				key := fmt.Sprint(slices.Sorted(slices.Values(set.Experts)))
				if seen[key] {
					t.Fatalf("%s: %s twice", Names[r], key)
				}
				seen[key] = true
			}
			if s.leaving {
				left++
			}
			best := sets[0]
			for _, k := range best.Experts {
				without := slices.DeleteFunc(slices.Clone(best.Experts), func(j int16) bool { return j == k })
				if l := prior(without) + likelihood(e, x, without); l > best.Joint+1e-6 {
					t.Fatalf("%s: %v has %v, without %d it has %v", Names[r], best.Experts, best.Joint, k, l)
				}
			}
		}
		if left == 0 {
			t.Errorf("%s: no expert ever left", Names[r])
		}
	}
}

// overlapping returns experts that share many bits, and a row made of some of them.
func overlapping(rng *rand.Rand, r Rule, k, d int) (*Experts, []uint8) {
	q, opinions := make([]float64, d), make([][]float64, k)
	for i := range q {
		q[i] = 0.05
	}
	for j := range opinions {
		opinions[j] = slices.Clone(q)
		for i := range q {
			if rng.IntN(3) == 0 {
				opinions[j][i] = 0.8
			}
		}
	}
	var some [][]float64
	for range 3 {
		some = append(some, opinions[rng.IntN(k)])
	}
	x := make([]uint8, d)
	for i := range x {
		var p []float64
		for _, o := range some {
			p = append(p, o[i])
		}
		if rng.Float64() < Compose(r, q[i], p...) {
			x[i] = On
		}
	}
	return NewExperts(r, q, opinions), x
}
