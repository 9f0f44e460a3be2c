package render

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/internal/atomicfile"
)

var (
	errDisk = errors.New("disk full")
	rects   = regexp.MustCompile(`<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)" fill="(#[0-9a-f]{6})"/>`)
	groups  = regexp.MustCompile(`(?s)<g transform="translate\((\d+) (\d+)\) scale\((\d+) (\d+)\)">(.*?)</g>`)
	paths   = regexp.MustCompile(`<path fill="(#[0-9a-f]{6})" d="([^"]*)"/>`)
	boxes   = regexp.MustCompile(`M(\d+) (\d+)h(\d+)v(\d+)h-(\d+)z`)
)

// rasterise draws the SVG of a picture without text, by a slow, independent
// parser of the few forms that SVG writes.
func rasterise(t *rapid.T, p Picture) *image.RGBA {
	var b bytes.Buffer
	if err := p.SVG(&b); err != nil {
		t.Fatal(err)
	}
	w, h := p.Size()
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	number := func(s string) (v int) { fmt.Sscan(s, &v); return v }
	ink := func(s string) (c color.RGBA) {
		fmt.Sscanf(s, "#%02x%02x%02x", &c.R, &c.G, &c.B)
		c.A = 255
		return c
	}
	for _, m := range rects.FindAllStringSubmatch(b.String(), -1) {
		x, y := number(m[1]), number(m[2])
		fill(dst, image.Rect(x, y, x+number(m[3]), y+number(m[4])), ink(m[5]))
	}
	for _, g := range groups.FindAllStringSubmatch(b.String(), -1) {
		x0, y0, sx, sy := number(g[1]), number(g[2]), number(g[3]), number(g[4])
		for _, path := range paths.FindAllStringSubmatch(g[5], -1) {
			for _, m := range boxes.FindAllStringSubmatch(path[2], -1) {
				x, y, dx, dy := number(m[1]), number(m[2]), number(m[3]), number(m[4])
				fill(dst, image.Rect(x0+x*sx, y0+y*sy, x0+(x+dx)*sx, y0+(y+dy)*sy), ink(path[1]))
			}
		}
	}
	return dst
}

func drawTile(t *rapid.T, name string) *image.RGBA {
	h, w := rapid.IntRange(1, 9).Draw(t, name+" height"), rapid.IntRange(1, 40).Draw(t, name+" width")
	colours := []color.RGBA{white, black, Hue(0), grey}
	pixels := rapid.SliceOfN(rapid.IntRange(0, len(colours)-1), h*w, h*w).Draw(t, name)
	return paint(h, w, func(i int) color.RGBA { return colours[pixels[i]] })
}

func TestSVGShowsWhatPNGShows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Tiled(drawTile(t, "tile"), rapid.IntRange(0, 4).Draw(t, "scale"))
		if got, want := rasterise(t, p), p.Raster(); !bytes.Equal(got.Pix, want.Pix) {
			t.Fatal("the SVG and the raster of a tile differ")
		}
	})
}

// TestSVGIsXML: every picture's SVG is well-formed and states its size.
func TestSVGIsXML(t *testing.T) {
	pictures := gallery(t)
	pictures["nasty text"] = Sheet{Title: "<&>\"'\x00\xff\u202e", Tiles: []Tile{{noise(2, 2), "]]>\x1b[31m"}},
		RowLabels: []string{"<g>"}}
	for name, p := range pictures {
		var b bytes.Buffer
		if err := WriteSVG(&b, p); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(&b)
		for elements := 0; ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			if e, ok := token.(xml.StartElement); ok && elements == 0 {
				elements++
				w, h := p.Size()
				size := map[string]string{}
				for _, a := range e.Attr {
					size[a.Name.Local] = a.Value
				}
				if size["width"] != fmt.Sprint(w) || size["height"] != fmt.Sprint(h) {
					t.Errorf("%s: SVG of %s x %s, picture of %d x %d", name, size["width"], size["height"], w, h)
				}
			}
		}
	}
}

func TestNastySheets(t *testing.T) {
	empty := image.NewRGBA(image.Rectangle{})
	for name, s := range map[string]Sheet{
		"nothing":      {},
		"only a title": {Title: strings.Repeat("long ", 100)},
		"no image":     {Tiles: []Tile{{}, {Caption: "here"}}},
		"empty image":  {Tiles: []Tile{{Image: empty}}},
		"one pixel":    {Tiles: []Tile{{Image: noise(1, 1)}}},
		"long table":   {Tiles: []Tile{{Image: noise(1, 5000)}, {Image: noise(1, 3)}}},
		"column":       {Tiles: []Tile{{Image: noise(3000, 1)}}},
		"mixed":        {Tiles: []Tile{{Image: noise(3, 50)}, {Image: noise(50, 3)}, {Caption: "a\n\nb"}}, Columns: 2},
		"more columns": {Tiles: []Tile{{Image: noise(2, 2)}}, Columns: 1000, Breaks: []int{0, 7, -1}},
		"more labels": {Tiles: []Tile{{Image: noise(2, 2)}}, RowLabels: []string{"a", "b"},
			ColumnLabels: []string{"c", "d", "e"}},
		"absurd caption":    {Tiles: []Tile{{noise(2, 2), strings.Repeat("é", 1e5)}}},
		"long legend":       {Legend: legendOf(60)},
		"shifted image":     {Tiles: []Tile{{Image: noise(9, 9).SubImage(image.Rect(3, 3, 8, 7))}}},
		"negative settings": {Tiles: []Tile{{Image: noise(2, 2)}}, Columns: -1, Scale: -1, Gap: -1},
	} {
		w, h := s.Size()
		raster := s.Raster()
		if raster.Rect != image.Rect(0, 0, w, h) || w < 1 || h < 1 {
			t.Errorf("%s: Size is %d x %d, the raster %v", name, w, h, raster.Rect)
		}
		if err := s.SVG(io.Discard); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		sc := s.scene()
		for _, tile := range sc.tiles {
			if !tile.at.Inset(-1).In(raster.Rect) {
				t.Errorf("%s: a tile at %v leaves the sheet of %v", name, tile.at, raster.Rect)
			}
		}
		for _, text := range sc.texts {
			if x := text.x; x < 0 || x > w || text.y > h {
				t.Errorf("%s: text at (%d,%d) leaves the sheet of %v", name, x, text.y, raster.Rect)
			}
		}
	}
}

