package joint

import (
	"math"
	"math/rand/v2"
	"testing"
)

// tiedGroups draws rows of experts, and counts them by the sets that made them.
func tiedGroups(rng *rand.Rand, r Rule, rows, experts, width int) (*Groups, *Experts, []float64) {
	q, opinions := make([]float64, width), make([][]float64, experts)
	for i := range q {
		q[i] = 0.1
		if r.TwoSided() {
			q[i] = 0.5
		}
	}
	for k := range opinions {
		opinions[k] = append([]float64(nil), q...)
		for i := range q {
			if rng.IntN(4) == 0 {
				if opinions[k][i] = 0.9; r.TwoSided() && rng.IntN(2) == 0 {
					opinions[k][i] = 0.1
				}
			}
		}
	}
	g, means := NewGroups(width), make([]float64, width)
	for range rows {
		var set []int16
		for k := range opinions {
			if rng.IntN(4) == 0 {
				set = append(set, int16(k))
			}
		}
		var ones, hidden []int32
		for i := range q {
			var said []float64
			for _, k := range set {
				said = append(said, opinions[k][i])
			}
			switch p := Compose(r, q[i], said...); {
			case rng.IntN(10) == 0:
				hidden = append(hidden, int32(i))
			case rng.Float64() < p:
				ones = append(ones, int32(i))
				means[i] += 1 / float64(rows)
			}
		}
		g.Add(set, ones, hidden, Unit)
	}
	return g, NewExperts(r, q, opinions), means
}

func inTurn(bits int, work func(int)) {
	for i := range bits {
		work(i)
	}
}

func tiedOptions(means []float64, rows float64) Tied {
	return Tied{Number: math.Log(rows) / 2, Marginal: means, MinQ: 1e-3,
		Price: func(n float64) float64 { return math.Log(max(n, 1))/2 + 0.22 }}
}

// What the columns see of the groups is what a pass over all groups sees.
func TestTiedStepIsTheReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 33))
	for _, r := range []Rule{Max, MaxMinusMin} {
		for range 10 {
			g, e, means := tiedGroups(rng, r, 150, 5, 12)
			q, got := g.StepTied(e, tiedOptions(means, 150), inTurn)
			plain := &tying{columns: newColumns(newStep(g, MStep{Marginal: means, MinQ: 1e-3}, e)),
				Tied: tiedOptions(means, 150), plain: true}
			wantQ, want := plain.run(inTurn)
			for i := range q {
				if q[i] != wantQ[i] {
					t.Fatalf("rule %v, bit %d: background %v, want %v", Names[r], i, q[i], wantQ[i])
				}
				for k := range got {
					if math.Abs(got[k][i]-want[k][i]) > 1e-9 {
						t.Fatalf("rule %v, bit %d, expert %d: %v, want %v", Names[r], i, k, got[k][i], want[k][i])
					}
				}
			}
		}
	}
}

// Votes come back: of rows that experts of one strength made, the step finds the votes, at one
// strength an expert, and one background.
func TestTiedStepTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 34))
	for _, r := range []Rule{Max, MaxMinusMin} {
		g, e, means := tiedGroups(rng, r, 600, 4, 30)
		q, opinions := g.StepTied(e, tiedOptions(means, 600), inTurn)
		wrong, levels := 0, map[float64]bool{}
		for i := range q {
			levels[q[i]] = true
		}
		for k := range opinions {
			strengths := map[float64]bool{}
			for i, p := range opinions[k] {
				if (p > q[i]) != (e.Opinions[k][i] > e.Q[i]) || (p < q[i]) != (e.Opinions[k][i] < e.Q[i]) {
					wrong++
				}
				if p > q[i] {
					strengths[p] = true
				} else if p < q[i] {
					strengths[1-p] = true
				}
			}
			if len(strengths) > 2 {
				t.Errorf("rule %v, expert %d: %d strengths", Names[r], k, len(strengths))
			}
		}
		if wrong > 2 || len(levels) > 2 {
			t.Errorf("rule %v: %d votes are wrong, and the background has %d levels", Names[r], wrong, len(levels))
		}
	}
}
