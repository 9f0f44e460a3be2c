package words

import (
	"slices"
	"testing"

	"example.com/patchwork"
)

func TestTogether(t *testing.T) {
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 3},
		[][]float64{{0.9, 0, 0}, {0, 0.9, 0}, {0, 0, 0.9}})
	if err != nil {
		t.Fatal(err)
	}
	each := [][2]float64{{0.5, 0.5}, {0.1, 0.8}, {0.2, 0.2}}
	for _, c := range []struct {
		prior *patchwork.SetPrior
		want  []string
	}{
		{nil, nil},
		{&patchwork.SetPrior{Parent: []int{-1, 0, -1}, Active: each},
			[]string{"80 % of the rows with part 1 have bog (part 2), 10 % of the others"}},
		{&patchwork.SetPrior{Parent: []int{-1, -1, -1}, Active: each, Sets: [][]int{{0}, {1}, {}, {0, 2}},
			Share: []float64{0.4, 0.35, 0.2, 0.02}},
			[]string{"95 % of the rows have one part, or none: parts exclude each other",
				"2 % of the rows have just part 1 and part 3; by chance 5 % would"}},
	} {
		n, err := m.WithExtras(patchwork.Extras{SetPrior: c.prior, Usage: []float64{0.5, 0.5, 0.2},
			Names: []string{"", "bog", ""}})
		if err != nil {
			t.Fatal(err)
		}
		if got := Together(n); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
