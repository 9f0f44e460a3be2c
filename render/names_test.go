package render

import (
	"bytes"
	"strings"
	"testing"

	patchwork "example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// Pictures call parts by their names, cut to the length of a caption, and others by
// their numbers.
func TestPicturesUseNames(t *testing.T) {
	m, err := patchwork.NewModel(patchwork.Config{Height: 2, Width: 2},
		[][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}})
	if err == nil {
		m, err = m.WithExtras(patchwork.Extras{Names: []string{"bog", "", "a meadow of more than twenty-four letters"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	img := bitmap.New(2, 2)
	e := patchwork.Explanation{Picks: []patchwork.Pick{{Expert: 0}, {Expert: 1}, {Expert: 2}}}
	for name, sheet := range map[string]Sheet{
		"parts": Experts(m), "explanations": Explanations(m, []Case{{"x", img, e}}), "steps": Steps(m, img, e),
	} {
		var svg bytes.Buffer
		if err := WriteSVG(&svg, sheet); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"bog", "part 2", "a meadow of more than t…"} {
			if !strings.Contains(svg.String(), want) {
				t.Errorf("%s lack %q", name, want)
			}
		}
		if strings.Contains(svg.String(), "part 1") {
			t.Errorf("%s say part 1", name)
		}
	}
}
