package score

import "example.com/patchwork/internal/elem"

// Pixel values of a Field.
const (
	Off     = uint8(0)
	On      = uint8(1)
	Unknown = uint8(2)
)

// Compose returns the probability that a pixel is on, given its extremal
// opinions: hi + lo - q, exact where only one side votes, and kept in [0, 1]
// against rounding.
func Compose(hi, lo, q float64) float64 {
	switch {
	case lo == q:
		return hi
	case hi == q:
		return lo
	}
	return min(max(hi+lo-q, 0), 1)
}

// PixelLogLik returns log P(x | p) of one Bernoulli pixel, in nats; 0 for an
// unknown pixel.
func PixelLogLik(x uint8, p float64) float64 {
	if x == Unknown {
		return 0
	}
	return LogLik(x == On, p)
}

// LogLik returns log P(x | p) of one known Bernoulli pixel, in nats.
func LogLik(on bool, p float64) float64 {
	if on {
		return elem.Log(p)
	}
	return elem.Log1p(-p)
}
