// Package joint explains rows by experts that stay where they are, under any of the
// seven composition rules of the paper.
//
// An expert's opinion about a bit is what the bit's probability is if this expert
// alone is active; an opinion equal to the background q abstains. So a template means
// the same under every rule, and a model of one rule is a model of another. With the
// paper's abstention values as background (0 for the rules of which experts vote for on
// only, 1/2 for the others) the rules are those of package rule:
//
//	rule             of experts that vote p_k, alone, beside background q
//	max              max(q, p...)
//	max-minus-min    max(q, p...) + min(q, p...) - q
//	noisy-or         1-P = (1-q) prod (1-p_k)/(1-q)
//	sum-of-odds      o(P) = o(q) + sum [o(p_k) - o(q)],   o(p) = p/(1-p)
//	mean             the mean of the p_k; q if nobody votes
//	sum-of-log-odds  l(P) = l(q) + sum [l(p_k) - l(q)],   l(p) = log o(p)
//	normalized-sum   each expert casts a vote with probability v_k = (p_k-q)/(1-q) for
//	                 on, or (q-p_k)/q for off; P is the expected share of votes for on,
//	                 q if none is cast
//
// Under max, noisy-or and sum-of-odds an opinion below q abstains.
//
// [Compose] has the rules in this form; [Search] finds the best sets of experts of a
// row, by products of the ratios of likelihoods and one logarithm for each candidate.
package joint

import (
	"math"

	"example.com/patchwork/rule"
)

// Rule is a composition rule; its numbers are those of patchwork.Rule.
type Rule uint8

// The seven rules.
const (
	Max Rule = iota
	MaxMinusMin
	NoisyOr
	SumOfOdds
	Mean
	SumOfLogOdds
	NormalizedSum
	rules
)

// Names are the names of the rules, as package rule has them.
var Names = []string{
	Max:           rule.Max{}.Name(),
	MaxMinusMin:   rule.MaxMinusMin{}.Name(),
	NoisyOr:       rule.NoisyOr{}.Name(),
	SumOfOdds:     rule.SumOfOdds{}.Name(),
	Mean:          rule.Mean{}.Name(),
	SumOfLogOdds:  rule.SumOfLogOdds{}.Name(),
	NormalizedSum: rule.NormalizedSum{}.Name(),
}

// TwoSided reports whether experts may vote for off.
func (r Rule) TwoSided() bool { return r != Max && r != NoisyOr && r != SumOfOdds }

// Fold reports whether the rule is max or max-minus-min, which keep the strongest
// opinion of each side.
func (r Rule) Fold() bool { return r == Max || r == MaxMinusMin }

// Abstention returns the background of the paper: the opinion that abstains.
func (r Rule) Abstention() float64 {
	if r.TwoSided() {
		return 0.5
	}
	return 0
}

// Votes reports whether an opinion is a vote beside background q.
func (r Rule) Votes(p, q float64) bool { return p > q || p < q && r.TwoSided() }

const (
	// sure keeps odds finite: an opinion of exactly 0 or 1 counts as this far from it.
	sure = 1e-12
	// least is what the search takes for a likelihood of 0.
	least = 1e-30
)

func odds(p float64) float64 {
	p = min(max(p, sure), 1-sure)
	return p / (1 - p)
}

// parameter returns what an opinion adds to the state of a bit, and none, which adds
// nothing, for one that abstains: the opinion itself (max, max-minus-min, mean), the
// factor of 1-P (noisy-or), odds to add (sum of odds), the factor of the odds (sum of
// log-odds), the probability of a vote, negative for off (normalized sum).
func (r Rule) parameter(p, q float64) float64 {
	if !r.Votes(p, q) {
		return r.none(q)
	}
	switch r {
	case NoisyOr:
		return (1 - p) / (1 - q)
	case SumOfOdds:
		return odds(p) - odds(q)
	case SumOfLogOdds:
		return odds(p) / odds(q)
	case NormalizedSum:
		if p > q {
			return (p - q) / (1 - q)
		}
		return (p - q) / q
	}
	return p
}

// none returns the parameter of an opinion that abstains.
func (r Rule) none(q float64) float64 {
	switch r {
	case NoisyOr, SumOfLogOdds:
		return 1
	case SumOfOdds, NormalizedSum:
		return 0
	}
	return q
}

// Compose returns the probability that a bit of background q is on, given the opinions
// of the active experts.
func Compose(r Rule, q float64, opinions ...float64) float64 {
	only, votes := q, 0
	for _, p := range opinions {
		if r.Votes(p, q) {
			only = p
			votes++
		}
	}
	if votes < 2 { // without rounding
		return only
	}
	b := bit{rule: r, q: q}
	b.reset()
	for _, p := range opinions {
		b.join(r.parameter(p, q))
	}
	return b.p()
}

// bit is the state of one bit under a rule, in the form of its formula.
type bit struct {
	rule Rule
	q    float64
	a, b float64 // hi and lo; 1-P; odds; sum and count

	// Of the normalized sum: the probabilities of so many votes for on and for off.
	on, off []float64
}

func (b *bit) reset() {
	b.a, b.b = 0, 0
	switch b.rule {
	case Max, MaxMinusMin:
		b.a, b.b = b.q, b.q
	case NoisyOr:
		b.a = 1 - b.q
	case SumOfOdds, SumOfLogOdds:
		b.a = odds(b.q)
	case NormalizedSum:
		b.on, b.off = append(b.on[:0], 1), append(b.off[:0], 1)
	}
}

// join adds an opinion by its parameter.
func (b *bit) join(v float64) {
	switch b.rule {
	case Max:
		b.a = max(b.a, v)
	case MaxMinusMin:
		b.a, b.b = max(b.a, v), min(b.b, v)
	case NoisyOr, SumOfLogOdds:
		b.a *= v
	case SumOfOdds:
		b.a += v
	case Mean:
		if v != b.q {
			b.a, b.b = b.a+v, b.b+1
		}
	case NormalizedSum:
		if v > 0 {
			b.on = rule.Toss(b.on, v)
		} else if v < 0 {
			b.off = rule.Toss(b.off, -v)
		}
	}
}

// p returns the probability of being on.
func (b *bit) p() float64 {
	switch b.rule {
	case Max:
		return b.a
	case MaxMinusMin:
		return min(max(b.a+b.b-b.q, 0), 1)
	case NoisyOr:
		return 1 - b.a
	case SumOfOdds, SumOfLogOdds:
		return share(b.a)
	case Mean:
		if b.b == 0 {
			return b.q
		}
		return min(b.a/b.b, 1)
	}
	return min(max(b.votes(0, 0), 0), 1)
}

// share returns odds/(1+odds).
func share(odds float64) float64 {
	if math.IsInf(odds, 1) {
		return 1
	}
	return odds / (1 + odds)
}

// votes returns the expected share of votes for on if so many more are cast for on and
// for off.
func (b *bit) votes(on, off int) float64 {
	sum := 0.0
	for v, pv := range b.on {
		for a, pa := range b.off {
			if v+on+a+off == 0 {
				sum += float64(pv * pa * b.q)
			} else {
				sum += pv * pa * float64(v+on) / float64(v+on+a+off)
			}
		}
	}
	return sum
}
