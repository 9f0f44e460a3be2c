package score

import (
	"math"

	"example.com/patchwork/internal/elem"
)

// Noise is what happens to the pixels of an image after it was drawn: ink is lost with
// probability Missing, and paper is inked with probability Clutter. The zero Noise
// changes nothing.
type Noise struct{ Missing, Clutter float64 }

// Of returns the probability that a pixel is on which was drawn with probability p. It
// rises with p, and under it the composition of opinions is the composition of what it
// makes of them.
func (n Noise) Of(p float64) float64 { return p + float64(n.Clutter*(1-p)) - float64(n.Missing*p) }

const (
	noiseBins   = 1024 // of the probabilities of pixels
	noiseSteps  = 60   // of EM; its error then is far below the precision
	noiseParts  = 200  // of 1: the precision of the result
	noiseLimit  = 0.45 // of either kind, so that ink stays likelier where more is drawn
	noiseAtLast = 0.05 // where EM begins
)

// FitNoise returns the likeliest noise, to 1/200, of an image whose pixels x were drawn
// with probabilities p. It is zero unless it explains the image better than no noise by
// more than log(pixels) nats, which its two numbers are worth.
func FitNoise(x []uint8, p []float64) Noise {
	var bins [noiseBins + 2]noiseBin
	known := 0
	for i, v := range p {
		if x[i] == Unknown {
			continue
		}
		at := 1 + int(v*noiseBins)
		switch { // what is certain is not lumped together with what is not
		case v <= 0:
			at = 0
		case v >= 1:
			at = noiseBins + 1
		}
		bins[at].add(x[i], v)
		known++
	}
	n := Noise{noiseAtLast, noiseAtLast}
	for range noiseSteps {
		n = n.step(bins[:])
	}
	n = Noise{math.Round(n.Missing*noiseParts) / noiseParts, math.Round(n.Clutter*noiseParts) / noiseParts}
	if before := (Noise{}).logLik(bins[:]); !(n.logLik(bins[:])-before > elem.Log(float64(known))) {
		return Noise{}
	}
	return n
}

// noiseBin counts pixels of about the same probability.
type noiseBin struct{ off, on, sum float64 }

func (b *noiseBin) add(x uint8, p float64) {
	if x == On {
		b.on++
	} else {
		b.off++
	}
	b.sum += p
}

// mean returns the mean probability of the pixels.
func (b *noiseBin) mean() float64 { return b.sum / (b.on + b.off) }

// step returns the noise after one step of EM, whose hidden variables are the pixels as
// they were drawn.
func (n Noise) step(bins []noiseBin) Noise {
	var ink, paper, lost, added float64
	for i := range bins {
		b := &bins[i]
		if b.on+b.off == 0 {
			continue
		}
		p := b.mean()
		drawn := float64(b.on * ratio(float64((1-n.Missing)*p), float64(n.Clutter*(1-p)))) // of those that are on
		gone := float64(b.off * ratio(float64(n.Missing*p), float64((1-n.Clutter)*(1-p)))) // of those that are off
		ink, paper = ink+drawn+gone, paper+b.on-drawn+b.off-gone
		lost, added = lost+gone, added+b.on-drawn
	}
	return Noise{share(lost, ink), share(added, paper)}
}

// ratio returns a/(a+b), 0 for 0/0.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / (a + b)
}

// share returns the part of a whole, within what noise may be.
func share(part, whole float64) float64 { return min(ratio(part, whole-part), noiseLimit) }

// logLik returns the log-likelihood of the pixels, in nats.
func (n Noise) logLik(bins []noiseBin) float64 {
	sum := 0.0
	for i := range bins {
		b := &bins[i]
		if b.on+b.off == 0 {
			continue
		}
		p := n.Of(b.mean())
		if b.on > 0 {
			sum += float64(b.on * elem.Log(p))
		}
		if b.off > 0 {
			sum += float64(b.off * elem.Log1p(-p))
		}
	}
	return sum
}
