package render

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var (
	escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")
	pair    = regexp.MustCompile(`^38;2;(\d+);(\d+);(\d+);(?:48;2;(\d+);(\d+);(\d+)|49)$`)
)

// terminal writes a tile alone.
func terminal(w io.Writer, tile image.Image, o TerminalOptions) error {
	b := bufio.NewWriter(w)
	for _, row := range o.cells(resize(flat(tile), o.width())) {
		b.WriteString(strings.TrimRight(line(row), " ") + "\n")
	}
	return b.Flush()
}

// readTrueColour converts half blocks back to pixels.
func readTrueColour(t *rapid.T, text string, w, h int) *image.RGBA {
	tile := image.NewRGBA(image.Rect(0, 0, w, h))
	for y, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		var top, bottom color.RGBA
		x := 0
		for l != "" {
			if at := escapes.FindStringIndex(l); at != nil && at[0] == 0 {
				m := pair.FindStringSubmatch(l[2 : at[1]-1])
				top, bottom = color.RGBA{A: 255}, color.RGBA{}
				if m != nil {
					fmt.Sscan(m[1]+" "+m[2]+" "+m[3], &top.R, &top.G, &top.B)
					if m[4] != "" {
						bottom.A = 255
						fmt.Sscan(m[4]+" "+m[5]+" "+m[6], &bottom.R, &bottom.G, &bottom.B)
					}
				}
				l = l[at[1]:]
				continue
			}
			if !strings.HasPrefix(l, "▀") {
				t.Fatalf("line %d: %q is no half block", y, l)
			}
			tile.SetRGBA(x, 2*y, top)
			if 2*y+1 < h {
				tile.SetRGBA(x, 2*y+1, bottom)
			}
			x, l = x+1, l[len("▀"):]
		}
	}
	return tile
}

func TestTrueColourLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(smallTile, 80).Draw(t, "width"), rapid.IntRange(2, 9).Draw(t, "height")
		pixels := rapid.SliceOfN(rapid.Uint32Range(0, 1<<24-1), w*h, w*h).Draw(t, "pixels")
		tile := paint(h, w, func(i int) color.RGBA {
			return color.RGBA{uint8(pixels[i] >> 16), uint8(pixels[i] >> 8), uint8(pixels[i]), 255}
		})
		var b bytes.Buffer
		if err := terminal(&b, tile, TerminalOptions{Colours: TrueColour}); err != nil {
			t.Fatal(err)
		}
		if got := readTrueColour(t, b.String(), w, h); !bytes.Equal(got.Pix, tile.Pix) {
			t.Fatal("the half blocks show other pixels")
		}
	})
}

func TestTerminalStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := TerminalOptions{
			Width:   rapid.IntRange(1, 100).Draw(t, "width"),
			Colours: Colours(rapid.IntRange(0, 2).Draw(t, "colours")),
		}
		s := Sheet{Columns: rapid.IntRange(0, 6).Draw(t, "columns"), ColumnLabels: []string{"first", "second\nof two lines"},
			Legend: legendOf(7)}
		for range rapid.IntRange(0, 8).Draw(t, "tiles") {
			s.Tiles = append(s.Tiles, Tile{drawTile(t, "tile"), "caption of many letters\nand lines"})
		}
		var b bytes.Buffer
		if err := TerminalSheet(&b, s, o); err != nil {
			t.Fatal(err)
		}
		if len(s.Tiles) > 0 {
			if err := terminal(&b, s.Tiles[0].Image, o); err != nil {
				t.Fatal(err)
			}
		}
		for _, l := range strings.Split(b.String(), "\n") {
			if n := utf8.RuneCountInString(escapes.ReplaceAllString(l, "")); n > o.Width {
				t.Fatalf("a line of %d characters in a terminal of %d: %q", n, o.Width, l)
			}
			if o.Colours < Colours256 && strings.Contains(l, "\x1b") {
				t.Fatalf("an escape code without colours: %q", l)
			}
			if at := escapes.FindAllString(l, -1); len(at) > 0 && at[len(at)-1] != "\x1b[0m" {
				t.Fatalf("colours are left on: %q", l)
			}
		}
	})
}

func TestReduceTakesMeans(t *testing.T) {
	tile := paint(2, 8, func(i int) color.RGBA { return []color.RGBA{white, black}[i%2] })
	small := resize(tile, 4)
	if small.Rect != image.Rect(0, 0, 4, 1) {
		t.Fatalf("8 x 2 pixels in 4 columns become %v", small.Rect)
	}
	for x := range 4 {
		if got := small.RGBAAt(x, 0); got != (color.RGBA{128, 128, 128, 255}) {
			t.Errorf("pixel %d is %v, want the mean of black and white", x, got)
		}
	}
}

// xtermColour returns colour i of the 256 by definition, from 16 on.
func xtermColour(i int) color.RGBA {
	if i >= 232 {
		v := uint8(8 + 10*(i-232))
		return color.RGBA{v, v, v, 255}
	}
	level := func(j int) uint8 { return []uint8{0, 95, 135, 175, 215, 255}[j] }
	i -= 16
	return color.RGBA{level(i / 36), level(i / 6 % 6), level(i % 6), 255}
}

func TestXtermIsNearest(t *testing.T) {
	far := func(a, b color.RGBA) int {
		r, g, bl := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B)
		return r*r + g*g + bl*bl
	}
	for i := range 1 << 12 {
		c := color.RGBA{uint8(i>>8) * 17, uint8(i>>4) * 17, uint8(i) * 17, 255}
		best := 16
		for j := 17; j < 256; j++ {
			if far(c, xtermColour(j)) < far(c, xtermColour(best)) {
				best = j
			}
		}
		if got := xterm(c); far(c, xtermColour(got)) != far(c, xtermColour(best)) {
			t.Fatalf("%v: colour %d, but %d is nearer", c, got, best)
		}
	}
}

func TestDetectColours(t *testing.T) {
	for _, c := range []struct {
		env      string
		terminal bool
		want     Colours
	}{
		{"", true, Colours256},
		{"TERM=xterm-256color", true, Colours256},
		{"COLORTERM=truecolor", true, TrueColour},
		{"COLORTERM=24bit", true, TrueColour},
		{"COLORTERM=truecolor", false, Blocks},
		{"COLORTERM=truecolor NO_COLOR=1", true, Blocks},
		{"TERM=dumb", true, Blocks},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		if got := DetectColours(func(n string) string { return env[n] }, c.terminal); got != c.want {
			t.Errorf("%q, terminal %v: %v, want %v", c.env, c.terminal, got, c.want)
		}
	}
}
