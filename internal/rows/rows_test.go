package rows_test

import (
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/rows"
)

// Means are of the rows that know a column, by weight, and are never certain.
func TestMeans(t *testing.T) {
	var images []*bitmap.Image
	for _, bits := range [][]uint8{{1, 0, 1}, {1, 0, 0}, {0, 0, 1}} {
		row := bitmap.New(1, 3)
		for x, b := range bits {
			if b == 1 {
				row.Set(0, x, true)
			}
		}
		images = append(images, row)
	}
	images[1].SetUnknown(0, 2)
	d := patchwork.Data{Images: images, Weights: []int64{1, 5, 2}}
	want := []float64{6.5 / 9, .5 / 9, 3.5 / 4}
	if got := rows.Means(d); !slices.Equal(got, want) {
		t.Errorf("means %v, want %v", got, want)
	}
	var c rows.Columns
	if c.Len() != 0 || len(c.Means()) != 0 {
		t.Errorf("%d columns of no rows", c.Len())
	}
	for i := range images {
		c.Add(patchwork.Data{Images: images[i : i+1], Weights: d.Weights[i : i+1]})
	}
	if got := c.Means(); c.Len() != 3 || !slices.Equal(got, want) {
		t.Errorf("row by row means %v, want %v", got, want)
	}
}
