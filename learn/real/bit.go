package real

import "example.com/patchwork/internal/elem"

// This file has what is said about columns of bits, which stand beside columns of real values in one table. An opinion
// is the probability p of a 1; its strength is |p-q|, q being the background's, and the pool of two opinions is exactly
// max - q + min. It is kept as the Normal of the same mean and variance, so means, variances and mixtures of opinions
// are
// those of bits.

// leastP is the smallest probability that is believed of a bit, of 1 and of 0.
const leastP = 1. / 1024

// bernoulli returns the opinion that a bit is 1 with probability p, or the nearest to it that is believed.
func bernoulli(p float64) Normal {
	p = min(max(p, leastP), 1-leastP)
	return Normal{p, p * (1 - p)}
}

// bit reports whether the values of a pixel are bits.
func (m *Model) bit(d int) bool { return m.Scales != nil && m.Scales[d].Bit }

// bitIf returns 1 if something is true, else 0.
func bitIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// logBit returns the logarithm of the probability of a bit of which p is that of 1.
func logBit(p, x float64) float64 {
	if x != 0 {
		return elem.Log(p)
	}
	return elem.Log1p(-p)
}

// bitEntry returns an opinion p about a bit whose background is q: as for real values, where z is the bit.
func bitEntry(p, q float64) entry {
	off := logBit(p, 0) - logBit(q, 0)
	return entry{s: p - q, a: off, b: logBit(p, 1) - logBit(q, 1) - off}
}

// voteBit returns what an expert says about a bit of whose n values the share mean was 1, where the background
// says q: a probability, if it brings lambda nats over the background.
func voteBit(n, mean float64, b Normal, lambda float64) Entry {
	q := b.Mean
	o := bernoulli((float64(n*mean) + float64(q/2)) / (n + 0.5))
	p := o.Mean
	if n < 2 || n*(float64(mean*elem.Log(p/q))+float64((1-mean)*elem.Log((1-p)/(1-q)))) <= lambda {
		return Entry{Abstains, b}
	}
	return Entry{MeanOnly, o}
}
