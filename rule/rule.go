// Package rule implements the composition rules of section 2 of the paper:
// functions gamma from any number of opinions in [0, 1] to one probability.
//
// An opinion is the probability that one expert gives to one pixel being on. A
// rule may have an abstention value q, the opinion that changes nothing:
// gamma(q, p...) = gamma(p...). A rule is symmetric when it treats on and off
// alike: gamma(1-p) = 1 - gamma(p).
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
// The paper leaves the edge cases open; these conventions hold. With no
// opinions the result is the abstention value; a rule without one panics. Under
// sum of odds an opinion of exactly 1 wins. Under sum of log-odds an exact 0
// and an exact 1 together give 1/2; otherwise the exact one wins.
//
// All rules are pure functions, safe for concurrent use, and never change their
// arguments. Compose panics on an opinion that is NaN or outside [0, 1],
// because templates are checked when a model is made; so does a rule whose own
// q is not a probability.
//
// The package is a leaf. A model learns only with max and max-minus-min, which
// the root package computes incrementally; laws_test.go holds the laws that every
// rule obeys.
package rule

import (
	"fmt"
	"strconv"
	"strings"
)

// Rule is a composition rule. [All] returns the seven of the paper.
type Rule interface {
	// Compose returns gamma(opinions...), in [0, 1]. The order of the opinions
	// changes it by rounding at most. It panics on an opinion outside [0, 1],
	// and without opinions if the rule cannot abstain.
	Compose(opinions ...float64) float64

	// Abstain returns the opinion q that changes nothing; ok is false if there
	// is none.
	Abstain() (q float64, ok bool)

	// Symmetric reports whether gamma(1-p) = 1 - gamma(p).
	Symmetric() bool

	// Name returns the family of the rule, without q: "max-minus-min".
	Name() string

	// String returns the name, with q if it is not the family's usual one:
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

// All returns the seven rules with the paper's abstention values, in the order
// of section 2.
func All() []Rule {
	return []Rule{NoisyOr{}, SumOfOdds{}, Max{}, Mean{}, SumOfLogOdds{}, NormalizedSum{}, MaxMinusMin{Q: 0.5}}
}

// Parse returns the rule with the given name: "noisy-or", "sum-of-odds", "max",
// "mean", "sum-of-log-odds", "normalized-sum" or "max-minus-min". The
// abstention value of max and max-minus-min may follow a colon: "max:0.5",
// "max-minus-min:0.3". The error quotes the name and lists the valid ones.
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
			return nil, fmt.Errorf("rule %q: %q is not an abstention value: give a number from 0 to 1", name, number)
		}
		switch family {
		case nameMax:
			return Max{Q: q}, nil
		case nameMaxMinusMin:
			return MaxMinusMin{Q: q}, nil
		}
		return nil, fmt.Errorf("rule %q: only max and max-minus-min take an abstention value; write %q", name, family)
	}
	return nil, fmt.Errorf("rule %q is not known; it must be one of %s", name, families())
}

// families lists the names for an error message.
func families() string {
	var names []string
	for _, r := range All() {
		names = append(names, r.Name())
	}
	return strings.Join(names, ", ")
}

// withQ returns the name of a rule, with its abstention value if that is not
// the usual one; formatting with precision -1 makes the number read back
// exactly.
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

// clamp removes the rounding error of a value that is in [0, 1] in theory.
func clamp(p float64) float64 { return min(max(p, 0), 1) }
