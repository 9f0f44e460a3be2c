package workbench

import (
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
)

// TestSurprises: cells that are known and not as expected are said, the oddest first, and no others.
func TestSurprises(t *testing.T) {
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 4, Q: .01},
		[][]float64{{.02, .05, .95, .01}})
	if err != nil {
		t.Fatal(err)
	}
	img := bitmap.New(1, 4)
	img.Set(0, 0, true)
	img.SetUnknown(0, 3)
	f := &dataset.Frame{Table: true}
	f.Images = []*bitmap.Image{img}
	c := &Case{Frame: f}
	c.Row.Picks = []patchwork.Pick{{Expert: 0}}
	of := Bits{m}
	said := func(most int) (out []string) {
		for _, x := range oddest(of.Cells(c, nil), oddBlamed, most) {
			out = append(out, x.inWords(of))
		}
		return out
	}
	if got := strings.Join(said(5), "; "); got != "column 1 yes, expected 2 %; column 3 no, expected 95 %" {
		t.Error(got)
	}
	if got := said(1); len(got) != 1 || !strings.HasPrefix(got[0], "column 1") {
		t.Error(got)
	}
}
