package real

import (
	"math"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/enum"
)

// Rule says what becomes of several opinions about one pixel.
type Rule uint8

const (
	// Pool weights the strongest opinion up and the strongest down by their strength.
	Pool Rule = iota
	// Max takes the strongest opinion up; opinions down are not heard.
	Max
	// Soft hears all opinions, the stronger the more; it is continuous where two
	// experts of one side are equally strong, and the pool in the limit Tau -> 0.
	Soft
)

var ruleNames = []string{"pool", "max", "soft"}

// String returns "pool", "max" or "soft".
func (r Rule) String() string { return enum.Name("rule", ruleNames, uint8(r)) }

// ParseRule returns the rule of a name. The error lists the names.
func ParseRule(name string) (Rule, error) {
	return enum.Parse[Rule]("the rule for real values", ruleNames, name)
}

// DefaultTau is the temperature of Soft.
const DefaultTau = 0.25

// Component is one distribution of a mixture; Weight is > 0.
type Component struct {
	Weight float64
	Normal
}

// Mixture is a mixture of normal distributions, whose weights add up to 1.
type Mixture []Component

// Compose returns what the opinions, in the order of the picks, say together about a pixel
// with the given background: one opinion, the background, or a mixture. Opinions that equal the
// background say nothing. tau is the temperature of Soft; 0 means DefaultTau.
func (r Rule) Compose(tau float64, background Normal, opinions ...Normal) Mixture {
	if r == Soft {
		if tau == 0 {
			tau = DefaultTau
		}
		return soft(tau, background, opinions)
	}
	var up, down Normal
	var strongestUp, strongestDown float64
	for _, o := range opinions {
		a := o.Strength(background)
		switch {
		case o.Up(background) && a > strongestUp:
			up, strongestUp = o, a
		case !o.Up(background) && a > strongestDown && r != Max:
			down, strongestDown = o, a
		}
	}
	switch {
	case strongestUp == 0 && strongestDown == 0:
		return Mixture{{1, background}}
	case strongestDown == 0:
		return Mixture{{1, up}}
	case strongestUp == 0:
		return Mixture{{1, down}}
	}
	w := strongestUp / (strongestUp + strongestDown)
	return Mixture{{w, up}, {1 - w, down}}
}

// soft returns the continuous variant: on each side the weights A exp((A - A*)/tau), A* being
// the largest strength A of the side, scaled to add up to A*; the background has the weight
// tau exp(-max(A*)/tau).
func soft(tau float64, background Normal, opinions []Normal) Mixture {
	var largest, sum [2]float64
	side := func(o Normal) int {
		if o.Up(background) {
			return 0
		}
		return 1
	}
	for _, o := range opinions {
		i := side(o)
		largest[i] = max(largest[i], o.Strength(background))
	}
	weight := func(o Normal) float64 {
		a := o.Strength(background)
		return float64(a * elem.Exp((a-largest[side(o)])/tau))
	}
	for _, o := range opinions {
		sum[side(o)] += weight(o)
	}
	rest := float64(tau * elem.Exp(-max(largest[0], largest[1])/tau))
	total := largest[0] + largest[1] + rest
	out := Mixture{{rest / total, background}}
	for _, o := range opinions {
		if w := weight(o); w > 0 {
			out = append(out, Component{w / sum[side(o)] * largest[side(o)] / total, o})
		}
	}
	return out
}

// LogDensity returns the logarithm of the density at x, in nats.
func (m Mixture) LogDensity(x float64) float64 {
	sum := math.Inf(-1)
	for _, c := range m {
		sum = elem.LogAdd(sum, elem.Log(c.Weight)+c.LogDensity(x))
	}
	return sum
}

// Mean returns the expectation.
func (m Mixture) Mean() float64 {
	mean := 0.0
	for _, c := range m {
		mean += float64(c.Weight * c.Mean)
	}
	return mean
}

// Variance returns the variance: what the components vary, and what their means do.
func (m Mixture) Variance() float64 {
	mean, sum := m.Mean(), 0.0
	for _, c := range m {
		sum += float64(c.Weight * (c.Normal.Var + float64((c.Mean-mean)*(c.Mean-mean))))
	}
	return sum
}

// CDF returns the probability of a value of at most x.
func (m Mixture) CDF(x float64) float64 {
	sum := 0.0
	for _, c := range m {
		sum += float64(c.Weight * c.CDF(x))
	}
	return sum
}

// Quantile returns the value below which the share p of the probability lies, 0 < p < 1, to the
// last few bits.
func (m Mixture) Quantile(p float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range m {
		s := math.Sqrt(c.Normal.Var)
		low, high = min(low, c.Mean-float64(40*s)), max(high, c.Mean+float64(40*s))
	}
	for range 200 {
		middle := low + float64((high-low)/2)
		if middle <= low || middle >= high {
			break
		}
		if m.CDF(middle) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
