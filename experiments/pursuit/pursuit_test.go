package pursuit

import (
	"strings"
	"testing"

	"example.com/patchwork/experiments/scenes"
	"example.com/patchwork/experiments/stat"
)

// The project's own glyphs in noise: the refined pursuit finds more of the scenes,
// and the row of the table says so.
func TestRefinedFindsMoreScenes(t *testing.T) {
	r, err := runScenes(t.Context(), scenes.Setting{Side: 48, Flip: 0.2}, 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.right[1] <= r.right[0] || r.perPixel[1] < r.perPixel[0] || !(r.perPixel[0] < 0) {
		t.Errorf("%+v", r)
	}
	var row strings.Builder
	write(stat.NewTable(&row), "scenes", []result{
		{perPixel: [2]float64{-.3, -.2}, right: [2]float64{.5, .7}, millis: [2]float64{1, 2}},
		{perPixel: [2]float64{-.5, -.2}, right: [2]float64{.5, .9}, millis: [2]float64{3, 4}},
	})
	const want = "| scenes | -0.4000 ± 0.1414 | -0.2000 ± 0.0000 | +0.2000 (+0.1000 to +0.3000) | 0.500 ± 0.000 | 0.800 ± 0.141 | +0.300 (+0.200 to +0.400) | 2.00 / 3.00 |\n"
	if !strings.HasSuffix(row.String(), want) {
		t.Errorf("the row is\n%s, want\n%s", row.String(), want)
	}
}
