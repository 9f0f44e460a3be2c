package synth

import (
	"cmp"
	"fmt"

	"example.com/patchwork/bitmap"
)

// GlyphSide is the side in pixels of a digit glyph of [Digits].
const GlyphSide = 28

// Digits draws exemplars of each digit, each by a different writer, in the
// frame of MNIST: ink scaled, aspect kept, to fit 20 x 20 pixels in an image of
// 28 x 28. (MNIST centres by mass, these are centred by bounding box.) The pen
// is 1.5 to 3.8 pixels wide.
//
// Glyph j shows digit labels[j] = j/exemplars. It depends only on the seed,
// the digit and its number j%exemplars. The error is an [*OptionError].
func Digits(exemplars int, seed uint64) (glyphs []*bitmap.Image, labels []int, err error) {
	if most := MaxTotalPixels / (10 * GlyphSide * GlyphSide); exemplars < 1 || exemplars > most {
		return nil, nil, &OptionError{"digits", "exemplars", exemplars, fmt.Sprintf("give 1 to %d", most)}
	}
	for digit := range 10 {
		for e := range exemplars {
			glyphs = append(glyphs, newDigit(seed, digit, e))
			labels = append(labels, digit)
		}
	}
	return glyphs, labels, nil
}

func newDigit(seed uint64, digit, exemplar int) *bitmap.Image {
	d := draw(skeletons['0'+rune(digit)],
		newHand(stream(seed, forDigit, digit, exemplar, 0)),
		stream(seed, forDigit, digit, exemplar, 1),
		stream(seed, forDigit, digit, exemplar, 2))
	pen := clamp(2.6*d.pen, 1.5, 3.8)
	return inked(ink(fit(d.paths, GlyphSide, 20, pen), GlyphSide, pen), GlyphSide)
}

// Templates turns glyphs into expert templates, one row of Height*Width
// probabilities per glyph: on where the glyph is on, off elsewhere. The
// composed scene of such templates under the max rule is the model of [Scenes]
// when on = 1-eta and off = eta, where eta is the probability of a flip. Levels
// of exactly 0 or 1 make a single flip impossible, and levels below the true
// noise break the pursuit; see [NoiseLevels]. An unknown glyph pixel counts as
// off. The error is an [*OptionError] unless 0 <= off < on <= 1.
func Templates(glyphs []*bitmap.Image, on, off float64) ([][]float64, error) {
	if err := checkLevels("templates", on, off); err != nil {
		return nil, err
	}
	return templates(glyphs, on, off), nil
}

// checkLevels returns an error for levels that no template can have.
func checkLevels(kind string, on, off float64) error {
	if err := cmp.Or(checkProb(kind, "On", on), checkProb(kind, "Off", off)); err != nil {
		return err
	}
	if off >= on {
		return &OptionError{kind, "Off", off, fmt.Sprintf("give a value below On, which is %v", on)}
	}
	return nil
}

// templates is like Templates, for levels already checked.
func templates(glyphs []*bitmap.Image, on, off float64) [][]float64 {
	out := make([][]float64, len(glyphs))
	for j, g := range glyphs {
		mu := make([]float64, g.Len())
		for d, v := range g.AppendBytes(nil) {
			mu[d] = off
			if v != 0 {
				mu[d] = on
			}
		}
		out[j] = mu
	}
	return out
}

// NoiseLevels returns the levels for [Templates] that fit flips with
// probability eta: 1-e and e, where e is eta clipped to [0.01, 0.45], so that
// no pixel is impossible and ink stays more likely than not.
func NoiseLevels(eta float64) (on, off float64) {
	e := clamp(eta, 0.01, 0.45)
	return 1 - e, e
}
