package stat

import (
	"errors"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	var w strings.Builder
	table := NewTable(&w, "set", Cells([]string{"max", "mean"}, strings.ToUpper), "loss")
	table.Row("%s | %s | %s", "votes",
		Cells([]float64{1, 2}, func(v float64) string { return Spread([]float64{v, v + 2}, 1) }), "")
	const want = "| set | MAX | MEAN | loss |\n|---|---|---|---|\n| votes | 2.0 ± 1.4 | 3.0 ± 1.4 |  |\n"
	if w.String() != want {
		t.Errorf("%q, want %q", w.String(), want)
	}
}

func TestSeeds(t *testing.T) {
	squares, err := Seeds(4, func(i uint64) (float64, error) { return float64(i * i), nil })
	if err != nil || MeanOf(squares, func(v float64) float64 { return 2 * v }) != 7 ||
		Count(squares, func(v float64) bool { return v > 3 }) != 2 {
		t.Errorf("%v, %v", squares, err)
	}
	broken := errors.New("broken")
	if got, err := Seeds(4, func(i uint64) (int, error) { return 0, broken }); err != broken || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}
