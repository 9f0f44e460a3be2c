package joint

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What rows of one set gain is, to the bit, what each gains by its own state, under every
// rule, with certain and unlikely opinions; what may be left out is below the bound.
func TestFactorsAreTheState(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 2))
	left := 0
	for _, r := range all {
		for n := range 60 {
			e, x := draw(rng, r, 6, 37)
			if n%3 == 0 {
				for _, opinion := range e.Opinions {
					opinion[rng.IntN(37)], opinion[rng.IntN(37)] = 1, 1e-15
				}
				e = NewExperts(r, e.Q, e.Opinions)
			}
			var set []int16
			for _, k := range rng.Perm(6)[:rng.IntN(5)] {
				set = append(set, int16(k))
			}
			var beside Beside
			var f Factors
			for range 2 { // the second time in the memory of the first
				beside.Reset(e, set)
				var s State
				s.Reset(e, x)
				for _, k := range set {
					s.Place(int(k))
				}
				for k := range e.Opinions {
					want := s.Gain(k)
					got := beside.Factors(&f, e.columns[k], e.packed[k]).GainAbove(x, math.Inf(-1))
					if math.Float64bits(got) != math.Float64bits(want) {
						t.Fatalf("%s: expert %d beside %v gains %v, by its state %v", Names[r], k, set, got, want)
					}
					if got := f.GainAbove(x, 1e-2); got != want {
						if left++; !math.IsInf(got, -1) || want > math.Log(1e-2) {
							t.Fatalf("%s: left out %v, which is %v", Names[r], want, got)
						}
					}
				}
			}
		}
	}
	if left == 0 {
		t.Error("nothing was left out")
	}
}
