package dataset

import (
	"context"
	"image"
	"math"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testenv"
	"pgregory.net/rapid"
)

// bounds returns the smallest rectangle around the ink of an image.
func bounds(m *bitmap.Image) (r image.Rectangle) {
	for y := range m.Height() {
		for x := range m.Width() {
			if m.At(y, x) {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

// TestFit: a drawing comes out at the size that was asked for, centred between
// the margins, with its aspect; what was brought to a size stays as it is at
// that size; and streamed it is the same.
func TestFit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h, w := rapid.IntRange(1, 90).Draw(rt, "h"), rapid.IntRange(1, 90).Draw(rt, "w")
		y0, x0 := rapid.IntRange(0, h-1).Draw(rt, "y0"), rapid.IntRange(0, w-1).Draw(rt, "x0")
		y1, x1 := rapid.IntRange(y0, h-1).Draw(rt, "y1"), rapid.IntRange(x0, w-1).Draw(rt, "x1")
		thick := rapid.IntRange(1, 6).Draw(rt, "thick")
		ink := []uint8{0, 60}[rapid.IntRange(0, 1).Draw(rt, "grey")]
		if 2*(y1-y0+1)*(x1-x0+1) > h*w {
			ink = 0 // a grey picture that is mostly dark is light on dark
		}
		if min(h, w) >= shadeSide && (y0 == 0 || x0 == 0 || y1 == h-1 || x1 == w-1) {
			ink = 0 // what is broad and dark at the edge of a photo is the desk
		}
		m := draw(image.NewGray(image.Rect(0, 0, w, h)), func(y, x int) uint8 {
			in := y >= y0 && y <= y1 && x >= x0 && x <= x1
			if in && min(y-y0, x-x0, y1-y, x1-x) < thick {
				return ink
			}
			return 255
		})
		o := Options{Height: rapid.IntRange(3, 60).Draw(rt, "height"), Width: rapid.IntRange(3, 60).Draw(rt, "width")}
		if h == o.Height && w == o.Width {
			return
		}
		s, err := readBytes(pngFile(t, m), o)
		if err != nil {
			rt.Fatal(err)
		}
		got := s.Images[0]
		if got.Height() != o.Height || got.Width() != o.Width {
			rt.Fatalf("%d x %d", got.Height(), got.Width())
		}
		full := h == y1-y0+1 && w == x1-x0+1 && 2*thick >= min(h, w)
		b := bounds(got)
		if b.Empty() {
			if full { // grey all over: no paper to tell the ink from
				return
			}
			rt.Fatalf("no ink in\n%v", got)
		}
		if dy, dx := b.Min.Y+b.Max.Y-o.Height, b.Min.X+b.Max.X-o.Width; max(dy, -dy, dx, -dx) > 2 {
			rt.Fatalf("not in the middle: %v of %v\n%v", b, o, got)
		}
		// The longer side fills what is between the margins, the other keeps the aspect.
		margin := min(o.Height, o.Width) / fitMargin
		scale := min(float64(o.Height-2*margin)/float64(y1-y0+1), float64(o.Width-2*margin)/float64(x1-x0+1))
		if wy, wx := scale*float64(y1-y0+1), scale*float64(x1-x0+1); !full &&
			(math.Abs(float64(b.Dy())-wy) > 2 || math.Abs(float64(b.Dx())-wx) > 2) {
			rt.Fatalf("%v where %.1f x %.1f were due\n%v", b, wy, wx, got)
		}
		again, err := readBytes(pngFile(t, ofBits(got)), o)
		if err != nil || !again.Images[0].Equal(got) {
			rt.Fatalf("a second time: %v\n%v\n%v", err, got, again)
		}
	})
}

// ofBits returns an image as a picture of black and white.
func ofBits(m *bitmap.Image) image.Image {
	return draw(image.NewGray(image.Rect(0, 0, m.Width(), m.Height())),
		func(y, x int) uint8 { return []uint8{255, 0}[btoi(m.At(y, x))] })
}

// TestFitOfPhotos: the same drawing in photos of different size, place, light
// and noise comes out nearly the same, and nearly as drawn at that size.
func TestFitOfPhotos(t *testing.T) {
	o := Options{Height: 56, Width: 56}
	at := func(c canvas, scale, dy, dx float64) *bitmap.Image {
		s, err := Decode(context.Background(), "a.jpg", jpegFile(t, c.photo(func(y, x float64) bool {
			// The canvas may be of any shape: keep the drawing's.
			side := float64(min(c.height, c.width))
			return letterT(((y-0.5)*float64(c.height)/side-dy)/scale+0.5, ((x-0.5)*float64(c.width)/side-dx)/scale+0.5)
		})), o)
		if err != nil {
			t.Fatal(err)
		}
		return s.Images[0]
	}
	want := at(canvas{height: 560, width: 560, ink: 0, paper: 255}, 1, 0, 0)
	if n := want.CountOn(); n < 300 || n > 800 {
		t.Errorf("%d pixels of ink\n%v", n, want)
	}
	for name, got := range map[string]*bitmap.Image{
		"phone": at(phone, 1, 0, 0),
		"aside": at(phone, 0.7, 0.1, -0.1),
		"wide":  at(canvas{height: 200, width: 400, ink: 90, paper: 180, noise: 8, seed: 2}, 1.2, 0, 0.3),
		"large": at(canvas{height: 1500, width: 1100, ink: 60, paper: 200, vignette: 0.3, noise: 15, seed: 3}, 0.8,
			-0.1, 0),
		"chalk":       at(canvas{height: 300, width: 300, ink: 200, paper: 50, noise: 8, seed: 4}, 1, 0, 0),
		"pale pencil": at(canvas{height: 300, width: 300, ink: 170, paper: 220, noise: 3, seed: 5}, 1, 0, 0),
	} {
		if n := overlap(want, got); n < 0.78 {
			t.Errorf("%s: overlap %.3f\n%v", name, n, got)
		}
	}
}

// TestThinStrokes: strokes of a photo that are much thinner than a pixel of the
// size asked for do not get lost.
func TestThinStrokes(t *testing.T) {
	thin := func(y, x float64) bool {
		return math.Abs(y-0.2) < 0.003 && x > 0.2 && x < 0.8 || math.Abs(x-0.5) < 0.003 && y > 0.2 && y < 0.9
	}
	s, err := Decode(context.Background(), "a.jpg",
		jpegFile(t, canvas{height: 1000, width: 1000, ink: 60, paper: 200, noise: 6, seed: 1}.photo(thin)),
		Options{Height: 56, Width: 56})
	if err != nil {
		t.Fatal(err)
	}
	m := s.Images[0]
	b := bounds(m)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		if n := ones(m, y, y+1, 0, 56); n == 0 {
			t.Fatalf("row %d is broken\n%v", y+1, m)
		}
	}
	for x := b.Min.X; x < b.Max.X; x++ {
		if n := ones(m, 0, 56, x, x+1); n == 0 {
			t.Fatalf("column %d is broken\n%v", x+1, m)
		}
	}
}

