package rule

import "math"

// Mean is the average opinion (section 2.2.1), an equal mixture of the experts.
//
//	gamma(p...) = sum p / K
//
// No opinion is an abstention: every opinion counts.
type Mean struct{}

// Compose returns the average. It panics on no opinions: the mean of nothing is
// undefined, and the rule has no abstention value to fall back on.
func (Mean) Compose(opinions ...float64) float64 {
	if len(opinions) == 0 {
		panic("rule: the mean of no opinions is undefined")
	}
	sum := 0.0
	for _, p := range opinions {
		checkOpinion(p)
		sum += p
	}
	return sum / float64(len(opinions))
}

// Abstain returns ok false: under the mean no opinion changes nothing.
func (Mean) Abstain() (q float64, ok bool) { return 0, false }

// Symmetric returns true.
func (Mean) Symmetric() bool { return true }

// Name returns "mean".
func (Mean) Name() string { return nameMean }

// String returns "mean".
func (Mean) String() string { return nameMean }

// SumOfLogOdds adds log-odds (section 2.2.2), as restricted Boltzmann machines
// do:
//
//	gamma(p...) = sigma(sum log(p/(1-p))) = prod p / (prod p + prod (1-p))
//
// Opposing opinions cancel, and using an expert twice doubles its log-odds.
// Abstention value 1/2.
type SumOfLogOdds struct{}

// Compose returns 1/2 for no opinions and where an exact 0 meets an exact 1;
// otherwise an exact 0 or 1 wins. The relative error of the result and of its
// odds is a few K roundings, however extreme the K opinions are.
func (SumOfLogOdds) Compose(opinions ...float64) float64 {
	on, off := scaled{mantissa: 1}, scaled{mantissa: 1}
	for _, p := range opinions {
		checkOpinion(p)
		on.multiply(p)
		off.multiply(1 - p)
	}
	switch {
	case on.mantissa == 0 && off.mantissa == 0: // a certain yes and a certain no
		return 0.5
	case off.mantissa == 0:
		return 1
	}
	odds := math.Ldexp(on.mantissa/off.mantissa, on.exponent-off.exponent)
	if math.IsInf(odds, 1) { // beyond what 1 + odds can hold
		return 1
	}
	return odds / (1 + odds)
}

// scaled is the number mantissa * 2^exponent: a product of probabilities that
// does not underflow, so that a thousand and one votes for still outweigh a
// thousand against.
type scaled struct {
	mantissa float64 // 0, or in [1/2, 1]
	exponent int
}

func (s *scaled) multiply(p float64) {
	// p is split as well: the product with a subnormal p would lose digits.
	m, e := math.Frexp(p)
	m, shift := math.Frexp(s.mantissa * m)
	s.mantissa, s.exponent = m, s.exponent+e+shift
}

// Abstain returns 1/2: log-odds of 0.
func (SumOfLogOdds) Abstain() (q float64, ok bool) { return 0.5, true }

// Symmetric returns true.
func (SumOfLogOdds) Symmetric() bool { return true }

// Name returns "sum-of-log-odds".
func (SumOfLogOdds) Name() string { return nameSumOfLogOdds }

// String returns "sum-of-log-odds".
func (SumOfLogOdds) String() string { return nameSumOfLogOdds }

// MaxMinusMin is the paper's own rule (section 2.2.4): the strongest opinion on
// each side of Q counts, and their distances from Q are subtracted.
//
//	gamma(p...) = Q + (max-Q)+ - (Q-min)+
//
// Using an expert twice changes nothing, and equal and opposite votes give Q.
// The paper has Q = 1/2; with Q = 0 this is the max rule. Abstention value Q.
//
// The rule is not associative: feeding a result back in as an opinion lets a
// used expert help again. Carry the running max and min instead.
type MaxMinusMin struct {
	Q float64 // 0 <= Q <= 1
}

// Compose returns Q for no opinions. The result is exact if only one side
// votes.
func (r MaxMinusMin) Compose(opinions ...float64) float64 {
	checkQ(r.Q)
	hi, lo := r.Q, r.Q
	for _, p := range opinions {
		checkOpinion(p)
		hi, lo = max(hi, p), min(lo, p)
	}
	switch {
	case lo == r.Q:
		return hi
	case hi == r.Q:
		return lo
	}
	return clamp(hi + lo - r.Q)
}

// Abstain returns Q.
func (r MaxMinusMin) Abstain() (q float64, ok bool) { return r.Q, true }

// Symmetric reports whether Q = 1/2.
func (r MaxMinusMin) Symmetric() bool { return r.Q == 0.5 }

// Name returns "max-minus-min".
func (MaxMinusMin) Name() string { return nameMaxMinusMin }

// String returns "max-minus-min", or with a Q other than 1/2
// "max-minus-min:0.3".
func (r MaxMinusMin) String() string { return withQ(nameMaxMinusMin, r.Q, 0.5) }
