package dataset

import (
	"context"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testenv"
)

// Ink is read off photos in any light: even, on a gradient, in a soft or a hard shadow, beside a desk.
func TestPhotosInShade(t *testing.T) {
	folder := testenv.Shared(t, "cases/pictures/photos")
	for _, kind := range []string{"even", "grad", "soft", "hard", "grad+soft", "table"} {
		photos, err := filepath.Glob(filepath.Join(folder, kind, "*.jpg"))
		if err != nil || len(photos) == 0 {
			t.Fatal(kind, err)
		}
		for _, photo := range photos {
			data, err := os.ReadFile(photo)
			if err != nil {
				t.Fatal(err)
			}
			set, err := Decode(context.Background(), photo, data, Options{})
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimSuffix(filepath.Base(photo), "jpg") + "png"
			file, err := os.Open(filepath.Join(folder, "truth_"+kind, name))
			if err != nil {
				t.Fatal(err)
			}
			truth, err := png.Decode(file)
			file.Close()
			if err != nil {
				t.Fatal(err)
			}
			want := bitmap.New(truth.Bounds().Dy(), truth.Bounds().Dx())
			for i := range want.Len() {
				y, x := i/want.Width(), i%want.Width()
				v, _, _, _ := truth.At(x, y).RGBA()
				want.Set(y, x, v < 1<<15)
			}
			if n := overlap(want, set.Images[0]); n < 0.6 {
				t.Errorf("%s %s: overlap %.3f, %d of %d pixels are ink, notes %q", kind, name, n, set.Images[0].CountOn(), want.CountOn(),
					set.Notes)
			}
		}
	}
}

// A shadow's edge is no ink, nor is the desk beside the paper; filled shapes and light strokes on a dark ground stay as they are.
func TestShadeIsNoInk(t *testing.T) {
	even := canvas{height: 300, width: 400, ink: 40, paper: 200, noise: 4, seed: 2}
	cross := func(y, x float64) bool {
		return math.Abs(y-0.5) < 0.01 && x > 0.2 && x < 0.8 || math.Abs(x-0.5) < 0.01 && y > 0.2 && y < 0.8
	}
	broad := func(y, x float64) bool { return math.Abs(x-0.5) < 0.05 && math.Abs(y-0.5) < 0.4 }
	disc := func(y, x float64) bool { return math.Hypot(y-0.5, x-0.5) < 0.2 }
	half := func(v uint8, y, x float64) uint8 { // the shadow of a hand
		if x+y < 0.7 {
			return uint8(float64(v) * 0.55)
		}
		return v
	}
	desk := func(v uint8, _, x float64) uint8 {
		if x > 0.85 {
			return 30
		}
		return v
	}
	for name, c := range map[string]struct {
		ink         func(y, x float64) bool
		light       func(v uint8, y, x float64) uint8
		ground, pen uint8
		evened      bool
	}{
		"strokes in half a shadow": {cross, half, 200, 40, true}, "strokes beside a desk": {cross, desk, 200, 40, true},
		"a filled shape":      {disc, nil, 200, 40, false},
		"a broad grey stroke": {broad, nil, 200, 110, false},
		"a grey filled shape": {disc, nil, 200, 120, false}, "strokes on a blackboard": {cross, nil, 60, 200, false},
	} {
		even.paper, even.ink = float64(c.ground), float64(c.pen)
		img := even.photo(c.ink)
		b := img.Bounds()
		for i := range img.Pix {
			if c.light != nil {
				y, x := i/img.Stride, i%img.Stride
				img.Pix[i] = c.light(img.Pix[i], float64(y)/float64(b.Dy()), float64(x)/float64(b.Dx()))
			}
		}
		s, err := Decode(context.Background(), "a.png", pngFile(t, img), Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := bitmap.New(b.Dy(), b.Dx())
		for i := range want.Len() {
			y, x := i/b.Dx(), i%b.Dx()
			want.Set(y, x, c.ink((float64(y)+0.5)/float64(b.Dy()), (float64(x)+0.5)/float64(b.Dx())))
		}
		if want.CountOn()+s.Images[0].CountOn() > 0 && overlap(want, s.Images[0]) < 0.7 ||
			c.evened != strings.Contains(fmt.Sprint(s.Notes), "uneven light") {
			t.Errorf("%s: %d pixels of ink, %d drawn, notes %q", name, s.Images[0].CountOn(), want.CountOn(), s.Notes)
		}
	}
}
