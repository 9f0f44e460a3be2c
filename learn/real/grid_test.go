package real

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestGridKeepsDecimals: what people write down keeps its value to the last bit.
func TestGridKeepsDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.IntRange(0, 5).Draw(t, "digits")
		rows := [][]float64{}
		for _, n := range rapid.SliceOfN(rapid.Int64Range(-Steps/2, Steps/2), 1, 20).Draw(t, "values") {
			rows = append(rows, []float64{float64(n) / math.Pow10(digits)})
		}
		d, err := NewData(1, 1, rows)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range d.Rows {
			if row[0] != rows[i][0] {
				t.Fatalf("%v became %v, scale %+v", rows[i][0], row[0], d.Scales[0])
			}
		}
	})
}

// TestGridIsFine: other values move by less than a millionth of their range; numbers of steps are small
// enough to be added; rounding twice changes nothing.
func TestGridIsFine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		height := rapid.IntRange(1, 2).Draw(t, "height")
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(-1e9, 1e9), 2*height, 2*height), 1, 8).Draw(t, "rows")
		if rapid.Bool().Draw(t, "unknown") {
			rows[0][1] = math.NaN()
		}
		d, err := NewData(height, 2, rows)
		if err != nil {
			t.Fatal(err)
		}
		low, high := math.Inf(1), math.Inf(-1)
		for i, row := range d.Rows {
			for j, x := range row {
				s := d.Scales[j]
				if math.IsNaN(x) != math.IsNaN(rows[i][j]) {
					t.Fatal("unknown became known")
				}
				if math.IsNaN(x) {
					continue
				}
				low, high = min(low, rows[i][j]), max(high, rows[i][j])
				if n := s.number(x); n > Steps || n < -Steps || s.value(n, x) != x {
					t.Fatalf("%v is number %d of %+v, whose value is %v", x, n, s, s.value(n, x))
				}
				if s.Floor < s.Step*s.Step/12 {
					t.Fatalf("floor %v below that of rounding, %v", s.Floor, s.Step*s.Step/12)
				}
			}
		}
		for i, row := range d.Rows {
			for j, x := range row {
				if off := math.Abs(x - rows[i][j]); off > 1e-6*max(high-low, math.Abs(x))+tiny {
					t.Fatalf("%v became %v, values go from %v to %v", rows[i][j], x, low, high)
				}
			}
		}
	})
}

// TestFloorOfImages: the least variance of images is that of the distance which all values share, in any unit.
func TestFloorOfImages(t *testing.T) {
	for _, c := range []struct{ unit, shift, want float64 }{{1, 0, .25}, {1. / 16, 0, .25 / 256}, {15, 7, 225 / 4.},
		{.1, -3, .0025}} {
		var rows [][]float64
		for i := range 6 {
			rows = append(rows, []float64{c.shift, c.shift + float64(i)*c.unit, math.NaN(), c.shift + 16*c.unit})
		}
		d, err := NewData(2, 2, rows)
		if err != nil || math.Abs(d.Scales[0].Floor-c.want) > 1e-12 {
			t.Errorf("values in units of %v from %v: floor %v, want %v, %v", c.unit, c.shift, d.Scales[0].Floor, c.want, err)
		}
	}
}

// TestExtremeValues: the largest and the smallest values there are give models that can be used.
func TestExtremeValues(t *testing.T) {
	for _, rows := range [][][]float64{
		{{1e150, 1e-310}, {-1e150, 5e-324}, {1e149, 0}}, {{1e150, 1}, {math.Nextafter(1e150, 0), 2}, {1e150, 3}},
		{{1e-139, 2e-139}, {3e-139, 0}, {2e-139, 1e-139}}, {{math.Pi, math.E}, {math.Pi, math.E}, {math.Pi, math.NaN()}},
	} {
		r := learned(t, newData(t, 1, 2, rows), Options{})
		p, err := NewPursuit(r.Model)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if post, err := p.Best(row, 0); err != nil || math.IsNaN(post.Evidence) || math.IsInf(post.Evidence, 0) {
				t.Errorf("%v of %v: evidence %v, %v", row, rows, post.Evidence, err)
			}
		}
	}
}

func TestScales(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		height int
		rows   [][]float64
		want   Scale
	}{
		{"grey values", 2, [][]float64{{0, 16}, {3, 9}}, Scale{Step: 1, Floor: .25}},
		{"decimals", 1, [][]float64{{1.25, 0}, {3.75, 0}}, Scale{Step: .01, Floor: 1.25 * 1.25 / 4}},
		{"constant", 1, [][]float64{{4, 4}, {4, 4}}, Scale{Step: 1, Floor: 1}},
		{"unknown", 1, [][]float64{{nan, 0}, {nan, 0}}, Scale{Step: 1, Floor: 1}},
	} {
		d, err := NewData(c.height, 2/c.height, c.rows)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Scales[0]; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	for _, rows := range [][][]float64{{{1, math.Inf(1)}}, {{1}}, {{1e200, 1}}} {
		if _, err := NewData(1, 2, rows); err == nil {
			t.Errorf("%v is taken", rows)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}} {
		if got := median(c.values); got != c.want {
			t.Errorf("median of %v is %v", c.values, got)
		}
	}
}
