package stat

import (
	"math"
	"testing"
)

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		x       []float64
		q, want float64
	}{
		{[]float64{7}, 0.25, 7}, {[]float64{4, 0}, 0.25, 1}, {[]float64{4, 0}, 0.75, 3}, {[]float64{5, 1, 2, 4, 3}, 0.25, 2},
		{[]float64{4, math.NaN(), 1, 3, 2}, 0, 1}, {[]float64{4, math.NaN(), 1, 3, 2}, 0.5, 2.5},
		{[]float64{4, math.NaN(), 1, 3, 2}, 1, 4},
	} {
		first := c.x[0]
		if got := Quantile(c.x, c.q); got != c.want || c.x[0] != first {
			t.Errorf("quantile %v is %v, want %v, of %v", c.q, got, c.want, c.x)
		}
	}
	if Median([]float64{5, 1, 100}) != 5 || !math.IsNaN(Median(nil)) {
		t.Error("the median is wrong")
	}
}

func TestMeanAndSD(t *testing.T) {
	x := []float64{1, 2, 3, 6}
	if m, s := Mean(x), SD(x); m != 3 || math.Abs(s-math.Sqrt(14./3)) > 1e-12 || SD(x[:1]) != 0 || !math.IsNaN(Mean(nil)) {
		t.Errorf("mean %v, standard deviation %v", m, s)
	}
}
