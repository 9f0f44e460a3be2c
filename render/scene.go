package render

import (
	"image"
	"image/color"
	"image/draw"

	xdraw "golang.org/x/image/draw"
)

// scene is a laid-out picture: everything has a position in pixels and can be
// drawn as raster or vectors.
type scene struct {
	width, height int
	tiles         []placedTile
	swatches      []placedSwatch
	texts         []placedText
}

type placedTile struct {
	image  image.Image
	at     image.Rectangle // a whole multiple of the image's size
	border bool            // draw a thin frame just outside
}

type placedSwatch struct {
	colour color.RGBA
	at     image.Rectangle
}

type placedText struct {
	line  string
	x, y  int // baseline
	style style
	from  anchor
	up    bool // turned to read upwards, about the beginning of its baseline; from is start
}

// anchor says which point of a line of text is at its x.
type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

var borderColour = color.RGBA{0xc4, 0xc4, 0xc4, 0xff}

// text places lines below y and returns the y below them.
func (s *scene) text(x, y int, st style, from anchor, lines ...string) int {
	for _, l := range lines {
		if l != "" {
			s.texts = append(s.texts, placedText{l, x, y + st.size, st, from, false})
		}
		y += st.lineHeight()
	}
	return y
}

// fitTexts widens the scene until all its text is inside.
func (s *scene) fitTexts() {
	for _, t := range s.texts {
		if t.from == start && !t.up {
			s.width = max(s.width, t.x+t.style.width([]string{t.line})+margin)
		}
	}
}

// Size returns the width and height in pixels.
func (s *scene) Size() (width, height int) { return s.width, s.height }

// Raster draws the scene on white.
func (s *scene) Raster() *image.RGBA {
	dst := image.NewRGBA(image.Rect(0, 0, s.width, s.height))
	fill(dst, dst.Bounds(), white)
	for _, t := range s.tiles {
		if t.border {
			fill(dst, t.at.Inset(-1), borderColour)
			fill(dst, t.at, white)
		}
		xdraw.NearestNeighbor.Scale(dst, t.at, t.image, t.image.Bounds(), xdraw.Over, nil)
	}
	for _, w := range s.swatches {
		fill(dst, w.at.Inset(-1), borderColour)
		fill(dst, w.at, w.colour)
	}
	drawTexts(dst, s.texts)
	return dst
}

func fill(dst draw.Image, r image.Rectangle, c color.RGBA) {
	draw.Draw(dst, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// flat returns a tile over white, with its corner at (0, 0).
func flat(tile image.Image) *image.RGBA {
	b := tile.Bounds()
	dst := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	fill(dst, dst.Bounds(), white)
	draw.Draw(dst, dst.Bounds(), tile, b.Min, draw.Over)
	return dst
}
