package rows

import (
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"
)

// Rows are merged if and only if they are equal, unknown cells and all; weights add up, and
// the order is that of first occurrence.
func TestDistinctIsEquality(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		height, width := rapid.IntRange(1, 3).Draw(t, "height"), rapid.SampledFrom([]int{1, 2, 5, 31, 64, 65}).Draw(t,
			"width")
		var d patchwork.Data
		for range rapid.IntRange(0, 12).Draw(t, "rows") {
			chars := rapid.SampledFrom([]string{"#.", "#.?", "#", ".?"}).Draw(t, "chars")
			d.Images = append(d.Images, testkit.DrawImage(t, height, width, chars))
			d.Weights = append(d.Weights, rapid.Int64Range(0, 3).Draw(t, "weight"))
		}
		var want patchwork.Data
		for i, row := range d.Images {
			found := d.Weights[i] == 0
			for j, other := range want.Images {
				if d.Weights[i] > 0 && row.Equal(other) {
					want.Weights[j] += d.Weights[i]
					found = true
				}
			}
			if !found {
				want.Images, want.Weights = append(want.Images, row), append(want.Weights, d.Weights[i])
			}
		}
		got := Distinct(d)
		if len(got.Images) != len(want.Images) {
			t.Fatalf("%d distinct rows, want %d", len(got.Images), len(want.Images))
		}
		for i := range got.Images {
			if got.Images[i] != want.Images[i] || got.Weights[i] != want.Weights[i] {
				t.Fatalf("row %d is another one, or of weight %d instead of %d", i, got.Weights[i], want.Weights[i])
			}
		}
	})
}
