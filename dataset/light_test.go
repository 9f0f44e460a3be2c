package dataset

import (
	"context"
	"image"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLightIsFound: the surface under noise and strokes is the one that the
// picture was made of.
func TestLightIsFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := surface{40000}
		for i := 1; i < len(want); i++ {
			want[i] = rapid.Float64Range(-4000, 4000).Draw(rt, "term")
		}
		g := &gray{height: rapid.IntRange(12, 40).Draw(rt, "h"), width: rapid.IntRange(12, 40).Draw(rt, "w")}
		stroke := rapid.IntRange(2, 9).Draw(rt, "stroke")
		for i := range g.height * g.width {
			v := want.at(g.place(i))
			if i%g.width == stroke {
				v -= 15000
			}
			g.lum = append(g.lum, uint16(math.Round(v)))
		}
		got, ok := g.light()
		low, high := math.Inf(1), math.Inf(-1)
		for i := range g.lum {
			v := want.at(g.place(i))
			low, high = min(low, v), max(high, v)
			if ok && math.Abs(got.at(g.place(i))-v) > 60 {
				rt.Fatalf("%v at %d where %v was due, of %d x %d", got.at(g.place(i)), i, v, g.height, g.width)
			}
		}
		if !ok && high-low > 3*257 {
			rt.Fatalf("level, but it goes from %v to %v", low, high)
		}
	})
}

// TestUnevenLight: thin ink in uneven light is found as well as in even light,
// dark or bright, and an empty page in it is empty; a picture in even light is
// left alone.
func TestUnevenLight(t *testing.T) {
	thin := func(y, x float64) bool {
		return math.Abs(y-0.2) < 0.005 && x > 0.2 && x < 0.8 || math.Abs(x-0.5) < 0.005 && y > 0.2 && y < 0.9
	}
	none := func(_, _ float64) bool { return false }
	even := canvas{height: 400, width: 500, ink: 60, paper: 190, noise: 5, seed: 1}
	dim, board := even, even
	dim.vignette = 0.4
	board.ink, board.paper, board.vignette = 200, 70, 0.4
	read := func(c canvas, ink func(y, x float64) bool) *Set {
		s, err := Decode(context.Background(), "a.png", pngFile(t, c.photo(ink)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	want := read(even, thin)
	if strings.Contains(strings.Join(sentences(want), "|"), "uneven") {
		t.Errorf("in even light: %q", sentences(want))
	}
	for name, c := range map[string]canvas{"dim": dim, "board": board} {
		s := read(c, thin)
		if n := overlap(want.Images[0], s.Images[0]); n < 0.9 {
			t.Errorf("%s: overlap %.3f", name, n)
		}
		if !strings.Contains(strings.Join(sentences(s), "|"), "1 picture was in uneven light, which was evened out first") {
			t.Errorf("%s: notes %q", name, sentences(s))
		}
		if s := read(c, none); s.Images[0].CountOn() != 0 || !strings.Contains(strings.Join(sentences(s), "|"), "taken as blank") {
			t.Errorf("%s and empty: %d pixels of ink, notes %q", name, s.Images[0].CountOn(), sentences(s))
		}
	}
	// What was drawn by a program has even light.
	art := draw(image.NewGray(image.Rect(0, 0, 60, 60)), func(y, x int) uint8 {
		return uint8(min(255, 100*max(0, math.Abs(math.Hypot(float64(y-30), float64(x-30))-20)-2)))
	})
	g := onPaper(art, 0xffff)
	if _, evened := g.evened(); evened {
		t.Error("a ring drawn by a program is said to be in uneven light")
	}
	// A picture of one line cannot have a surface.
	if _, evened := (&gray{height: 1, width: 3, lum: []uint16{1, 2, 3}}).evened(); evened {
		t.Error("three pixels are said to be in uneven light")
	}
}
