package dataset

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/tiff"
	"pgregory.net/rapid"
)

func pngFile(t testing.TB, m image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, m); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// draw fills a picture by a function of the pixel, 0 black to 255 white.
func draw[M interface {
	image.Image
	Set(x, y int, c color.Color)
}](m M, lum func(y, x int) uint8) M {
	b := m.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			v := lum(y, x)
			m.Set(b.Min.X+x, b.Min.Y+y, color.NRGBA{v, v, v, 255})
		}
	}
	return m
}

// TestOnePictureAllFormats is the law of the package comment: the same picture
// reads the same from every format.
func TestOnePictureAllFormats(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h, w := rapid.IntRange(1, 5).Draw(rt, "h"), rapid.SampledFrom([]int{1, 7, 8, 9, 65}).Draw(rt, "w")
		ink := rapid.SliceOfN(rapid.Bool(), h*w, h*w).Draw(rt, "ink")
		lum := func(y, x int) uint8 {
			if ink[y*w+x] {
				return 0
			}
			return 255
		}
		r := image.Rect(3, 4, 3+w, 4+h) // the origin must not matter
		files := map[string][]byte{
			"gray.png":    pngFile(t, draw(image.NewGray(r), lum)),
			"gray16.png":  pngFile(t, draw(image.NewGray16(r), lum)),
			"rgba.png":    pngFile(t, draw(image.NewNRGBA(r), lum)),
			"rgba64.png":  pngFile(t, draw(image.NewNRGBA64(r), lum)),
			"palette.png": pngFile(t, draw(image.NewPaletted(r, color.Palette{color.White, color.Black}), lum)),
			"gray.tif":    tiffFile(t, draw(image.NewGray(r), lum), tiff.Uncompressed),
			"colour.tif":  tiffFile(t, draw(image.NewRGBA64(r), lum), tiff.Deflate),
			"palette.tif": tiffFile(t, draw(image.NewPaletted(r, color.Palette{color.Black, color.White}), lum), tiff.Deflate),
			"gray.bmp":    bmpFile(t, draw(image.NewGray(r), lum)),
			"colour.bmp":  bmpFile(t, draw(image.NewRGBA(r), lum)),
			"two.gif": gifFile(t, draw(image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.White, color.Black}),
				lum)),
			"lossless.webp": webpFile(h, w, 0, 255, func(y, x int) bool { return ink[y*w+x] }),
		}
		want := ""
		for y := range h {
			for x := range w {
				if ink[y*w+x] {
					want += "#"
				} else {
					want += "."
				}
			}
			want += "\n"
		}
		for name, content := range files {
			for _, opts := range []Options{{}, {Threshold: threshold(127)}, {Threshold: threshold(0)}} {
				s, err := readBytes(content, opts)
				if err != nil {
					rt.Fatalf("%s: %v", name, err)
				}
				if got := pixels(s); got != want {
					rt.Fatalf("%s:\n%swant\n%s", name, got, want)
				}
			}
			swap := strings.NewReplacer("#", ".", ".", "#")
			if s, err := readBytes(content, Options{Invert: true}); err != nil || pixels(s) != swap.Replace(want) {
				rt.Fatalf("%s inverted: %v", name, err)
			}
		}
	})
}

func TestPictureRules(t *testing.T) {
	gray := pngFile(t, draw(image.NewGray(image.Rect(0, 0, 4, 1)),
		func(_, x int) uint8 { return []uint8{0, 127, 128, 255}[x] }))
	s := mustRead(t, "scan.png", gray, Options{Threshold: threshold(127)})
	if got := pixels(s); got != "##..\n" || s.Table || s.Meta[0].Text(0) != "scan" {
		t.Errorf("threshold: %s %v", got, s)
	}
	// Green is light and blue is dark to the eye.
	c := image.NewNRGBA(image.Rect(0, 0, 4, 1))
	for x, v := range []color.NRGBA{{0, 255, 0, 255}, {0, 0, 255, 255}, {0, 0, 0, 0}, {0, 0, 0, 255}} {
		c.Set(x, 0, v)
	}
	if got := pixels(mustRead(t, "c.png", pngFile(t, c), Options{Threshold: threshold(127)})); got != ".#.#\n" {
		t.Errorf("colours: %s", got)
	}
	// Transparent pixels are off, even if light means on.
	if got := pixels(mustRead(t, "c.png", pngFile(t, c), Options{Threshold: threshold(127), Invert: true})); got !=
		"#...\n" {
		t.Errorf("colours inverted: %s", got)
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	save := func(name, content string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, picture(t, content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save("flat/b.png", "P1 2 1 10")
	save("flat/a.PNG", "P1 2 1 01")
	save("flat/notes.txt", "not a picture")
	save("flat/.hidden.png", "nor this")
	save("classes/T/2.png", "P1 2 1 11")
	save("classes/L/1.png", "P1 2 1 00")
	save("classes/L/3.png", "P1 2 1 01")
	read := func(name string, opts Options) (*Set, error) { return Read([]string{filepath.Join(dir, name)}, opts) }

	s, err := read("flat", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Labels{LabelsOf("name", []string{"a", "b"})}, s.Meta); diff != "" || pixels(s) != ".#\n#.\n" {
		t.Errorf("%s\n%s", pixels(s), diff)
	}
	s, err = read("classes", Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Labels{LabelsOf("name", []string{"1", "3", "2"}), LabelsOf("y", []string{"L", "L", "T"})}
	if diff := cmp.Diff(want, s.Meta); diff != "" || pixels(s) != "..\n.#\n##\n" {
		t.Errorf("%s\n%s", pixels(s), diff)
	}
	if s, err = read("classes", Options{Where: conditions(t, "y=T")}); err != nil || pixels(s) != "##\n" {
		t.Errorf("by class: %v, %v", s, err)
	}
	save("both/1.png", "P1 2 1 00")
	save("both/T/1.png", "P1 2 1 00")
	save("sizes/1.png", "P1 2 1 00")
	save("sizes/2.png", "P1 1 2 00")
	save("bad/1.png", "P1, not really")
	save("none/deep/deeper/deepest/1.png", "P1 2 1 00")
	for _, name := range []string{"both", "sizes", "bad", "none"} {
		if _, err := read(name, Options{}); err == nil || !testenv.Said(t, err.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPictureRefusals(t *testing.T) {
	good := pngFile(t, draw(image.NewGray(image.Rect(0, 0, 40, 40)), func(y, x int) uint8 { return 0 }))
	refused(t, "cut.png", good[:len(good)-20], Options{})
	flipped := bytes.Clone(good)
	flipped[45] ^= 0xff
	refused(t, "flip.png", flipped, Options{})
	refused(t, "bomb.png", pngHeader(good, 8000, 8000), Options{})
	refused(t, "wide.png", pngHeader(good, 1<<30, 1), Options{})
	refused(t, "a.pbm", []byte("P4\n8 1\n\x00"), Options{})
}

// pngHeader changes the size in the header of a PNG file and corrects its
// checksum.
func pngHeader(b []byte, width, height uint32) []byte {
	b = bytes.Clone(b)
	binary.BigEndian.PutUint32(b[16:], width)
	binary.BigEndian.PutUint32(b[20:], height)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}
