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

// The best vote on levels is, to the bit, that of the ascent on cells: groups without rows
// count for neither, levels may be equal or certain.
func TestLevelsAreTheAscent(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 2))
	votes := 0
	for range 3000 {
		q, n := 0.001+0.6*rng.Float64(), 1+rng.IntN(12)
		rests, on, off := make([]Rest, n), make([]float64, n), make([]float64, n)
		a := Ascent{Rule: Max, Q: q}
		for i := range rests {
			rests[i].A = max(q, []float64{q, rng.Float64(), 0.7, 1}[rng.IntN(4)])
			if rng.IntN(3) > 0 {
				on[i] = 40 * rng.Float64()
			}
			if rng.IntN(3) > 0 {
				off[i] = 40 * rng.Float64()
			}
			if on[i]+off[i] > 0 {
				a.Cells = append(a.Cells, Cell{On: on[i], Off: off[i], Rest: rests[i]})
			}
		}
		least := 3 * rng.Float64()
		opinion, gain := NewLevels(rests).Best(q, least, on, off)
		want, wantGain := a.Best(least)
		if opinion != want || gain != wantGain {
			t.Fatalf("%v gains %v, by the ascent %v gains %v", opinion, gain, want, wantGain)
		}
		if want != q {
			votes++
		}
	}
	if votes < 300 {
		t.Errorf("only %d votes", votes)
	}
}
