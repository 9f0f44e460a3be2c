package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"image/color"
	"regexp"
	"strings"
	"testing"

	"example.com/patchwork/internal/markup"
)

var images = regexp.MustCompile(`<img src="([^"]*)" alt="([^"]+)" width="\d+" height="\d+">`)

func TestPageIsSelfContained(t *testing.T) {
	var b bytes.Buffer
	if err := examplePage(t).Write(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, bad := range []string{"http:", "https:", "<script", "<link", "url(", "<b>marks", "@import", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	found := images.FindAllStringSubmatch(page, -1)
	if n := strings.Count(page, "<img"); n != 3 || len(found) != n {
		t.Fatalf("%d images, %d of them with alt text and size, want 3", n, len(found))
	}
	for _, m := range found {
		data, ok := strings.CutPrefix(html.UnescapeString(m[1]), "data:image/svg+xml;base64,")
		svg, err := base64.StdEncoding.DecodeString(data)
		if !ok || err != nil || !bytes.Contains(svg, []byte("<svg")) {
			t.Errorf("image %q is no inline SVG: %v, %.40q", m[2], err, m[1])
		}
	}
}

// TestPageTurnsLargeFiguresToPNG: a figure with a large SVG is embedded as PNG.
func TestPageTurnsLargeFiguresToPNG(t *testing.T) {
	busy := paint(100, 100, func(i int) color.RGBA { return color.RGBA{uint8(i), uint8(i >> 3), uint8(i * 7), 255} })
	p := Page{Sections: []Section{{Figures: []Figure{{Caption: "busy", Picture: Tiled(busy, 1)}}}}}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(b.String(), `src="data:image/png;base64,`)
	if !ok {
		t.Fatal("no PNG in the page")
	}
	data, _, _ := strings.Cut(rest, `"`)
	raw, err := base64.StdEncoding.DecodeString(html.UnescapeString(data))
	if err != nil {
		t.Fatal(err)
	}
	if got := decode(t, raw); !bytes.Equal(got.Pix, busy.Pix) {
		t.Error("the PNG in the page shows something else")
	}
}

// TestPageWideFigures: a wide figure scrolls on a phone, by touch and by
// keyboard; others do not.
func TestPageWideFigures(t *testing.T) {
	for width, wide := range map[int]bool{wideFigure - 1: false, wideFigure: true} {
		p := Page{Sections: []Section{{Figures: []Figure{{Caption: "c", Picture: Tiled(noise(2, width), 1)}}}}}
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), `<figure class="wide" tabindex="0">`); got != wide {
			t.Errorf("%d pixels: wide %t", width, got)
		}
	}
}

func TestPageErrors(t *testing.T) {
	for want, p := range map[string]Picture{
		"no picture": nil,
		"too large":  Tiled(noise(200, 200), 1<<6), // as SVG it would be megabytes
	} {
		page := Page{Sections: []Section{{Figures: []Figure{{Caption: "name", Picture: p}}}}}
		var b bytes.Buffer
		err := page.Write(&b)
		if err == nil || !strings.Contains(err.Error(), `"name"`) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
		if b.Len() > 0 {
			t.Errorf("%s: half a page was written", want)
		}
	}
}

// A page says what a browser may let it do, and its own script is the one that it names.
func TestPagePolicy(t *testing.T) {
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src ([^;"]*);`)
	for _, script := range []string{"", "let a = 1 < 2 && \"</b>\"; // is < that\n"} {
		var b bytes.Buffer
		if err := (Page{Title: "a", Script: markup.HTML(script)}).Write(&b); err != nil {
			t.Fatal(err)
		}
		found := policy.FindStringSubmatch(b.String())
		if found == nil {
			t.Fatalf("no policy in %.400q", b.String())
		}
		_, inside, _ := strings.Cut(b.String(), "<script>")
		inside, _, _ = strings.Cut(inside, "</script>")
		hash := sha256.Sum256([]byte(inside))
		want := "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
		if script == "" {
			want = "'none'"
		}
		if found[1] != want || inside != script {
			t.Errorf("script %q: %s, want %s", inside, found[1], want)
		}
	}
}