func legendOf(n int) []Swatch {
	var s []Swatch
	for k := range n {
		s = append(s, Swatch{Hue(k), fmt.Sprint("expert ", k)})
	}
	return s
}

// TestTilesDoNotOverlap: tiles never overlap, whatever is on the sheet.
func TestTilesDoNotOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Sheet{
			Columns: rapid.IntRange(0, 5).Draw(t, "columns"),
			Scale:   rapid.IntRange(0, 5).Draw(t, "scale"),
			Gap:     rapid.IntRange(0, 9).Draw(t, "gap"),
			Breaks:  rapid.SliceOf(rapid.IntRange(0, 5)).Draw(t, "breaks"),
		}
		for range rapid.IntRange(0, 9).Draw(t, "tiles") {
			s.Tiles = append(s.Tiles, Tile{drawTile(t, "tile"), rapid.StringMatching(`[a-z \n]{0,20}`).Draw(t, "caption")})
		}
		sc := s.scene()
		for i, a := range sc.tiles {
			for _, b := range sc.tiles[:i] {
				if a.at.Overlaps(b.at) {
					t.Fatalf("tiles at %v and %v overlap", a.at, b.at)
				}
			}
		}
	})
}

func TestTooLargeIsRefused(t *testing.T) {
	p := Tiled(noise(1, 1<<14), 1<<14)
	if err := WritePNG(io.Discard, p); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("2^28 pixels or more: error %v", err)
	}
}

// failing is a writer that fails after n bytes.
type failing struct{ n int }

func (f *failing) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func TestWriteErrorsComeBack(t *testing.T) {
	for name, p := range gallery(t) {
		for _, n := range []int{0, 200} {
			if err := WritePNG(&failing{n}, p); !errors.Is(err, errDisk) {
				t.Errorf("%s: PNG error %v", name, err)
			}
			if err := WriteSVG(&failing{n}, p); !errors.Is(err, errDisk) {
				t.Errorf("%s: SVG error %v", name, err)
			}
		}
	}
	if err := TerminalSheet(&failing{3}, Experts(quadrants(t)), TerminalOptions{}); !errors.Is(err, errDisk) {
		t.Errorf("terminal sheet error %v", err)
	}
	if err := examplePage().Write(&failing{99}); !errors.Is(err, errDisk) {
		t.Errorf("page error %v", err)
	}
}

func TestSave(t *testing.T) {
	dir, p := t.TempDir(), Tiled(noise(3, 3), 2)
	for name, start := range map[string]string{"a.png": "\x89PNG", "b.SVG": "<svg"} {
		path := filepath.Join(dir, name)
		if err := Save(path, p); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(data), start) {
			t.Errorf("%s starts with %.8q (%v), want %q", name, data, err, start)
		}
	}
	var format *FormatError
	for _, name := range []string{"c.jpeg", "d", ""} {
		path := filepath.Join(dir, name)
		if err := Save(path, p); !errors.As(err, &format) || format.Path != path {
			t.Errorf("Save(%q) = %v, want a *FormatError", name, err)
		}
	}
	// Too large to draw: an error, and no file.
	if err := Save(filepath.Join(dir, "e.png"), Tiled(noise(1, 1<<14), 1<<14)); err == nil {
		t.Error("a picture of 2^28 pixels was saved")
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("%d files, want only the two that could be written", len(left))
	}
}

// A picture that is saved ends with its context, after the beginning too, and leaves nothing.
func TestEncoderUntil(t *testing.T) {
	for _, name := range []string{"p.png", "p.svg"} {
		path := filepath.Join(t.TempDir(), name)
		ctx, cancel := context.WithCancelCause(t.Context())
		ending := &ends{Tiled(image.NewRGBA(image.Rect(0, 0, 3, 2)), 1), func() { cancel(errDisk) }}
		write, err := Encoder(ctx, path, ending)
		if err != nil {
			t.Fatal(err)
		}
		if err := atomicfile.Write(path, write); !errors.Is(err, errDisk) {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
}

// ends is a picture during whose drawing something happens.
type ends struct {
	Picture
	then func()
}

func (e *ends) Raster() *image.RGBA { e.then(); return e.Picture.Raster() }

func (e *ends) SVG(w io.Writer) error { e.then(); return e.Picture.SVG(w) }

// A large picture is compressed at the usual level: at the best one, many alike tiles took twenty times as long.
func TestLargePicturesAreCompressedQuickly(t *testing.T) {
	for side, level := range map[int]string{1000: "\x78\xda", 2100: "\x78\x9c"} { // how zlib begins
		var b bytes.Buffer
		if err := WritePNG(&b, Tiled(image.NewRGBA(image.Rect(0, 0, 1, 1)), side)); err != nil {
			t.Fatal(err)
		}
		if _, data, _ := bytes.Cut(b.Bytes(), []byte("IDAT")); !bytes.HasPrefix(data, []byte(level)) {
			t.Errorf("%d x %d pixels: zlib begins with %x", side, side, data[:2])
		}
	}
}
