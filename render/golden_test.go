package render

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	patchwork "example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testenv"
)

// Look at every changed picture before committing it.
var update = testenv.Update

// gallery returns one of every kind of picture.
func gallery(t testing.TB) map[string]Picture {
	m, s := letterT(t), quadrants(t)
	withUsage, err := m.WithExtras(patchwork.Extras{Usage: []float64{1, 0.25}})
	if err != nil {
		t.Fatal(err)
	}
	img := imageT()
	e := patchwork.Explanation{Picks: pickT, StartLogLik: math.Inf(-1), LogLik: -61.5}
	one, err := patchwork.NewModel(m.Config(), m.Templates()[:1])
	if err != nil {
		t.Fatal(err)
	}
	roles, cover := rolesOf(t)
	return map[string]Picture{
		"tile":         Tiled(Overlay(m, img, pickT), 5),
		"experts":      Experts(withUsage),
		"quadrants":    Experts(s),
		"table":        Experts(table(t)),
		"explanations": Explanations(m, []Case{{"image 0", img, e}, {"image 1", img, patchwork.Explanation{}}}),
		"steps":        Steps(m, img, e),
		"progress": Progress([]*bitmap.Image{img, img}, []*patchwork.Model{one, m},
			[]image.Image{Coloured(m, 16, 16, pickT), Composed(m, 16, 16, pickT)}),
		"cover": Cover(roles, cover),
		"contact": Sheet{Title: "drawings: 3 images",
			Facts: []Fact{{"ink", "14 % of the pixels"}, {"note", strings.Repeat("a long note ", 14)}},
			Tiles: []Tile{{Thumbnail(Image(img), 8), "a"}, {Image(bitmap.New(16, 16)), "b\nblank"}, {Image(img), "c"}}, Columns: 3,
			Legend: []Swatch{Unknown("unknown")}},
		"rows": Rows{Title: "sites.csv: 3 rows of 5 columns", Facts: []Fact{{"ones", "53 %"}},
			Columns: []string{"moss", "fern", "reed & <rush>", strings.Repeat("long ", 9), "x"},
			Names:   []string{"Alp", "Moor", "Heath"}, Rows: []*bitmap.Image{bitmap.Parse("#.?.#"), bitmap.Parse("##.?."),
				bitmap.Parse("....#")},
			Shares: []float64{2. / 3, 1. / 3, 0, math.NaN(), 1}, Legend: []Swatch{Unknown("unknown")}},
		"barcode": Rows{Title: "wide", Rows: []*bitmap.Image{noisy(200), noisy(200)}, Shares: make([]float64, 200)},
	}
}

func TestGoldenPictures(t *testing.T) {
	for name, p := range gallery(t) {
		var raster, vector bytes.Buffer
		if err := WritePNG(&raster, p); err != nil {
			t.Fatal(err)
		}
		if err := WriteSVG(&vector, p); err != nil {
			t.Fatal(err)
		}
		goldenText(t, name+".svg", vector.Bytes())
		goldenPNG(t, name+".png", raster.Bytes())
	}
}

func goldenText(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s has changed; look at it with -update and git diff. Now:\n%.2000s", path, got)
	}
}

// goldenPNG compares pixels, since the compressor may change with the version
// of Go; the edges of letters may differ by rounding between machines.
func goldenPNG(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	old, err := os.ReadFile(path)
	if *update && !bytes.Equal(old, got) {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	a, b := decode(t, got), decode(t, old)
	if a.Rect != b.Rect {
		t.Fatalf("%s is now %v, was %v", path, a.Rect, b.Rect)
	}
	for i := range a.Pix {
		if d := int(a.Pix[i]) - int(b.Pix[i]); d < -3 || d > 3 {
			x, y := i%a.Stride/4, i/a.Stride
			t.Fatalf("%s has changed at (%d,%d): %v, was %v", path, x, y, a.RGBAAt(x, y), b.RGBAAt(x, y))
		}
	}
}

func decode(t *testing.T, data []byte) *image.RGBA {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return flat(img)
}

func TestGoldenTerminal(t *testing.T) {
	m, img := letterT(t), imageT()
	steps := Steps(m, img, patchwork.Explanation{Picks: pickT, LogLik: -61.5})
	steps.Title = "How the T is explained"
	for c, name := range []string{"blocks", "256", "true"} {
		var b bytes.Buffer
		o := TerminalOptions{Width: 60, Colours: Colours(c)}
		if err := terminal(&b, Overlay(m, img, pickT), o); err != nil {
			t.Fatal(err)
		}
		b.WriteByte('\n')
		for _, s := range []Sheet{steps, Experts(quadrants(t)), Experts(table(t))} {
			if err := TerminalSheet(&b, s, o); err != nil {
				t.Fatal(err)
			}
		}
		goldenText(t, "terminal-"+name+".txt", b.Bytes())
	}
}

func examplePage() Page {
	return Page{
		Title: "A report & more",
		Lead:  "<p>First.</p>",
		Sections: []Section{
			{Heading: "Experts", ID: "experts", Body: "<p>What was learned, with <b>marks</b>.</p>"},
			{Body: "<p>Nothing to see.</p>"},
		},
		Style: "p { margin: 0; }",
	}
}

func TestGoldenPage(t *testing.T) {
	var b bytes.Buffer
	if err := examplePage().Write(&b); err != nil {
		t.Fatal(err)
	}
	goldenText(t, "page.html", b.Bytes())
}

// TestSameBytes: the same arguments give the same bytes, even with concurrent
// calls.
func TestSameBytes(t *testing.T) {
	write := func() string {
		var b strings.Builder
		pictures := gallery(t)
		for _, name := range []string{"tile", "experts", "steps", "progress"} {
			fmt.Fprintln(&b, name, WritePNG(&b, pictures[name]), WriteSVG(&b, pictures[name]))
		}
		fmt.Fprintln(&b, examplePage().Write(&b))
		return b.String()
	}
	want, got := write(), make([]string, 2)
	var wait sync.WaitGroup
	for i := range got {
		wait.Go(func() { got[i] = write() })
	}
	wait.Wait()
	for i, g := range got {
		if g != want {
			t.Errorf("goroutine %d wrote other bytes", i)
		}
	}
}

// noisy returns a row of a table.
func noisy(width int) *bitmap.Image {
	m := bitmap.New(1, width)
	for x := range width {
		m.Set(0, x, x*x%7 < 3)
	}
	return m
}
