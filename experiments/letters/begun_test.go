package letters

import (
	"fmt"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/learn"
)

// TestBegun learns T from three examples, by default and from an alphabet of one straight
// stroke: a T that is begun from strokes ends in strokes, and the letters of the
// alphabet are others.
func TestBegun(t *testing.T) {
	if testing.Short() {
		t.Skip("learns a letter twice, a second")
	}
	set := pen(t, "TA", 30)
	alphabet, err := patchwork.NewModel(learn.Alphabet(56, 56), [][]float64{lines(90)})
	if err != nil {
		t.Fatal(err)
	}
	var cell begunCell
	for kind, from := range []*patchwork.Model{nil, alphabet} {
		b, err := LearnBegun(t.Context(), set, BegunTasks[0], 3, from, Options{Seed: 1, Starts: 2, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		cell.add(kind, b)
		if !(b.Test > -0.25 && b.Test < 0) || kind == 1 && !b.Natural {
			t.Errorf("start %d: %+v", kind, b)
		}
	}
	if row := cell.row(); !strings.Contains(row, fmt.Sprintf("%.4f | %.4f", cell.tests[0][0], cell.tests[1][0])) || !strings.Contains(row, "of 1") {
		t.Errorf("row %q of %+v", row, cell)
	}
	others, err := capitals(set, 1, 2, "T")
	if err != nil || others.Len() != 2 {
		t.Errorf("%d capitals of two writers without T, %v", others.Len(), err)
	}
}
