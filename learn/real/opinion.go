package real

import (
	"math"

	"example.com/patchwork/internal/elem"
)

// Normal is a normal distribution by mean and variance: the background's or an
// expert's opinion about one pixel. The variance is > 0.
type Normal struct{ Mean, Var float64 }

// halfLog2Pi is ln(2 pi)/2.
const halfLog2Pi = 0.91893853320467274178

// LogDensity returns the logarithm of the density at x, in nats.
func (n Normal) LogDensity(x float64) float64 {
	d := x - n.Mean
	return -halfLog2Pi - float64(elem.Log(n.Var)/2) - d*d/(2*n.Var)
}

// CDF returns the probability of a value of at most x.
func (n Normal) CDF(x float64) float64 {
	return elem.Erfc((n.Mean-x)/math.Sqrt(2*n.Var)) / 2
}

// Strength returns how far the opinion is from the background, >= 0: the square root of
// twice the divergence. With the background's variance it is the distance of the means in
// standard deviations.
func (n Normal) Strength(background Normal) float64 {
	s := math.Sqrt(background.Var)
	return strength((n.Mean-background.Mean)/s, n.Var/background.Var)
}

// Up reports whether the opinion is that the value is larger than the background says, or equal.
func (n Normal) Up(background Normal) bool { return n.Mean >= background.Mean }

// strength returns the strength of an opinion of mean mu and variance r, where the background
// has mean 0 and variance 1.
func strength(mu, r float64) float64 {
	if r == 1 {
		return math.Abs(mu)
	}
	return math.Sqrt(float64(mu*mu) + max(0, r-1-elem.Log1p(r-1)))
}
