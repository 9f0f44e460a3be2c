package stat

import (
	"math"
	"strings"
	"testing"
)

// TestBins: the calibration error of predictions that are right half the time, and where
// their points lie.
func TestBins(t *testing.T) {
	var b Bins
	for i := range 10 {
		b.Add(0.9, i%2 == 0)
	}
	if got := b.Error(); math.Abs(got-0.4) > 1e-12 {
		t.Errorf("error %v", got)
	}
	var c Bins
	for i, p := range []float64{0.95, 0.95, 0.95, 0.95, 0.1} {
		c.Add(p, i < 3)
	}
	if got, want := c.Error(), (0.8+0.1)/5; math.Abs(got-want) > 1e-12 {
		t.Errorf("error %v, want %v", got, want)
	}
	var both Bins
	both.AddAll(&b)
	both.Add(1, true)
	p, share, low, high := both.Points(2)
	if len(p) != 1 || math.Abs(p[0]-10./11) > 1e-12 || math.Abs(share[0]-6./11) > 1e-12 ||
		!(low[0] < share[0] && share[0] < high[0]) {
		t.Errorf("points %v %v %v %v", p, share, low, high)
	}
	if p, _, _, _ := both.Points(12); p != nil {
		t.Errorf("points %v of bins with fewer predictions", p)
	}
	b = Bins{}
	if b.Error() != 0 {
		t.Error("an error of nothing")
	}
	b.Add(1, true)
	if b.Error() != 0 {
		t.Error("a sure prediction that is right")
	}
	var w strings.Builder
	if both.Write(&w); !strings.Contains(w.String(), "| 0.9 to 1.0 | 11 | 0.909 | 0.545 |") {
		t.Error(w.String())
	}
}
