// Package rule has the composition rules of section 2 of the paper: functions
// gamma from any number of opinions in [0, 1] to one probability.
//
// An opinion is what one expert says about one pixel: the probability that it
// is on. A rule may have an abstention value q, the opinion that changes
// nothing: gamma(q, p...) = gamma(p...). A rule is symmetric when it treats on
// and off alike: gamma(1-p) = 1 - gamma(p).
//
//	rule             abstention  symmetric  composes
//	noisy-or         0                      1 - prod (1-p)
//	sum-of-odds      0                      the odds p/(1-p) add up
//	max              0 (or q)               the strongest opinion above q
//	mean             none        yes        the average
//	sum-of-log-odds  1/2         yes        the log-odds add up
//	normalized-sum   1/2         yes        votes for over votes cast
//	max-minus-min    1/2 (or q)  for 1/2    q + (max-q)+ - (q-min)+
//
// Where the paper leaves the edges open, these conventions hold. No opinions
// compose to the abstention value; a rule that has none panics. Under sum of
// odds a certain opinion 1 wins. Under sum of log-odds certain opinions for
// both sides give 1/2; otherwise the certain side wins.
//
// All rules are pure functions, safe for concurrent use, and never change
// their arguments. Compose panics on an opinion that is NaN or outside [0, 1],
// because a template is checked when it enters a model; so does a rule whose
// own q is not a probability.
//
// The package is a leaf. A model learns only with max and max-minus-min, which
// the root package computes incrementally; ruletest has the laws that every
// rule obeys.
package rule

import (
	"fmt"
	"strconv"
	"strings"
)

// Rule is a composition rule. The seven of the paper are [All]; package
// ruletest checks that a new one behaves.
type Rule interface {
	// Compose is gamma(opinions...), in [0, 1], whatever the order of the
	// opinions up to rounding. It panics on an opinion outside [0, 1], and on
	// no opinions where the rule cannot abstain.
	Compose(opinions ...float64) float64

	// Abstain is the opinion q that changes nothing; ok is false where no
	// opinion does that.
	Abstain() (q float64, ok bool)

	// Symmetric reports whether gamma(1-p) = 1 - gamma(p).
	Symmetric() bool

	// Name is the family of the rule, without q: "max-minus-min".
	Name() string

	// String is the name with q where it is not the family's own:
	// "max-minus-min:0.3". [Parse] is its inverse.
	String() string
}

// The names of the seven families, as in flags and files.
const (
	nameNoisyOr       = "noisy-or"
	nameSumOfOdds     = "sum-of-odds"
	nameMax           = "max"
	nameMean          = "mean"
	nameSumOfLogOdds  = "sum-of-log-odds"
	nameNormalizedSum = "normalized-sum"
	nameMaxMinusMin   = "max-minus-min"
)

// All is the seven rules with the paper's abstention values, in the order of
// section 2.
func All() []Rule {
	return []Rule{NoisyOr{}, SumOfOdds{}, Max{}, Mean{}, SumOfLogOdds{}, NormalizedSum{}, MaxMinusMin{Q: 0.5}}
}

// Parse is the rule of a name: "noisy-or", "sum-of-odds", "max", "mean",
// "sum-of-log-odds", "normalized-sum" or "max-minus-min". The abstention value
// of max and max-minus-min may follow a colon: "max:0.5", "max-minus-min:0.3".
// The error quotes the name and says what would be right.
func Parse(name string) (Rule, error) {
	family, number, hasQ := strings.Cut(name, ":")
	for _, r := range All() {
		if r.Name() != family {
			continue
		}
		if !hasQ {
			return r, nil
		}
		q, err := strconv.ParseFloat(number, 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return nil, fmt.Errorf("rule %q: %q is not an abstention value, a number from 0 to 1", name, number)
		}
		switch family {
		case nameMax:
			return Max{Q: q}, nil
		case nameMaxMinusMin:
			return MaxMinusMin{Q: q}, nil
		}
		return nil, fmt.Errorf("rule %q: only max and max-minus-min take an abstention value, write %q", name, family)
	}
	return nil, fmt.Errorf("rule %q is not known, it should be one of %s", name, families())
}

// families lists the names for an error message.
func families() string {
	var names []string
	for _, r := range All() {
		names = append(names, r.Name())
	}
	return strings.Join(names, ", ")
}

// withQ is the name of a rule with its abstention value where that is not the
// usual one; -1 formatting makes the number read back exactly.
func withQ(name string, q, usual float64) string {
	if q == usual {
		return name
	}
	return name + ":" + strconv.FormatFloat(q, 'g', -1, 64)
}

// checkOpinion panics unless p is a probability. NaN fails both comparisons.
func checkOpinion(p float64) {
	if !(p >= 0 && p <= 1) {
		panic(fmt.Sprintf("rule: opinion %v is not a probability", p))
	}
}

// checkQ panics unless q is a probability.
func checkQ(q float64) {
	if !(q >= 0 && q <= 1) {
		panic(fmt.Sprintf("rule: abstention value %v is not a probability", q))
	}
}

// clamp takes a rounding error out of a value that is in [0, 1] in theory.
func clamp(p float64) float64 { return min(max(p, 0), 1) }
