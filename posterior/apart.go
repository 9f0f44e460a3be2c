package posterior

import (
	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// leastLeft bounds how improbable the pixels of a group are that an explanation counts without.
const leastLeft = 1e-300

// Apart returns the probability of being on of each known pixel of an image given all others: as if the pixel alone, or
// all of its group, were hidden and predicted. One search of the whole image is enough: an explanation counts by its
// weight over the probability that it gives to the pixel. The error is a *SizeError.
func (n *Searcher) Apart(img *bitmap.Image, groups Exclusive) ([]float64, error) {
	post, err := n.Explain(img)
	if err != nil {
		return nil, err
	}
	said := make([][]float64, len(post.Alternatives))
	for i, a := range post.Alternatives {
		a.Weight = 1
		said[i] = n.average(img.Height(), img.Width(), []Alternative{a})
	}
	out, values, none, units := make([]float64, img.Len()), img.AppendValues(nil), img.Clone(), groups.units(img)
	for _, unit := range units {
		sum := 0.0
		for i, a := range post.Alternatives {
			left := 1.0
			for _, j := range unit {
				left *= [...]float64{1 - said[i][j], said[i][j], 1}[values[j]]
			}
			w := a.Weight / max(left, leastLeft)
			sum += w
			for _, j := range unit {
				out[j] += float64(w * said[i][j])
			}
		}
		for _, j := range unit {
			out[j] = min(out[j]/sum, 1)
			none.SetUnknown(j/img.Width(), j%img.Width())
		}
	}
	if by := n.model.Extras().Predictor; by != nil {
		out = apartBy(by, img, units, out)
	}
	groups.Normalize(out, none)
	return out, nil
}

// apartBy returns what a predictor says of the pixels of an image, each unit hidden alone; parts is what the parts say.
func apartBy(by patchwork.Predictor, img *bitmap.Image, units [][]int, parts []float64) []float64 {
	out := make([]float64, len(parts))
	for _, unit := range units {
		hidden := img.Clone()
		for _, j := range unit {
			hidden.SetUnknown(j/img.Width(), j%img.Width())
		}
		p := by.Predict(hidden, parts)
		for _, j := range unit {
			out[j] = p[j]
		}
	}
	return out
}
