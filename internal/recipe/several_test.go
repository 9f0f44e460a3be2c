package recipe

import (
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/learn"
)

// severalShapes draws images of the given size with two to five of two shapes each.
func severalShapes(n, height, width int) (data patchwork.Data) {
	shapes := []*bitmap.Image{bitmap.Parse("#####", "#....", "#....", "#....", "#####"),
		bitmap.Parse("..#..", "..#..", "#####", "..#..", "..#..")}
	r := rand.New(rand.NewPCG(3, 4))
	for range n {
		img := bitmap.New(height, width)
		for range 2 + r.IntN(4) {
			s, y, x := shapes[r.IntN(2)], r.IntN(height-4), r.IntN(width-4)
			for i := range 25 {
				if s.At(i/5, i%5) {
					img.Set(y+i/5, x+i%5, true)
				}
			}
		}
		data.Images = append(data.Images, img)
	}
	return data
}

// TestLook: images of several shapes anywhere are recognised as scenes, large ones against
// drawings and small ones against parts in their places, and the line says why and how
// to change it; where the recipe says what they are, nothing is looked at.
func TestLook(t *testing.T) {
	recipes := []Recipe{{}, {Count: Count{Experts: 2}, Method: "default", Rule: "max", Seed: 3}}
	for size, otherwise := range map[int]string{14: "as parts in their places", 22: "as drawings"} {
		data := severalShapes(40, size, size)
		d := Facts{Rows: 40, Height: size, Width: size}
		for _, r := range recipes[size/20:][:1] {
			var err error
			if d.Layout, err = r.Look(t.Context(), data, d); err != nil || !d.Layout.Several {
				t.Fatalf("side %d: %+v, %v", size, d.Layout, err)
			}
			got, line := r.Resolve(d)
			if !got.pairs() || got.Count != r.counted().Count || !strings.Contains(line, otherwise) ||
				!strings.Contains(line, "nats an image as scenes") || !strings.Contains(line, "--for drawings to change") {
				t.Errorf("side %d: %+v, %q", size, got, line)
			}
		}
		for _, r := range []Recipe{{For: ForDrawings}, {Poses: Poses{Given: true}}, {Begin: "splits"}, {Method: "soft"},
			{Rule: "noisy-or"}, {Poses: Poses{Shift: 2}}} {
			if l, err := r.Look(t.Context(), data, d); err != nil || l != (learn.Layout{}) {
				t.Errorf("%+v looks: %+v, %v", r, l, err)
			}
			if got, _ := r.Resolve(d); got.pairs() {
				t.Errorf("%+v becomes %+v", r, got)
			}
		}
	}
}

// TestNotSeveral: what was compared is said where it was decided otherwise.
func TestNotSeveral(t *testing.T) {
	d := Facts{Rows: 50, Height: 28, Width: 28, Layout: learn.Layout{Images: 20, Anywhere: 3000, Otherwise: 2000}}
	got, line := (Recipe{}).Resolve(d)
	if got.pairs() || !strings.Contains(line, "150 nats an image as scenes, 100 as drawings, on a sample of 20") ||
		!strings.Contains(line, "learning as drawings") {
		t.Errorf("%+v, %q", got, line)
	}
}
