package render

import (
	"fmt"
	"image"
	"image/color"

	patchwork "example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// Template returns a tile of h x w probabilities p, row-major, in the colours
// of the palette. It panics unless len(p) == h*w.
func Template(h, w int, p []float64, palette Palette) *image.RGBA {
	if h < 0 || w < 0 || len(p) != h*w {
		panic(fmt.Sprintf("render: %d probabilities for a template of %d x %d", len(p), h, w))
	}
	return paint(h, w, func(i int) color.RGBA { return palette(p[i]) })
}

// Expert returns a tile of expert k's template in the palette of the model's
// rule: [Ink] for Max, [SymmetricAround] the abstention value of each pixel for
// MaxMinusMin. It panics unless 0 <= k < m.K().
func Expert(m *patchwork.Model, k int) *image.RGBA {
	return probabilities(m, m.Height(), m.Width(), m.Template(k))
}

// Composed returns a tile of the picks' composition over a frame of h x w
// pixels, in the palette of the model's rule.
func Composed(m *patchwork.Model, h, w int, picks []patchwork.Pick) *image.RGBA {
	return probabilities(m, h, w, m.Compose(h, w, picks).P)
}

func probabilities(m *patchwork.Model, h, w int, p []float64) *image.RGBA {
	if !m.Config().Rule.TwoSided() {
		return Template(h, w, p, Ink)
	}
	return paint(h, w, func(i int) color.RGBA { return symmetricAround(p[i], m.Abstention(i)) })
}

// Image returns a tile of a binary image: black where on, white where off, a
// checkerboard of pale lilac where unknown.
func Image(img *bitmap.Image) *image.RGBA {
	return paint(img.Height(), img.Width(), func(i int) color.RGBA { return pixel(img, i) })
}

// pixel returns the colour of pixel i, row-major, of an image.
func pixel(img *bitmap.Image, i int) color.RGBA {
	y, x := i/img.Width(), i%img.Width()
	switch {
	case !img.Known(y, x):
		return unknownTints[(x+y)%2]
	case img.At(y, x):
		return black
	}
	return white
}

// paint returns a tile of h x w pixels; pixel i, row-major, has colour at(i).
func paint(h, w int, at func(i int) color.RGBA) *image.RGBA {
	tile := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range h * w {
		c := at(i)
		copy(tile.Pix[4*i:], []uint8{c.R, c.G, c.B, c.A})
	}
	return tile
}
