package words

import (
	"slices"
	"testing"

	"example.com/patchwork"
)

// A part that votes as another does, and on more, is said to hold it.
func TestNested(t *testing.T) {
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 4},
		[][]float64{{0.9, 0.8, 0, 0}, {0.7, 0.9, 0.9, 0}, {0, 0, 0.9, 0}, {0, 0.9, 0.9, 0.9}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Together(m), []string{"part 2 = part 1 and more"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

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
			[]string{"exactly one of: part 1 (40 %), bog (35 %), none (20 %)",
				"2 % of the rows have just part 1 + part 3; by chance 5 % would"}},
		{&patchwork.SetPrior{Parent: []int{-1, -1, -1}, Active: each, Sets: [][]int{{0, 1}, {1, 2}},
			Sure: [][]float64{{0.9, 0.8}, {0.9, 0.7}}, Share: []float64{0.2, 0.3},
			Above: &patchwork.SetPrior{Parent: []int{-1, 0}, Active: [][2]float64{{0.2, 0.2}, {0.1, 0.9}}}},
			[]string{"part bog+3 = bog (part 2) + part 3, in 30 % of rows, by chance 10 %",
				"part 1+bog = part 1 + bog (part 2), in 20 % of rows, by chance 25 %",
				"90 % of the rows with 1+bog (part 1) have bog+3 (part 2), 10 % of the others"}},
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
