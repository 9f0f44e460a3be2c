package dataset

import (
	"context"
	"fmt"
	"image"
	"image/color"
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
	sides := func(v uint8, y, x float64) uint8 { // of a desk: a broad one, and a strip as thin as a stroke
		if x > 0.85 || y > 0.985 {
			return 60
		}
		return v
	}
	top := func(y, x float64) bool { return y < 0.03 || math.Abs(x-0.5) < 0.02 } // a T that was cut to its ink
	for name, c := range map[string]struct {
		ink         func(y, x float64) bool
		light       func(v uint8, y, x float64) uint8
		ground, pen uint8
		evened      bool
	}{
		"strokes in half a shadow": {cross, half, 200, 40, true}, "strokes beside a desk": {cross, desk, 200, 40, true},
		"strokes beside a desk at two sides": {cross, sides, 200, 40, true}, "a stroke along the border": {top, nil, 200, 40, false},
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

// An empty page in the shadow of a hand is empty; light ink on a transparent ground is ink; a picture of 12 bits in 16 is
// read by its own range.
func TestPicturesOfUnusualRange(t *testing.T) {
	empty := canvas{height: 300, width: 400, ink: 40, paper: 200, noise: 2, seed: 5}.photo(func(y, x float64) bool { return false })
	for i := range empty.Pix {
		edge := float64(i/empty.Stride+i%empty.Stride-260) / 4
		empty.Pix[i] = uint8(float64(empty.Pix[i]) * (1 - 0.45/(1+math.Exp(edge))))
	}
	light, deep := image.NewNRGBA(image.Rect(0, 0, 30, 20)), image.NewGray16(image.Rect(0, 0, 30, 20))
	want := bitmap.New(20, 30)
	for i := range want.Len() {
		y, x := i/30, i%30
		want.Set(y, x, y == 10 && x > 3 && x < 25)
		deep.SetGray16(x, y, color.Gray16{Y: 3900})
		if want.At(y, x) {
			light.SetNRGBA(x, y, color.NRGBA{250, 250, 240, 255})
			deep.SetGray16(x, y, color.Gray16{Y: 300})
		}
	}
	for name, c := range map[string]struct {
		img  image.Image
		want *bitmap.Image
	}{"empty": {empty, bitmap.New(300, 400)}, "light ink": {light, want}, "12 bits": {deep, want}} {
		s, err := Decode(context.Background(), "a.png", pngFile(t, c.img), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !s.Images[0].Equal(c.want) {
			t.Errorf("%s: %d pixels of ink, want %d, notes %q", name, s.Images[0].CountOn(), c.want.CountOn(), s.Notes)
		}
	}
}

// Pictures with far more ink than the others are named, if they are few.
func TestSlabs(t *testing.T) {
	var s seen
	for i, ink := range []float64{.03, .02, .5, .04, .03, .01, .3, .05} {
		s.add(seenPicture{name: fmt.Sprintf("p%d.jpg", i), grey: true, ink: ink})
	}
	if got := s.notes(&Options{}); !strings.Contains(fmt.Sprint(got), "2 of 8 pictures look like slabs: p2.jpg, p6.jpg") {
		t.Errorf("notes %q", got)
	}
	for i := range 9 {
		s.add(seenPicture{name: fmt.Sprintf("q%d.jpg", i), grey: true, ink: .4})
	}
	if got := s.slabs(); got != nil {
		t.Errorf("%q are named among many of their kind", got)
	}
}
