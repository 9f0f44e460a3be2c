package rows

import (
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// A row of weight 2 is split as the row twice, nothing is lost, and the held-out share is
// that of all rows, weights counted.
func TestSplitUnits(t *testing.T) {
	var d patchwork.Data
	for i := range 9 {
		d.Images = append(d.Images,
			bitmap.FromBytes(1, 4, []uint8{uint8(i & 1), uint8(i >> 1 & 1), uint8(i >> 2 & 1), uint8(i >> 3 & 1)}))
		d.Weights = append(d.Weights, int64(i%4))
	}
	for seed := range uint64(5) {
		rest, held := SplitUnits(d, 0.25, seed)
		if Total(held) != 3 || Total(rest)+Total(held) != Total(d) {
			t.Fatalf("%d and %d of %d rows", Total(rest), Total(held), Total(d))
		}
		again, other := SplitUnits(Distinct(Units(d)), 0.25, seed)
		if Total(again) != Total(rest) || len(other.Images) != len(held.Images) {
			t.Fatal("rows of weight 2 are split otherwise than rows twice")
		}
		for i, row := range held.Images {
			if !row.Equal(other.Images[i]) || held.Weight(i) != other.Weight(i) {
				t.Fatal("other rows are held out")
			}
		}
	}
	if u := Units(d); int64(len(u.Images)) != Total(d) || u.Weights != nil {
		t.Errorf("%d rows one by one, of %d", len(u.Images), Total(d))
	}
}
