package dataset

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/testenv"
	"pgregory.net/rapid"
)

// TestOtsuIsBruteForce: no division of the pixels has a greater variance
// between its classes, computed from the definition; and the threshold lies in
// the middle of the levels that give the same division.
func TestOtsuIsBruteForce(t *testing.T) {
	between := func(h *levels, t int) float64 {
		var n, sum [2]float64
		for v, c := range h {
			n[btoi(v > t)] += float64(c)
			sum[btoi(v > t)] += float64(c) * float64(v)
		}
		if n[0] == 0 || n[1] == 0 {
			return 0
		}
		d := sum[1]/n[1] - sum[0]/n[0]
		return n[0] * n[1] / (n[0] + n[1]) / (n[0] + n[1]) * d * d
	}
	rapid.Check(t, func(rt *rapid.T) {
		var h levels
		for range rapid.IntRange(1, 12).Draw(rt, "levels") {
			h[rapid.IntRange(0, 255).Draw(rt, "level")] += rapid.Int64Range(1, 1<<rapid.IntRange(1, 24).Draw(rt, "bits")).Draw(
				rt, "pixels")
		}
		got, contrast := h.otsu()
		best := 0.0
		for v := range 255 {
			best = max(best, between(&h, v))
		}
		if b := between(&h, got); b < best*(1-1e-12) {
			rt.Fatalf("divided at %d with %v between the classes, the best has %v", got, b, best)
		}
		if (contrast == 0) != (best == 0) || contrast < 0 || contrast > 255 {
			rt.Fatalf("contrast %v where the best division has %v", contrast, best)
		}
		low, high := got, got // as far as the levels are empty
		for low > 0 && h[low] == 0 {
			low--
		}
		for high < 254 && h[high+1] == 0 {
			high++
		}
		if best > 0 && got != low+(high-low)/2 {
			rt.Fatalf("%d is not in the middle of %d to %d", got, low, high)
		}
	})
}

// canvas is a drawing of strokes on paper, as a photo would show it.
type canvas struct {
	height, width int
	ink, paper    float64 // luminances of 255
	vignette      float64 // how much darker the corners are
	noise         float64 // standard deviation
	seed          uint64
}

// photo draws what is ink at positions from 0 to 1.
func (c canvas) photo(ink func(y, x float64) bool) *image.Gray {
	r := rand.New(rand.NewPCG(c.seed, 1))
	return draw(image.NewGray(image.Rect(0, 0, c.width, c.height)), func(y, x int) uint8 {
		fy, fx := (float64(y)+0.5)/float64(c.height), (float64(x)+0.5)/float64(c.width)
		v := c.paper
		if ink(fy, fx) {
			v = c.ink
		}
		v *= 1 - c.vignette*2*((fy-0.5)*(fy-0.5)+(fx-0.5)*(fx-0.5))
		return uint8(max(0, min(255, math.Round(v+c.noise*r.NormFloat64()))))
	})
}

// letterT is a T of thickness and width that vary, in the middle of the paper.
func letterT(y, x float64) bool {
	return x > 0.3 && x < 0.7 && y > 0.2 && y < 0.27 || x > 0.47 && x < 0.53 && y > 0.2 && y < 0.8
}

// phone is a photo in uneven light, desk one in even light.
var (
	phone = canvas{height: 300, width: 240, ink: 50, paper: 190, vignette: 0.3, noise: 6, seed: 1}
	desk  = canvas{height: 300, width: 240, ink: 50, paper: 190, noise: 6, seed: 1}
)

// TestGreyPictures: a grey photo is divided by itself, the same in light on
// dark, and both are said.
func TestGreyPictures(t *testing.T) {
	s := mustRead(t, "a.jpg", jpegFile(t, desk.photo(letterT)), Options{})
	wrong := 0
	for i := range desk.height * desk.width {
		y, x := i/desk.width, i%desk.width
		wrong += btoi(s.Images[0].At(y, x) != letterT((float64(y)+0.5)/float64(desk.height),
			(float64(x)+0.5)/float64(desk.width)))
	}
	if wrong > 150 { // of 72,000: the edges of 1000 pixels
		t.Errorf("%d pixels are wrong", wrong)
	}
	if len(sentences(s)) != 1 || !strings.HasPrefix(sentences(s)[0], "1 grey picture was made binary at ") ||
		!strings.HasSuffix(sentences(s)[0], "of 255 (Otsu); --threshold N sets it") {
		t.Errorf("notes %q", sentences(s))
	}
	// The note's threshold gives the same picture.
	var at int
	if _, err := fmt.Sscanf(sentences(s)[0], "1 grey picture was made binary at %d", &at); err != nil {
		t.Fatal(err)
	}
	same := mustRead(t, "a.jpg", jpegFile(t, desk.photo(letterT)), Options{Threshold: threshold(float64(at))})
	if pixels(same) != pixels(s) || sentences(same) != nil {
		t.Errorf("--threshold %d differs; notes %q", at, sentences(same))
	}
	board := desk
	board.ink, board.paper = 220, 40
	light := mustRead(t, "a.jpg", jpegFile(t, board.photo(letterT)), Options{})
	if n := overlap(light.Images[0], s.Images[0]); n < 0.95 {
		t.Errorf("chalk on a board: overlap %.3f", n)
	}
	if notes := strings.Join(sentences(light), "|"); !strings.Contains(notes,
		"1 picture was light on dark and inverted; --threshold N leaves light as paper") {
		t.Errorf("notes %q", sentences(light))
	}
	if dark := mustRead(t, "a.jpg", jpegFile(t, board.photo(letterT)), Options{Invert: true}); pixels(dark) !=
		pixels(light) || len(sentences(dark)) != 1 {
		t.Errorf("--invert where it was found out, too: %q", sentences(dark))
	}
	empty := mustRead(t, "a.jpg",
		jpegFile(t, canvas{height: 60, width: 60, paper: 200, noise: 6}.photo(func(_, _ float64) bool { return false })),
		Options{})
	if n := empty.Images[0].CountOn(); n != 0 || !strings.Contains(strings.Join(sentences(empty), "|"),
		"1 picture was of nearly one grey and taken as blank") {
		t.Errorf("an empty page has %d pixels of ink; notes %q", n, sentences(empty))
	}
}

