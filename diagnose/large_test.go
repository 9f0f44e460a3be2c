package diagnose

import (
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/pose"
)

// A model of 20,000 alike parts is described with a bounded number of comparisons and
// findings; a small one is compared whole.
func TestManyParts(t *testing.T) {
	templates := make([][]float64, 20_000)
	for k := range templates {
		templates[k] = []float64{.9, .5}
	}
	m, err := patchwork.NewModel(patchwork.NewConfig(patchwork.RuleMaxMinusMin, 1, 2, pose.Grid{}), templates)
	if err != nil {
		t.Fatal(err)
	}
	if found := findDuplicates(m); len(found) == 0 || len(found) > mostListed {
		t.Errorf("%d duplicates", len(found))
	}
	for _, c := range []struct{ k, width, want int }{{5, 1, 5}, {70, 1_000_000, leastCompared}, {900, 784, 900},
		{30_000, 1, 30_000}, {40_000, 1, 31_622}} {
		if got := compared(c.k, c.width); got != c.want {
			t.Errorf("%d parts of %d columns: %d are compared, want %d", c.k, c.width, got, c.want)
		}
	}
}
