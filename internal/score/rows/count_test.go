package rows

import (
	"math"
	"reflect"
	"testing"
)

// Divisions that are remembered count as those found for each row do, whatever their hashes share.
func TestDivisionsRemembered(t *testing.T) {
	for _, c := range []struct {
		k, d          int
		twoSided      bool
		soft, ignored bool
	}{{8, 36, false, false, false}, {12, 100, false, true, false}, {16, 70, true, true, false},
		{5, 20, true, false, false}, {17, 30, false, false, true}, {3, 64*fewWords + 1, false, false, true}} {
		rows := benchRows(c.k, c.d, manyRows, c.twoSided, c.soft)
		count := func(met int) (Counts, bool) {
			x := NewExplainer(NewTable(rows.bank, rows.opt))
			x.counts.met = met
			var out Picked
			x.Explain(rows.rows, &out)
			n := c.k * c.d
			counts := Counts{make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)}
			weights := make([]int64, rows.rows.N)
			for i := range weights {
				weights[i] = int64(i%5) * int64(i%5) * 20
			}
			x.Count(rows.rows, weights, &out, counts)
			x.Count(rows.rows, nil, &out, counts)
			return counts, x.counts.recent != nil
		}
		want, without := count(math.MinInt32)
		got, with := count(0)
		if without || with == c.ignored {
			t.Errorf("K=%d, D=%d: remembered %v and %v", c.k, c.d, without, with)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("K=%d, D=%d, two-sided %v: other counts", c.k, c.d, c.twoSided)
		}
	}
}