func ones(m *bitmap.Image, y0, y1, x0, x1 int) (n int) {
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			n += btoi(m.At(y, x))
		}
	}
	return n
}

// TestSpecks: dirt far from the drawing does not count, a dot of an i does.
func TestSpecks(t *testing.T) {
	picture := func(dot int) *gray {
		return onPaper(draw(image.NewGray(image.Rect(0, 0, 200, 200)), func(y, x int) uint8 {
			stem := x >= 95 && x < 105 && y >= 60 && y < 160
			spot := x >= 100 && x < 100+dot && y >= 10 && y < 10+dot
			return []uint8{255, 0}[btoi(stem || spot)]
		}), 0xffff)
	}
	ink := division{threshold: 127}
	if got := picture(1).inkBounds(ink); got != image.Rect(95, 60, 105, 160) {
		t.Errorf("with a speck: %v", got)
	}
	if got := picture(10).inkBounds(ink); got != image.Rect(95, 10, 110, 160) {
		t.Errorf("with a dot: %v", got)
	}
	if got := picture(1).inkBounds(division{blank: true}); !got.Empty() {
		t.Errorf("blank: %v", got)
	}
}

// TestReduced: a reduced picture has the mean of every square.
func TestReduced(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := &gray{height: rapid.IntRange(1, 9).Draw(rt, "h"), width: rapid.IntRange(1, 9).Draw(rt, "w")}
		for range g.height * g.width {
			g.lum = append(g.lum, rapid.Uint16().Draw(rt, "lum"))
		}
		k := rapid.IntRange(1, 4).Draw(rt, "k")
		got := g.reduced(k)
		if got.height != (g.height+k-1)/k || got.width != (g.width+k-1)/k || len(got.lum) != got.height*got.width {
			rt.Fatalf("%d x %d", got.height, got.width)
		}
		for i, v := range got.lum {
			sum, n := 0.0, 0.0
			for y := i / got.width * k; y < min(g.height, (i/got.width+1)*k); y++ {
				for x := i % got.width * k; x < min(g.width, (i%got.width+1)*k); x++ {
					sum, n = sum+float64(g.lum[y*g.width+x]), n+1
				}
			}
			if math.Abs(float64(v)-sum/n) > 0.5 {
				rt.Fatalf("pixel %d is %d, the mean %v", i, v, sum/n)
			}
		}
	})
}

