package render

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"io"
	"maps"
	"slices"
)

// SVG writes the scene as a self-contained SVG document.
func (s *scene) SVG(w io.Writer) error {
	b := bufio.NewWriter(w) // Flush returns the first error
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" `+
		`font-family="%s">`+"\n",
		s.width, s.height, s.width, s.height, fontFamily)
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", s.width, s.height)
	fmt.Fprint(b, `<g shape-rendering="crispEdges">`+"\n")
	for _, t := range s.tiles {
		t.svg(b)
	}
	for _, sw := range s.swatches {
		svgRect(b, sw.at, sw.colour)
		svgFrame(b, sw.at)
	}
	fmt.Fprint(b, "</g>\n")
	for _, t := range s.texts {
		t.svg(b, s.width)
	}
	fmt.Fprint(b, "</svg>\n")
	return b.Flush()
}

func svgRect(b *bufio.Writer, r image.Rectangle, c color.RGBA) {
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", r.Min.X, r.Min.Y, r.Dx(), r.Dy(), hex(c))
}

// svgFrame writes a frame just outside a rectangle, as a line as wide at any size of the picture: where it
// is scaled down, what is a pixel wide falls between the pixels of the screen.
func svgFrame(b *bufio.Writer, inside image.Rectangle) {
	fmt.Fprintf(b, `<rect x="%g" y="%g" width="%d" height="%d" fill="none" stroke="%s" stroke-width="1" `+
		`vector-effect="non-scaling-stroke"/>`+"\n",
		float64(inside.Min.X)-0.5, float64(inside.Min.Y)-0.5, inside.Dx()+1, inside.Dy()+1, hex(borderColour))
}

// svg writes a text. A title that fills the width of the picture is kept to what it was laid out for, whatever font the
// reader has.
func (t placedText) svg(b *bufio.Writer, width int) {
	weight := ""
	if t.style.bold {
		weight = ` font-weight="bold"`
	}
	turn := ""
	if t.up {
		turn = fmt.Sprintf(` transform="rotate(-90 %d %d)"`, t.x, t.y)
	}
	fit := ""
	if wide := t.style.width([]string{t.line}); t.style.bold && t.from == start && !t.up && t.x+wide*6/5 > width {
		fit = fmt.Sprintf(` textLength="%d" lengthAdjust="spacingAndGlyphs"`, wide)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="%d"%s text-anchor="%s" fill="%s"%s%s>`,
		t.x, t.y, t.style.size, weight, t.from, hex(t.style.colour), turn, fit)
	xml.EscapeText(b, []byte(t.line)) // its error is that of b, which Flush returns
	fmt.Fprint(b, "</text>\n")
}

// svg writes a tile, in its frame if it has one.
func (t placedTile) svg(b *bufio.Writer) {
	t.cells(b)
	if t.border {
		svgFrame(b, t.at)
	}
}

// cells writes a tile as one rectangle in its commonest colour, under one path
// for each other colour.
func (t placedTile) cells(b *bufio.Writer) {
	tile := flat(t.image)
	w, h := tile.Rect.Dx(), tile.Rect.Dy()
	if w == 0 || h == 0 {
		return
	}
	blocks := blocksByColour(tile)
	ground := commonest(blocks)
	svgRect(b, t.at, ground)
	fmt.Fprintf(b, `<g transform="translate(%d %d) scale(%d %d)">`, t.at.Min.X, t.at.Min.Y, t.at.Dx()/w, t.at.Dy()/h)
	colours := slices.SortedFunc(maps.Keys(blocks), compareColours)
	for _, c := range colours {
		if c == ground {
			continue
		}
		fmt.Fprintf(b, `<path fill="%s" d="`, hex(c))
		for _, r := range blocks[c] {
			fmt.Fprintf(b, "M%d %dh%dv%dh-%dz", r.Min.X, r.Min.Y, r.Dx(), r.Dy(), r.Dx())
		}
		fmt.Fprint(b, `"/>`)
	}
	fmt.Fprint(b, "</g>\n")
}

// blocksByColour divides an image into rectangles of one colour: horizontal
// runs, joined downwards while the row below has the same run.
func blocksByColour(tile *image.RGBA) map[color.RGBA][]image.Rectangle {
	blocks := map[color.RGBA][]image.Rectangle{}
	type run struct {
		x0, x1 int
		colour color.RGBA
	}
	above := map[run]int{} // run of the row above -> index of its block
	for y := range tile.Rect.Dy() {
		current := map[run]int{}
		for x0, x := 0, 1; x <= tile.Rect.Dx(); x++ {
			c := tile.RGBAAt(x0, y)
			if x < tile.Rect.Dx() && tile.RGBAAt(x, y) == c {
				continue
			}
			r := run{x0, x, c}
			i, joined := above[r]
			if joined {
				blocks[c][i].Max.Y++
			} else {
				i = len(blocks[c])
				blocks[c] = append(blocks[c], image.Rect(x0, y, x, y+1))
			}
			current[r], x0 = i, x
		}
		above = current
	}
	return blocks
}

// commonest returns the colour with the most blocks, which saves most as the
// background. Ties go to the first in order.
func commonest(blocks map[color.RGBA][]image.Rectangle) color.RGBA {
	var best color.RGBA
	n := 0
	for _, c := range slices.SortedFunc(maps.Keys(blocks), compareColours) {
		if len(blocks[c]) > n {
			best, n = c, len(blocks[c])
		}
	}
	return best
}

func compareColours(a, b color.RGBA) int {
	return cmp.Or(cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
