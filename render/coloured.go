package render

import (
	"image"
	"image/color"

	patchwork "example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// How strongly an expert's claim tints paper that has no ink there. A wrong
// "on" must show more than a right "off".
const (
	tintOn  = 0.38
	tintOff = 0.20
)

// unexplained is ink that no expert accounts for; a little off black, so that
// it is not mistaken for a plain image.
var unexplained = color.RGBA{0x2b, 0x2b, 0x2b, 0xff}

// vote is what one pixel hears: which expert speaks, and how loudly.
type vote struct {
	expert int     // -1: nobody
	share  float64 // of the way from the abstention value to 1 (> 0) or to 0 (< 0)
}

// Coloured is a tile of experts at given poses, as in Figure 8 of the paper,
// over a frame of h x w pixels: the hue of a pixel is its strongest expert
// (see [Hue]) and the intensity is what that expert says, from white (no
// vote) to the full hue (certainly on). Under MaxMinusMin an expert may also
// vote for off: such votes go from white to a shade of the hue, near black.
// It panics where [patchwork.Model.Compose] does.
func Coloured(m *patchwork.Model, h, w int, picks []patchwork.Pick) *image.RGBA {
	return ColouredIn(m, h, w, picks, Hue)
}

// ColouredIn is [Coloured] with other colours of the experts.
func ColouredIn(m *patchwork.Model, h, w int, picks []patchwork.Pick, hue func(k int) color.RGBA) *image.RGBA {
	votes := strongest(m, h, w, picks)
	return paint(h, w, func(i int) color.RGBA {
		v := votes[i]
		switch {
		case v.expert < 0:
			return white
		case v.share < 0:
			return mix(white, mix(hue(v.expert), black, 0.6), -v.share)
		}
		return mix(white, hue(v.expert), v.share)
	})
}

// strongest is, for every pixel, the single opinion furthest on its way from
// abstention to certainty; a vote for on wins a tie.
func strongest(m *patchwork.Model, h, w int, picks []patchwork.Pick) []vote {
	c := m.Compose(h, w, picks)
	votes := make([]vote, h*w)
	for i := range votes {
		votes[i].expert = -1
	}
	for j, pick := range picks {
		for i, p := range m.Place(h, w, pick) {
			if int(c.Max[i]) != j && int(c.Min[i]) != j {
				continue
			}
			s := share(p, m.Abstention(i))
			old := votes[i].share
			if max(s, -s) > max(old, -old) || s > 0 && s == -old {
				votes[i] = vote{pick.Expert, s}
			}
		}
	}
	return votes
}

// composed is, for every pixel, the composed probability and the expert who
// decided on which side of abstention it is. Votes that cancel are nobody's.
func composed(m *patchwork.Model, h, w int, picks []patchwork.Pick) []vote {
	c := m.Compose(h, w, picks)
	votes := make([]vote, h*w)
	for i := range votes {
		v := vote{-1, share(c.P[i], m.Abstention(i))}
		switch {
		case v.share > 0:
			v.expert = picks[c.Max[i]].Expert
		case v.share < 0:
			v.expert = picks[c.Min[i]].Expert
		}
		votes[i] = v
	}
	return votes
}

// Overlay is a tile of an explanation on its image. Ink is the hue of the
// expert that explains it, the purer the surer, and dark grey where no
// expert does. Where an expert says ink and there is none the paper has a
// tint of its hue; where it says "off", rightly, a fainter one. Unknown
// pixels keep their checkerboard under the tint. It panics where
// [patchwork.Model.Compose] does, and for a model with a QMap if the image is
// not of the frame's size.
func Overlay(m *patchwork.Model, img *bitmap.Image, picks []patchwork.Pick) *image.RGBA {
	h, w := img.Height(), img.Width()
	votes := composed(m, h, w, picks)
	return paint(h, w, func(i int) color.RGBA {
		v, on := votes[i], img.At(i/w, i%w)
		switch {
		case on && v.share > 0:
			return mix(unexplained, Hue(v.expert), v.share)
		case on:
			return unexplained
		case v.share > 0:
			return mix(pixel(img, i), Hue(v.expert), tintOn*v.share)
		case v.share < 0:
			return mix(pixel(img, i), Hue(v.expert), -tintOff*v.share)
		}
		return pixel(img, i)
	})
}
