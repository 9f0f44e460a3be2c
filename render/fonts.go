//go:build !js

package render

import (
	"image"
	"image/color"
	"image/draw"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

var (
	regular = sync.OnceValue(func() *opentype.Font { return parse(goregular.TTF) })
	bold    = sync.OnceValue(func() *opentype.Font { return parse(gobold.TTF) })
)

// parse parses a font. It cannot fail: the fonts are compiled in.
func parse(ttf []byte) *opentype.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic("render: " + err.Error())
	}
	return f
}

// face returns a new face for each picture: faces are not safe for concurrent
// use.
func (s style) face() font.Face {
	source := regular()
	if s.bold {
		source = bold()
	}
	f, err := opentype.NewFace(source, &opentype.FaceOptions{Size: float64(s.size), DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic("render: " + err.Error()) // as for parse
	}
	return f
}

// width returns the width in pixels of the widest line.
func (s style) width(lines []string) int {
	face, widest := s.face(), 0
	for _, l := range lines {
		widest = max(widest, font.MeasureString(face, l).Ceil())
	}
	return widest
}

// drawTexts draws lines of text.
func drawTexts(dst *image.RGBA, texts []placedText) {
	faces := map[style]font.Face{}
	for _, t := range texts {
		face := faces[t.style]
		if face == nil {
			face = t.style.face()
			faces[t.style] = face
		}
		if t.up {
			drawUpwards(dst, face, t)
			continue
		}
		x := t.x
		switch advance := font.MeasureString(face, t.line).Round(); t.from {
		case middle:
			x -= advance / 2
		case end:
			x -= advance
		}
		drawText(dst, face, t.style.colour, x, t.y, t.line)
	}
}

// drawUpwards draws a line of text that reads upwards.
func drawUpwards(dst *image.RGBA, face font.Face, t placedText) {
	w, h := font.MeasureString(face, t.line).Ceil()+2, 2*t.style.size
	flat := image.NewRGBA(image.Rect(0, 0, w, h))
	fill(flat, flat.Rect, white)
	drawText(flat, face, t.style.colour, 0, t.style.size, t.line)
	for y := range h {
		for x := range w {
			if c := flat.RGBAAt(x, y); c != white {
				dst.SetRGBA(t.x+y-t.style.size, t.y-x, c)
			}
		}
	}
}

// drawText draws a line with its baseline at y, starting at x.
func drawText(dst draw.Image, face font.Face, c color.RGBA, x, y int, line string) {
	d := font.Drawer{Dst: dst, Src: image.NewUniform(c), Face: face, Dot: fixed.P(x, y)}
	d.DrawString(line)
}
