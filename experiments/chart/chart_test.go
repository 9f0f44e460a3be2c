package chart

import (
	"bytes"
	"image"
	"math"
	"strings"
	"testing"
)

// Whatever the numbers, a chart has its size, and its points that are finite.
func TestNastyCharts(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for name, s := range map[string]Series{
		"none":       {Name: "none"},
		"not finite": {Name: "x", X: []float64{0, 1, 2}, Y: []float64{nan, inf, -inf}},
		"constant":   {Name: "x", X: []float64{7, 7, 7}, Y: []float64{3, 3, 3}},
		"unequal":    {Name: "wide", X: []float64{1, 2, 3}, Y: []float64{4}, Points: true},
		"broken": {X: []float64{1, 2, 3, 4}, Y: []float64{4, 5, nan, 6}, Low: []float64{1, nan, 1},
			High: []float64{2, 2, 2}, Dashed: true},
	} {
		for _, c := range []Chart{Curves(name, "x", "y", []Series{s}),
			{Series: []Series{s}, Width: 300, Height: 200, LogX: true, XTicks: []float64{1, 10}, XNames: []string{"one"}}} {
			w, h := c.Size()
			if r := c.Raster(); r.Rect != image.Rect(0, 0, w, h) {
				t.Errorf("%s: raster %v, size %d x %d", name, r.Rect, w, h)
			}
			var b bytes.Buffer
			if err := c.SVG(&b); err != nil || c.Title != "" && !strings.Contains(b.String(), name) ||
				strings.Contains(b.String(), "NaN") {
				t.Errorf("%s: %v, %.300s", name, err, &b)
			}
		}
	}
}
