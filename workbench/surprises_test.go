package workbench

import (
	"math"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
)

// TestSurprises: cells that are known and not as expected are said, the least expected first, and no others.
func TestSurprises(t *testing.T) {
	img := bitmap.New(1, 4)
	img.Set(0, 0, true)
	img.Set(0, 1, true)
	img.SetUnknown(0, 3)
	bits := &dataset.Frame{Columns: []string{"a", "b", "c", "d"}, Table: true}
	bits.Images = []*bitmap.Image{img}
	x := &Filled{Explained: &Explained{Frame: bits}, Values: [][]float64{{.2, .9, .95, .01}}}
	if got := strings.Join(x.Surprises(0, 5), "; "); got != "c no, 5 % likely; a yes, 20 % likely" {
		t.Error(got)
	}
	if got := x.Surprises(0, 1); len(got) != 1 || got[0][0] != 'c' {
		t.Error(got)
	}
	numbers := &dataset.Frame{Columns: bits.Columns, Table: true, Values: [][]float64{{1, 9, math.NaN(), 5}}}
	x = &Filled{Explained: &Explained{Frame: numbers}, Values: [][]float64{{1, 2, 3, 5}},
		Deviation: [][]float64{{1, 2, 1, 0}}}
	if got := strings.Join(x.Surprises(0, 5), "; "); got != "b 9, expected about 2" {
		t.Error(got)
	}
}
