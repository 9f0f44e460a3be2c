package rule

// NoisyOr is the probability that at least one of independent events with
// probabilities p happens (section 2.1.1):
//
//	gamma(p...) = 1 - prod (1 - p)
//
// Using an expert twice raises the result. Abstention value 0.
type NoisyOr struct{}

// Compose returns 1 - prod(1-p); 0 for no opinions. Its relative error is small
// even for tiny opinions, and a single opinion is returned unchanged.
func (NoisyOr) Compose(opinions ...float64) float64 {
	on := 0.0
	for _, p := range opinions {
		checkOpinion(p)
		on += float64(p * (1 - on)) // the formula, one opinion at a time, without cancellation
	}
	return on
}

// Abstain returns 0: an event that never happens.
func (NoisyOr) Abstain() (q float64, ok bool) { return 0, true }

// Symmetric returns false: experts vote only for "on".
func (NoisyOr) Symmetric() bool { return false }

// Name returns "noisy-or".
func (NoisyOr) Name() string { return nameNoisyOr }

// String returns "noisy-or".
func (NoisyOr) String() string { return nameNoisyOr }

// SumOfOdds is the probability that one of independent events happens, given
// that at most one does (section 2.1.2): the odds add up.
//
//	gamma(p...) = 1 - 1/(1 + sum p/(1-p))
//
// Using an expert twice raises the result. Abstention value 0.
type SumOfOdds struct{}

// Compose returns S/(1+S), where S is the sum of the odds; 1 where an opinion
// is exactly 1, 0 for no opinions.
func (SumOfOdds) Compose(opinions ...float64) float64 {
	odds, certain := 0.0, false
	for _, p := range opinions {
		checkOpinion(p)
		if p == 1 {
			certain = true
			continue
		}
		odds += p / (1 - p)
	}
	if certain {
		return 1
	}
	// Not 1 - 1/(1+S), which would lose every digit of a small S.
	return odds / (1 + odds)
}

// Abstain returns 0: odds of 0 add nothing.
func (SumOfOdds) Abstain() (q float64, ok bool) { return 0, true }

// Symmetric returns false: experts vote only for "on".
func (SumOfOdds) Symmetric() bool { return false }

// Name returns "sum-of-odds".
func (SumOfOdds) Name() string { return nameSumOfOdds }

// String returns "sum-of-odds".
func (SumOfOdds) String() string { return nameSumOfOdds }

// Max is the strongest opinion (section 2.1.3). Only opinions above Q are
// votes; the paper has Q = 0, truncated templates (section 3) have Q = 1/2.
//
//	gamma(p...) = max(Q, p...)
//
// Using an expert twice changes nothing. Abstention value Q.
type Max struct {
	Q float64 // 0 <= Q <= 1
}

// Compose returns max(Q, p...), without rounding; Q for no opinions.
func (r Max) Compose(opinions ...float64) float64 {
	checkQ(r.Q)
	hi := r.Q
	for _, p := range opinions {
		checkOpinion(p)
		hi = max(hi, p)
	}
	return hi
}

// Abstain returns Q.
func (r Max) Abstain() (q float64, ok bool) { return r.Q, true }

// Symmetric returns false: experts vote only for "on".
func (Max) Symmetric() bool { return false }

// Name returns "max".
func (Max) Name() string { return nameMax }

// String returns "max", or with a Q other than 0 "max:0.5".
func (r Max) String() string { return withQ(nameMax, r.Q, 0) }
