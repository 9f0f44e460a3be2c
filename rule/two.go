package rule

import "example.com/patchwork/internal/elem"

// TwoExperts computes the function of the paper's Figure 2 (section 2): the
// expected log-likelihood per pixel, in nats, of two experts that each have one
// opinion, p1 and p2 in [0, 1], for all pixels. A quarter of the images are
// white, a quarter black and half are noise; images are large, and each is
// explained by the set of experts that fits it best: none (every pixel 1/2),
// one, the other, or both.
func TwoExperts(r Rule, p1, p2 float64) float64 {
	black, white := 0.5, 0.5
	for _, mu := range []float64{p1, p2, r.Compose(p1, p2)} {
		black, white = max(black, mu), max(white, 1-mu)
	}
	return float64(elem.Log(black)/4) + float64(elem.Log(white)/4) + float64(elem.Log(.5)/2)
}

// TwoExpertsGradient returns the gradient of TwoExperts with respect to p1 and
// p2, by finite differences within [0, 1].
func TwoExpertsGradient(r Rule, p1, p2 float64) (d1, d2 float64) {
	const h = 1e-6
	slope := func(p float64, f func(p float64) float64) float64 {
		low, high := max(0, p-h), min(1, p+h)
		return (f(high) - f(low)) / (high - low)
	}
	return slope(p1, func(p float64) float64 { return TwoExperts(r, p, p2) }),
		slope(p2, func(p float64) float64 { return TwoExperts(r, p1, p) })
}
