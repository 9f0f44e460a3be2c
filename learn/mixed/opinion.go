package mixed

import (
	"math"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/learn/real"
)

// Opinion is a distribution of a column: probabilities of levels, or a Normal of scores.
type Opinion struct {
	P []float64
	real.Normal
}

// sure is how much of an opinion about levels is its own; the rest is the background, so that nothing is impossible.
const sure = .998

// Tilt returns the opinion about ordered levels, q_l exp(theta s_l) up to a factor, whose mean score is the given one;
// theta is between -40 and 40, at the end where a mean is beyond.
func (c *Column) Tilt(q []float64, mean float64) []float64 {
	out := make([]float64, len(q))
	c.tilt(out, q, mean)
	return out
}

// steepest is the largest theta, and steps are enough to find it to the last bits.
const (
	steepest = 40.0
	steps    = 60
)

// tilt is Tilt, by Newton's method, with halving of the interval where that leads out of it.
func (c *Column) tilt(out, q []float64, mean float64) {
	low, high, theta := -steepest, steepest, 0.0
	for range steps {
		m, v := tilted(out, q, c.Scores, theta)
		if m < mean {
			low = theta
		} else if m > mean {
			high = theta
		}
		if math.Abs(m-mean) < 1e-12 || high-low < 1e-12 {
			return
		}
		if theta += (mean - m) / v; !(theta > low && theta < high) {
			theta = (low + high) / 2
		}
	}
}

// tilted sets out to q_l exp(theta s_l), scaled to add up to 1, and returns mean and variance of its scores.
func tilted(out, q, scores []float64, theta float64) (mean, variance float64) {
	if theta == 0 {
		copy(out, q)
		return moments(out, scores)
	}
	top := max(theta*scores[0], theta*scores[len(scores)-1])
	sum := 0.0
	for l := range q {
		out[l] = q[l] * elem.Exp(float64(theta*scores[l])-top)
		sum += out[l]
	}
	for l := range out {
		out[l] /= sum
	}
	return moments(out, scores)
}

// Name returns the opinion that names level a of q with probability p: the others share the rest as in q.
func Name(q []float64, a int, p float64) []float64 {
	out := make([]float64, len(q))
	for l := range q {
		out[l] = q[l] * (1 - p) / (1 - q[a])
	}
	out[a] = p
	return out
}

// soften mixes an opinion with a little of the background, so that an outlier is not impossible.
func soften(p, q []float64) {
	for l := range p {
		p[l] = float64(sure*p[l]) + float64((1-sure)*q[l])
	}
}

// Strength returns how far an opinion is from the background, >= 0: the distance of the means in standard deviations of
// the background, and what else its shape says. Half the square is the divergence, to second order.
func (c *Column) Strength(b, o *Opinion) float64 {
	if c.Family == Levels && len(b.P) > 2 {
		a := c.shift(b, o)
		return math.Sqrt(a*a + float64(2*c.bent(b.P, o.P)))
	}
	return c.shift(b, o)
}

// strength is Strength of an entry; of those of one number nothing else than the mean is looked at.
func (c *Column) strength(b *Opinion, e *Entry) float64 {
	if e.Numbers == 1 {
		return c.shift(b, &e.Opinion)
	}
	return c.Strength(b, &e.Opinion)
}

// shift is Strength but for the shape of opinions about levels.
func (c *Column) shift(b, o *Opinion) float64 {
	switch c.Family {
	case Real:
		return o.Normal.Strength(b.Normal)
	case Words:
		return math.Sqrt(chiSquare(b.P, o.P, o.P))
	}
	bm, bv := moments(b.P, c.Scores)
	m, _ := moments(o.P, c.Scores)
	if bv <= 0 {
		return 0
	}
	return math.Abs(m-bm) / math.Sqrt(bv)
}

// chiSquare returns the product of two opinions about words, sum (p1-q)(p2-q)/q; of one with itself it is the
// chi-square distance.
func chiSquare(q, one, two []float64) float64 {
	sum := 0.0
	for l := range q {
		if q[l] > 0 {
			sum += (one[l] - q[l]) * (two[l] - q[l]) / q[l]
		}
	}
	return sum
}

// bent returns the divergence of an opinion about levels from that of one number with the same mean.
func (c *Column) bent(q, p []float64) float64 {
	bm, _ := moments(q, c.Scores)
	m, _ := moments(p, c.Scores)
	tilt := c.Tilt(q, (m-(1-sure)*bm)/sure)
	soften(tilt, q)
	sum := 0.0
	for l := range p {
		if p[l] > 0 {
			sum += float64(p[l] * elem.Log(p[l]/tilt[l]))
		}
	}
	if sum < tiltError {
		return 0
	}
	return sum
}

// tiltError is more than what rounding leaves of a divergence that is 0.
const tiltError = 1e-9

// Opposes reports whether two opinions are on different sides of the background: their means, or, of words, if what
// one raises the other lowers, on the whole.
func (c *Column) Opposes(b, one, two *Opinion) bool {
	switch c.Family {
	case Real:
		return one.Up(b.Normal) != two.Up(b.Normal)
	case Words:
		return chiSquare(b.P, one.P, two.P) < 0
	}
	bm, _ := moments(b.P, c.Scores)
	m1, _ := moments(one.P, c.Scores)
	m2, _ := moments(two.P, c.Scores)
	return (m1 >= bm) != (m2 >= bm)
}

// LogDensity returns the logarithm of the probability or the density of a code, in nats.
func (c *Column) LogDensity(o *Opinion, code float64) float64 {
	if c.Family == Real {
		return o.Normal.LogDensity(code)
	}
	return elem.Log(o.P[int(code)])
}
