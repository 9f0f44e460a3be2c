package render

import (
	"image"
	"image/color"

	patchwork "example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// These constants set how strongly an expert's vote tints paper without ink. A
// wrong "on" must show more than a right "off".
const (
	tintOn  = 0.38
	tintOff = 0.20
)

// unexplained is the colour of ink that no expert explains; slightly off black,
// to distinguish it from a plain image.
var unexplained = color.RGBA{0x2b, 0x2b, 0x2b, 0xff}

// vote is the vote shown at one pixel: which expert, and how strongly.
type vote struct {
	expert int     // -1: none
	share  float64 // fraction of the way from the abstention value to 1 (> 0) or to 0 (< 0)
}

// Coloured returns a tile of experts at given poses, as in Figure 8 of the
// paper, over a frame of h x w pixels: the hue of a pixel is that of its
// strongest expert (see [Hue]) and the intensity is that expert's opinion, from
// white (no vote) to the full hue (certainly on). Under MaxMinusMin an expert
// may also vote for off; such votes range from white to a dark shade of the
// hue. It panics where [patchwork.Model.Compose] does.
func Coloured(m *patchwork.Model, h, w int, picks []patchwork.Pick) *image.RGBA {
	return ColouredIn(m, h, w, picks, Hue)
}

// ColouredIn is like [Coloured], with other colours for the experts.
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

// strongest returns, for every pixel, the single opinion furthest from
// abstention towards certainty; a vote for on wins a tie.
func strongest(m *patchwork.Model, h, w int, picks []patchwork.Pick) []vote {
	c := m.Compose(h, w, picks)
	votes := make([]vote, h*w)
	for i := range votes {
		votes[i].expert = -1
	}
	for j, pick := range picks {
		for i, p := range Opinion(m, h, w, pick) {
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

// composed returns, for every pixel, the composed probability and the expert
// that decided on which side of abstention it is; none if the votes cancel.
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

// Overlay returns a tile of an explanation on its image. Ink has the hue of the
// expert that explains it, purer if it is more certain, and is dark grey if no
// expert does. Where an expert wrongly says "on", the paper has a tint of its
// hue; where it rightly says "off", a fainter one. Unknown pixels keep their
// checkerboard under the tint. It panics where [patchwork.Model.Compose] does,
// and for a model with a QMap if the image is not of the frame's size.
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

// Opinion returns the opinion of one pick at every pixel of an image of
// height x width, row-major: its template rotated and shifted; the abstention
// value where its frame does not reach. It panics on a pick that m does not have.
func Opinion(m *patchwork.Model, height, width int, pick patchwork.Pick) []float64 {
	cfg := m.Config()
	cfg.Rule, cfg.ZeroQ, cfg.Truncate = patchwork.RuleMaxMinusMin, true, false // opinions below q show as well
	both, err := m.WithConfig(cfg)
	if err != nil {
		panic(err) // the configuration of a model, but for its rule
	}
	c := both.Compose(height, width, []patchwork.Pick{pick})
	out := c.High
	for i, p := range c.Low {
		if c.Min[i] >= 0 {
			out[i] = p
		}
	}
	return out
}
