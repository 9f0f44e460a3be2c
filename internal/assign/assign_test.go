package assign

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPairs compares the pairing with the best of all permutations.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, columns := rapid.IntRange(1, 5).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "columns")
		gain := make([][]float64, rows)
		for i := range gain {
			gain[i] = rapid.SliceOfN(rapid.Float64Range(0, 1), columns, columns).Draw(t, "gain")
		}
		got, used, sum := Pairs(gain), map[int]bool{}, 0.0
		for i, j := range got {
			if j < 0 {
				continue
			}
			if used[j] || j >= columns {
				t.Fatalf("column %d twice or beyond: %v", j, got)
			}
			used[j] = true
			sum += gain[i][j]
		}
		if len(used) != min(rows, columns) {
			t.Fatalf("%v pairs %d of %d x %d", got, len(used), rows, columns)
		}
		var best func(i int, taken []int) float64
		best = func(i int, taken []int) float64 {
			if i == rows {
				return 0
			}
			most := best(i+1, taken) // without a counterpart
			for j := range columns {
				if !slices.Contains(taken, j) {
					most = max(most, gain[i][j]+best(i+1, append(slices.Clone(taken), j)))
				}
			}
			return most
		}
		if want := best(0, nil); math.Abs(sum-want) > 1e-9 {
			t.Fatalf("%v gains %v, the best %v", got, sum, want)
		}
	})
}
