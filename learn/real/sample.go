package real

import (
	"math"
	"math/rand/v2"

	"example.com/patchwork/internal/elem"
)

// Sample draws an image: each expert is active with its probability, at a place drawn among all, and every pixel is
// drawn from
// what they say together, rounded to its step if the model has scales.
func (m *Model) Sample(rng *rand.Rand) []float64 {
	var picks []Pick
	for k := range m.Experts {
		at := rng.IntN(m.Poses.Len())
		if rng.Float64() < m.pi(k) {
			picks = append(picks, Pick{k, m.Poses.At(at)})
		}
	}
	image := make([]float64, m.D())
	for d := range image {
		mix := m.Compose(d, picks)
		u, z := rng.Float64(), elem.Normal(rng)
		at := 0
		for ; at < len(mix)-1 && u >= mix[at].Weight; at++ {
			u -= mix[at].Weight
		}
		x := mix[at].Mean + float64(z*math.Sqrt(mix[at].Normal.Var))
		if m.Scales != nil {
			x = m.Scales[d].value(m.Scales[d].number(x), x)
		}
		image[d] = x
	}
	return image
}
