package bitmap

import "math/rand/v2"

// Sample draws every pixel of an image independently with the given
// probabilities (height*width, row-major).
func Sample(rng *rand.Rand, height, width int, p []float64) *Image {
	img := New(height, width)
	for i, p := range p {
		if rng.Float64() < p {
			img.Set(i/width, i%width, true)
		}
	}
	return img
}