// overlap returns the share of the ink of two images that both have.
func overlap(a, b *bitmap.Image) float64 {
	both, any := 0, 0
	for y := range a.Height() {
		for x := range a.Width() {
			both += btoi(a.At(y, x) && b.At(y, x))
			any += btoi(a.At(y, x) || b.At(y, x))
		}
	}
	return float64(both) / float64(any)
}

// TestBorder: a dark border alone does not make a picture light on dark, nor
// does a dark picture with a light border.
func TestBorder(t *testing.T) {
	for name, c := range map[string]struct {
		dark func(y, x float64) bool
		want bool
	}{
		"ink on paper":               {letterT, false},
		"a dark frame":               {func(y, x float64) bool { return min(y, x, 1-y, 1-x) < 0.05 }, false},
		"a blot with a light border": {func(y, x float64) bool { return min(y, x, 1-y, 1-x) > 0.1 }, false},
		"chalk":                      {func(y, x float64) bool { return !letterT(y, x) }, true},
		"chalk to the edges":         {func(y, x float64) bool { return x > 0.4 || y > 0.1 && y < 0.9 && x < 0.3 }, true},
	} {
		m := draw(image.NewGray(image.Rect(0, 0, 64, 64)), func(y, x int) uint8 {
			return []uint8{200, 40}[btoi(c.dark((float64(y)+0.5)/64, (float64(x)+0.5)/64))]
		})
		var s seenPicture
		d := onPaper(m, 0xffff).divide(rule{}, &s)
		if d.light != c.want || s.inverted != c.want || d.blank {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// TestArraysWithThresholdsOfTheirOwn: each image of an array gets its own, and
// the scale of the numbers does not matter.
func TestArraysWithThresholdsOfTheirOwn(t *testing.T) {
	auto := Options{AutoThreshold: true}
	grey := []uint8{10, 20, 200, 210, 3, 3, 4, 3, 0, 1, 1, 0, 7, 7, 7, 7}
	want := "..\n##\n..\n#.\n.#\n#.\n..\n..\n"
	s := mustRead(t, "a.npy", npyFile(t, npy.New(grey, 4, 2, 2)), auto)
	if got := pixels(s); got != want || len(sentences(s)) != 1 {
		t.Errorf("bytes:\n%s%q", got, sentences(s))
	}
	large := make([]float64, len(grey))
	for i, v := range grey {
		large[i] = 1e9 * float64(v)
		if v == 1 {
			large[i] = 1 // binary ones stay so
		}
	}
	if got := pixels(mustRead(t, "a.npy", npyFile(t, npy.New(large, 4, 2, 2)), auto)); got != want {
		t.Errorf("large numbers:\n%s", got)
	}
	holes := []float64{0, 0.3, math.NaN(), 0.9, math.Inf(1), 0, 2, 3}
	if got := pixels(mustRead(t, "a.npy", npyFile(t, npy.New(holes, 2, 2, 2)), auto)); got != "..\n?#\n..\n..\n" {
		t.Errorf("unknown and infinite:\n%s", got)
	}
	rows := npyFile(t, npy.New(grey, 4, 4))
	if got := pixels(mustRead(t, "a.npy", rows, Options{AutoThreshold: true, Height: 2, Width: 2})); got != want {
		t.Errorf("rows as images:\n%s", got)
	}
	refused(t, "a.npy", rows, auto)
	refused(t, "a.csv", []byte("3,4\n"), auto)
	if _, err := Read([]string{"a.npy"}, Options{AutoThreshold: true, Threshold: threshold(3)}); err == nil ||
		!testenv.Said(t, err.Error()) {
		t.Errorf("two thresholds: %v", err)
	}
	// Streamed, they are the same.
	if s, err := streamed(t, "a.npy", npyFile(t, npy.New(grey, 4, 2, 2)), auto); err != nil || pixels(s) != want {
		t.Errorf("streamed: %v, %v", s, err)
	}
}

// streamed reads a file image by image.
func streamed(t *testing.T, name string, content []byte, o Options) (*Set, error) {
	t.Helper()
	o.partBytes = 1
	s, err := OpenStream(t.Context(), []string{write(t, name, content)}, o)
	if err != nil {
		return nil, err
	}
	return s.Set(t.Context())
}
