package posterior

import (
	"math"
	"math/rand/v2"

	"example.com/patchwork/bitmap"
)

// Exclusive lists groups of pixels, row-major, of which exactly one is on, such as the
// columns of bits that one column of categories became. No pixel is in two groups.
type Exclusive [][]int

// Hide returns a copy of an image with a share of its known pixels, drawn at random,
// made unknown: round(share * known) of them, every set of that size with the same
// probability; where that is none, one of them with the probability share * known. A
// group counts as one pixel, which is known if any of its pixels is. The draw depends on
// the seed and on index, the image's place in its data set, and on nothing else. It
// panics unless 0 <= share <= 1.
func (x Exclusive) Hide(img *bitmap.Image, share float64, seed uint64, index int) *bitmap.Image {
	checkShare(share)
	return hideUnits(img, x.units(img), share, rand.New(rand.NewPCG(seed, uint64(index))))
}

// units returns what is hidden together: the groups of which a pixel is known, and the other known pixels.
func (x Exclusive) units(img *bitmap.Image) (units [][]int) {
	known := img.AppendKnown(nil)
	inGroup := make([]bool, len(known))
	for _, group := range x {
		any := false
		for _, i := range group {
			inGroup[i] = true
			any = any || known[i] != 0
		}
		if any {
			units = append(units, group)
		}
	}
	for i, k := range known {
		if k != 0 && !inGroup[i] {
			units = append(units, []int{i})
		}
	}
	return units
}

// hideUnits hides round(share * units) of the units, drawn at random; where that is none,
// one of them with the probability share * units.
func hideUnits(img *bitmap.Image, units [][]int, share float64, rng *rand.Rand) *bitmap.Image {
	out := img.Clone()
	want := share * float64(len(units))
	hide := int(math.Round(want))
	if hide == 0 && want > 0 && rng.Float64() < want {
		hide = 1
	}
	for n := range hide {
		j := n + rng.IntN(len(units)-n)
		units[n], units[j] = units[j], units[n]
		for _, i := range units[n] {
			out.SetUnknown(i/img.Width(), i%img.Width())
		}
	}
	return out
}

// Normalize divides the predictions of every group of which no pixel is known by their
// sum, so that they add up to 1, in place. The predictions are of the pixels of an image,
// row-major.
func (x Exclusive) Normalize(p []float64, visible *bitmap.Image) {
	if len(x) == 0 {
		return
	}
	known := visible.AppendKnown(nil)
	for _, group := range x {
		sum, open := 0.0, true
		for _, i := range group {
			sum += p[i]
			open = open && known[i] == 0
		}
		if !open {
			continue
		}
		for _, i := range group {
			if sum > 0 {
				p[i] /= sum
			} else {
				p[i] = 1 / float64(len(group))
			}
		}
	}
}
