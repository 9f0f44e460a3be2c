package draw

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestProportions draws many times and compares the frequencies with the weights,
// with zeros at the ends and between.
func TestProportions(t *testing.T) {
	weights, total := []float64{0, 1, 0, 5, 2, 0}, 8.0
	for name, one := range map[string]func(*rand.Rand) int{
		"ByWeight": func(r *rand.Rand) int { return ByWeight(r, weights) },
		"ByCount": func(r *rand.Rand) int {
			return ByCount(r, len(weights), int64(total), func(i int) int64 { return int64(weights[i]) })
		},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		const n = 40000
		seen := make([]float64, len(weights))
		for range n {
			seen[one(rng)]++
		}
		for i, w := range weights {
			p := w / total
			if math.Abs(seen[i]/n-p) > 5*math.Sqrt(p*(1-p)/n) {
				t.Errorf("%s drew %d in %.4f of the draws, its share is %.4f", name, i, seen[i]/n, p)
			}
		}
	}
}

// TestNoWeight covers lists in which nothing has a weight.
func TestNoWeight(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	if i := ByWeight(rng, []float64{0, -1, 0}); i != -1 {
		t.Errorf("ByWeight drew %d of no weight", i)
	}
	defer func() {
		if recover() == nil {
			t.Error("ByCount took counts that do not add up")
		}
	}()
	ByCount(rng, 2, 1<<40, func(int) int64 { return 0 })
}

// TestSample: every item is drawn with equal probability, items keep their order, and a sequence of no more items than
// asked for is kept whole.
func TestSample(t *testing.T) {
	const runs = 4000
	var drawn [10]int
	for seed := range uint64(runs) {
		s := NewSample[int](4, rand.New(rand.NewPCG(seed, 1)))
		for i := range drawn {
			s.Add(func() int { return i })
		}
		items := s.Items()
		if len(items) != 4 || s.Seen() != 10 || !slices.IsSorted(items) {
			t.Fatalf("seed %d: %v of %d", seed, items, s.Seen())
		}
		for _, i := range items {
			drawn[i]++
		}
	}
	for i, n := range drawn {
		if math.Abs(float64(n)-.4*runs) > 150 {
			t.Errorf("item %d is drawn %d times of %d", i, n, runs)
		}
	}
}
