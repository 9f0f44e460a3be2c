package synth

import (
	"cmp"
	"math/rand/v2"

	"example.com/patchwork/bitmap"
)

// Noise corrupts images pixel by pixel, independently. The zero Noise changes
// nothing.
type Noise struct {
	Flip float64 // probability that a known pixel changes its value, 0 to 1
	Hide float64 // probability that a known pixel becomes unknown, 0 to 1
}

// Validate returns an [*OptionError] that names a probability outside [0, 1],
// or nil.
func (n Noise) Validate() error {
	return cmp.Or(checkProb("noise", "Flip", n.Flip), checkProb("noise", "Hide", n.Hide))
}

// Apply returns a corrupted copy of m. Unknown pixels stay unknown. It takes
// two draws from r for each pixel, in row-major order, whatever the
// probabilities: from equal streams, a larger probability corrupts a superset
// of the pixels. The probabilities must be valid; see [Noise.Validate].
func (n Noise) Apply(r *rand.Rand, m *bitmap.Image) *bitmap.Image {
	out := m.Clone()
	for y := range m.Height() {
		for x := range m.Width() {
			flip, hide := chance(r, n.Flip), chance(r, n.Hide)
			switch {
			case !m.Known(y, x):
			case hide:
				out.SetUnknown(y, x)
			case flip:
				out.Set(y, x, !m.At(y, x))
			}
		}
	}
	return out
}

// Spoil returns a corrupted copy of each image. Copy i depends only on image i,
// the seed and i. The error is an [*OptionError].
func Spoil(images []*bitmap.Image, n Noise, seed uint64) ([]*bitmap.Image, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	out := make([]*bitmap.Image, len(images))
	for i, m := range images {
		out[i] = n.Apply(stream(seed, forNoise, i), m)
	}
	return out, nil
}
