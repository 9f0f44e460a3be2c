package quadrants

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/internal/assign"
)

// TestDefaultFindsTheTruth is a small version of the ledger: from 100 images
// all eight experts are found, nearly as good as the truth; the paper's formula
// finds fewer.
func TestDefaultFindsTheTruth(t *testing.T) {
	row, err := Run(t.Context(), Options{N: 100, Sets: 4, Test: 300, Seed: 5, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if row.AllS != 1 || row.AllFive != 1 || row.Recovered != 8 {
		t.Errorf("four sets of 100: %+v", row)
	}
	if row.Excess > 1.2 {
		t.Errorf("excess over the truth %.3f", row.Excess)
	}
	paper, err := Run(t.Context(), Options{N: 100, Sets: 4, Test: 300, Seed: 5, Workers: 2, Paper: true})
	if err != nil {
		t.Fatal(err)
	}
	if paper.Excess < 2 || paper.Recovered > 7.5 {
		t.Errorf("paper mode is better than it should be: %+v", paper)
	}
}

// TestEquationOneDoesNotConverge: even given the active experts, eq. (1) leaves
// votes off the support; the guarded step does not.
func TestEquationOneDoesNotConverge(t *testing.T) {
	one, err := OffSupport(t.Context(), true, 1000, 3)
	if err != nil {
		t.Fatal(err)
	}
	guarded, err := OffSupport(t.Context(), false, 1000, 3)
	if err != nil {
		t.Fatal(err)
	}
	if one < 0.1 || guarded > 0.02 {
		t.Errorf("mean off-support votes: eq. (1) %.3f, guarded %.4f", one, guarded)
	}
}

func truth(t *testing.T) [][]float64 {
	t.Helper()
	set, err := synth.Quadrants(synth.QuadrantsOptions{N: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return set.Truth.Experts
}

func TestRecovered(t *testing.T) {
	experts := truth(t)
	shuffled := make([][]float64, len(experts))
	for i, k := range rand.New(rand.NewPCG(1, 2)).Perm(len(experts)) {
		shuffled[i] = experts[k]
	}
	if s, five := Recovered(shuffled, experts); s != 8 || five != 8 {
		t.Errorf("the truth itself: %d, %d", s, five)
	}
	// An expert that always abstains has a mean error of only 0.125, but
	// recovers nothing.
	silent := make([]float64, 36)
	for d := range silent {
		silent[d] = 0.5
	}
	if s, five := Recovered(append(append([][]float64(nil), shuffled[:7]...), silent), experts); s != 7 || five != 7 {
		t.Errorf("seven and an abstainer: %d, %d", s, five)
	}
	// A duplicate counts once, and there may be fewer experts.
	if s, five := Recovered([][]float64{experts[0], experts[0]}, experts); s != 1 || five != 1 {
		t.Errorf("one expert twice: %d, %d", s, five)
	}
	if s, five := Recovered(append(append([][]float64(nil), shuffled...), silent, silent), experts); s != 8 || five != 8 {
		t.Errorf("the truth and two abstainers: %d, %d", s, five)
	}
}

// TestAssignMatchesBruteForce compares the cheapest pairs with all permutations.
func TestAssignMatchesBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 1 + r.IntN(5)
		cost := make([][]float64, n)
		for i := range cost {
			for range n {
				cost[i] = append(cost[i], r.Float64())
			}
		}
		gain := make([][]float64, n)
		for i, row := range cost {
			for _, c := range row {
				gain[i] = append(gain[i], -c)
			}
		}
		got := 0.0
		for i, k := range assign.Pairs(gain) {
			got += cost[i][k]
		}
		if want := cheapest(cost, 0, 0); got > want+1e-12 || got < want-1e-12 {
			t.Fatalf("%v: %v, the cheapest is %v", cost, got, want)
		}
	}
}

func cheapest(cost [][]float64, i, used int) float64 {
	if i == len(cost) {
		return 0
	}
	best := 1e9
	for k, c := range cost[i] {
		if used>>k&1 == 0 {
			best = min(best, c+cheapest(cost, i+1, used|1<<k))
		}
	}
	return best
}

func TestReport(t *testing.T) {
	var out bytes.Buffer
	if err := Report(t.Context(), &out, []Options{{N: 20, Sets: 1, Test: 20, Seed: 1}}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 3 || !strings.Contains(out.String(), "| default | 20 | 1 |") {
		t.Errorf("report:\n%s", out.String())
	}
	if err := Report(t.Context(), &out, []Options{{N: 0, Sets: 1}}); err == nil {
		t.Error("no images, no error")
	}
}
