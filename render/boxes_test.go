package render

import (
	"bytes"
	"encoding/xml"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
)

// Boxes are drawn about what they mark, in its colour, broken where it is doubtful; the vectors are
// well-formed whatever the label; large pages are drawn smaller.
func TestBoxes(t *testing.T) {
	page := bitmap.New(60, 80)
	page.Set(30, 40, true)
	b := &Boxes{Page: page, List: []Box{{Top: 25, Left: 35, Bottom: 35, Right: 45, Label: `<a&"b>`},
		{Top: 10, Left: 60, Bottom: 30, Right: 75, Kind: 1, Doubtful: true}}}
	img := b.Raster()
	if w, h := b.Size(); w != 80 || h != 60 || img.Bounds().Dx() != 80 || img.Bounds().Dy() != 60 {
		t.Fatalf("%d x %d", w, h)
	}
	if img.RGBAAt(40, 30).R > 100 || img.RGBAAt(50, 50) != white {
		t.Error("the page is not drawn")
	}
	count := func(c color.RGBA) (n int) {
		for y := range 60 {
			for x := range 80 {
				if img.RGBAAt(x, y) == c {
					n++
				}
			}
		}
		return n
	}
	if solid, broken := count(Hue(0)), count(Hue(1)); solid < 2*4*10 || broken < 20 || broken > 2*4*20 {
		t.Errorf("%d pixels of a box, %d of one that is doubtful", solid, broken)
	}
	var svg bytes.Buffer
	if err := b.SVG(&svg); err != nil {
		t.Fatal(err)
	}
	if d := xml.NewDecoder(bytes.NewReader(svg.Bytes())); true {
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	if text := svg.String(); strings.Count(text, "<rect") != 2 || strings.Count(text, "stroke-dasharray") != 1 {
		t.Error("other boxes in the vectors")
	}
	large := &Boxes{Page: bitmap.New(2, 2*MaxBoxesSide+1)}
	if w, h := large.Size(); w > MaxBoxesSide || h != 1 {
		t.Errorf("a large page is drawn as %d x %d", w, h)
	}
}

// A page as PNG is the image, pixel for pixel.
func TestWritePage(t *testing.T) {
	m := bitmap.Parse("#.#", ".#.")
	var b bytes.Buffer
	if err := WritePage(&b, m); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	for y := range 2 {
		for x := range 3 {
			if r, _, _, _ := img.At(x, y).RGBA(); (r == 0) != m.At(y, x) {
				t.Errorf("pixel %d, %d", y, x)
			}
		}
	}
}