// TestSizes: pictures of different sizes give one error that says how to read them,
// whether they are files, a folder or an archive; with a size they are read,
// and what was done is said.
func TestSizes(t *testing.T) {
	file := func(h, w int) string {
		return string(pngFile(t,
			draw(image.NewGray(image.Rect(0, 0, w, h)),
				func(y, x int) uint8 { return []uint8{255, 0}[btoi(x > w/3 && y > 1)] })))
	}
	files := []entry{{"L/1.png", file(70, 60)}, {"L/2.png", file(64, 48)}, {"T/3.png", file(70, 60)},
		{"T/4.png", file(90, 60)}}
	dir := unpacked(t, files...)
	archive := write(t, "a.zip", zipOf(t, files...))
	var each []string
	for _, f := range files {
		each = append(each, dir+"/"+f.name)
	}
	for name, paths := range map[string][]string{"files": each, "folder": {dir}, "folders": {dir + "/L", dir + "/T"},
		"archive": {archive}} {
		for _, o := range []Options{{}, {partBytes: 1}} {
			if _, err := Read(paths, o); err == nil || !testenv.Said(t, err.Error()) {
				t.Errorf("%s: %v", name, err)
			}
			s, err := OpenStream(t.Context(), paths, o)
			if err == nil {
				_, err = s.Set(t.Context())
			}
			if err == nil || !testenv.Said(t, err.Error()) {
				t.Errorf("%s, streamed: %v", name, err)
			}
		}
		s, err := Read(paths, Options{Height: 30, Width: 20})
		if err != nil || s.Len() != 4 {
			t.Errorf("%s: %v, %v", name, s, err)
			continue
		}
		notes := strings.Join(sentences(s), "|")
		if !strings.Contains(notes, "all 4 pictures of 3 sizes were cropped to the ink, scaled and padded to 30 x 20") {
			t.Errorf("%s: notes %q", name, sentences(s))
		}
		if folders := strings.Contains(notes, "the label y of a picture is the name of its folder: L (2), T (2)"); !folders {
			t.Errorf("%s: notes %q", name, sentences(s))
		}
	}
	_, err := Decode(context.Background(), "a.zip", zipOf(t, files...), Options{})
	if err == nil || !testenv.Said(t, err.Error()) {
		t.Errorf("in memory: %v", err)
	}
	turned, err := Read([]string{archive}, Options{Height: 20, Width: 30, Transpose: true})
	if err != nil {
		t.Fatal(err)
	}
	upright, err := Read([]string{archive}, Options{Height: 30, Width: 20})
	same := err == nil
	for k := range 30 * 20 {
		same = same && turned.Images[3].At(k%20, k/20) == upright.Images[3].At(k/20, k%20)
	}
	if !same {
		t.Errorf("transposed: %v, %v", turned, err)
	}
	for side, want := range map[int]string{400: "56x56", 40: "28x28", 9: "9x9"} {
		if err := otherSize(1, 1, side, 5, false); !strings.Contains(err.Error(), want) {
			t.Errorf("pictures of side %d: %v", side, err)
		}
	}
}

// TestArchiveOfOneFolder: class folders inside the folder that was packed.
func TestArchiveOfOneFolder(t *testing.T) {
	s := mustRead(t, "a.zip", zipOf(t, entry{"photos/T/1.png", "P1 1 1 1"}, entry{"__MACOSX/photos/T/._1.png", "x"},
		entry{"photos/L/1.png", "P1 1 1 0"}), Options{})
	y, err := s.Column("y")
	if err != nil || y.Text(0)+y.Text(1) != "LT" {
		t.Errorf("%v, %v", s.Meta, err)
	}
}

// TestArchiveOfFoldersOfFolders: the error has a pattern, and that reads the archive.
func TestArchiveOfFoldersOfFolders(t *testing.T) {
	const pattern = "{}/{}/{y}/{picture}"
	content := zipOf(t, entry{"all/greek/alpha/1.png", "P1 1 1 1"}, entry{"all/latin/a/1.png", "P1 1 1 0"})
	refused(t, "a.zip", content, Options{})
	s := mustRead(t, "a.zip", content, Options{Names: pattern})
	if y, err := s.Column("y"); err != nil || y.Text(0)+y.Text(1) != "alphaa" && y.Text(0)+y.Text(1) != "aalpha" {
		t.Errorf("%v, %v", s.Meta, err)
	}
}
