//go:build !js

package render

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"

	"example.com/patchwork/bitmap"
)

// Box is a rectangle on a page, in its pixels: from row Top to before row Bottom, from column Left to
// before column Right.
type Box struct {
	Top, Left, Bottom, Right int
	Label                    string
	Kind                     int  // the part, whose hue it has; negative is grey
	Doubtful                 bool // the box is broken
}

// Boxes is a page with boxes on it, such as the symbols that were found. Pages of more
// than MaxBoxesSide pixels are drawn smaller, by a whole number.
type Boxes struct {
	Page *bitmap.Image
	List []Box
}

// MaxBoxesSide is the largest side of a page that Boxes draws pixel for pixel.
const MaxBoxesSide = 4800

// shrink returns by how much the page is drawn smaller.
func (m *Boxes) shrink() int {
	return max(1, (max(m.Page.Height(), m.Page.Width())+MaxBoxesSide-1)/MaxBoxesSide)
}

// Size implements Picture.
func (m *Boxes) Size() (width, height int) {
	n := m.shrink()
	return max(1, (m.Page.Width()+n-1)/n), max(1, (m.Page.Height()+n-1)/n)
}

// paper returns the page, drawn smaller and pale, so that boxes can be seen on it.
func (m *Boxes) paper() *image.Gray {
	n := m.shrink()
	w, h := m.Size()
	out := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			ink, all := 0, 0
			for r := y * n; r < min((y+1)*n, m.Page.Height()); r++ {
				for c := x * n; c < min((x+1)*n, m.Page.Width()); c++ {
					all++
					if m.Page.At(r, c) {
						ink++
					}
				}
			}
			v := 255
			if all > 0 {
				v = 255 - 175*ink/all
			}
			out.Pix[y*out.Stride+x] = uint8(v)
		}
	}
	return out
}

// colour returns the colour of a kind of boxes.
func (b *Box) colour() color.RGBA {
	if b.Kind < 0 {
		return smallStyle.colour
	}
	return Hue(b.Kind)
}

// scale returns by how much labels and lines are larger than on a small page, so that they can be
// read when the page is fitted to a screen.
func (m *Boxes) scale() int {
	w, h := m.Size()
	return max(1, max(w, h)/700)
}

// style returns how labels are written.
func (m *Boxes) style() style { return style{size: smallStyle.size * m.scale()} }

// Raster implements Picture.
func (m *Boxes) Raster() *image.RGBA {
	paper, n, wide := m.paper(), m.shrink(), 1+m.scale()
	out := image.NewRGBA(paper.Bounds())
	draw.Draw(out, out.Bounds(), paper, image.Point{}, draw.Src)
	face := m.style().face()
	for _, b := range m.List {
		at := image.Rect(b.Left/n, b.Top/n, (b.Right+n-1)/n, (b.Bottom+n-1)/n).Inset(-1 - wide)
		for _, edge := range []image.Rectangle{
			{at.Min, image.Pt(at.Max.X, at.Min.Y+wide)}, {image.Pt(at.Min.X, at.Max.Y-wide), at.Max},
			{at.Min, image.Pt(at.Min.X+wide, at.Max.Y)}, {image.Pt(at.Max.X-wide, at.Min.Y), at.Max},
		} {
			for y := edge.Min.Y; y < edge.Max.Y; y++ {
				for x := edge.Min.X; x < edge.Max.X; x++ {
					if !b.Doubtful || (x-at.Min.X+y-at.Min.Y)/5%2 == 0 {
						out.SetRGBA(x, y, b.colour())
					}
				}
			}
		}
		d := font.Drawer{Dst: out, Src: image.NewUniform(b.colour()), Face: face, Dot: fixed.P(at.Min.X, at.Min.Y-2)}
		d.DrawString(b.Label)
	}
	return out
}

// SVG implements Picture.
func (m *Boxes) SVG(w io.Writer) error {
	var data bytes.Buffer
	if err := png.Encode(&data, m.paper()); err != nil {
		return err
	}
	b := bufio.NewWriter(w) // Flush returns the first error
	width, height := m.Size()
	n := m.shrink()
	wide := n * (1 + m.scale())
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" `+
		`font-family="%s" font-size="%d">`+"\n",
		width, height, width*n, height*n, fontFamily, m.style().size*n)
	fmt.Fprintf(b, `<image width="%d" height="%d" style="image-rendering:pixelated" `+
		`href="data:image/png;base64,%s"/>`+"\n",
		width*n, height*n, base64.StdEncoding.EncodeToString(data.Bytes()))
	for _, k := range m.List {
		dash := ""
		if k.Doubtful {
			dash = fmt.Sprintf(` stroke-dasharray="%d %d"`, 5*n, 5*n)
		}
		c := hex(k.colour())
		fmt.Fprintf(b, `<g><rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="%s" `+
			`stroke-width="%d"%s/><text x="%d" y="%d" fill="%s">`,
			k.Left-wide, k.Top-wide, k.Right-k.Left+2*wide, k.Bottom-k.Top+2*wide, c, wide, dash, k.Left-wide, k.Top-2*wide, c)
		xml.EscapeText(b, []byte(k.Label)) // its error is that of b, which Flush returns
		fmt.Fprint(b, "</text></g>\n")
	}
	fmt.Fprint(b, "</svg>\n")
	return b.Flush()
}
