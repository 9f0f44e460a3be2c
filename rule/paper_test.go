package rule_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/rule"
)

// This file walks section 2 of the paper: each test quotes a sentence.

var (
	noisyOr       = rule.NoisyOr{}
	sumOfOdds     = rule.SumOfOdds{}
	maximum       = rule.Max{}
	sumOfLogOdds  = rule.SumOfLogOdds{}
	normalizedSum = rule.NormalizedSum{}
	maxMinusMin   = rule.MaxMinusMin{Q: 0.5}
)

// tolerance bounds the difference of two results that are equal in theory, and the
// violation of an order: the rounding of a dozen opinions, with room to spare.
const tolerance = 1e-12

func near(a, b float64) bool { return math.Abs(a-b) <= tolerance }

// inner draws opinions away from 0 and 1.
func inner(t *rapid.T, label string) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(0.01, 0.99), 1, 8).Draw(t, label)
}

// Section 2.1.2: "the probability of observing a success when drawing
// independently from Bernoulli distributions with probabilities p_k
// conditioned on observing at most one success" and "the composed odds are
// just the sum of the individual odds".
func TestPaperSumOfOddsIsAtMostOneSuccess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := inner(t, "p")
		none, sum := 1.0, 0.0
		for _, x := range p {
			none *= 1 - x
			sum += x / (1 - x)
		}
		one := 0.0
		for i, x := range p {
			term := x
			for j, y := range p {
				if j != i {
					term *= 1 - y
				}
			}
			one += term
		}
		got := sumOfOdds.Compose(p...)
		if !near(got, one/(one+none)) {
			t.Fatalf("composed %v, conditional probability %v", got, one/(one+none))
		}
		if odds := got / (1 - got); math.Abs(odds-sum) > 1e-9*(1+sum)*(1+sum) {
			t.Fatalf("composed odds %v, sum of odds %v", odds, sum)
		}
	})
}

// Section 2.1.3: "In contrast to the noisy-or and the sum-of-odds rule,
// likelihoods cannot be improved by using the same expert multiple times."
func TestPaperRepeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := inner(t, "p")
		twice := append(p[:len(p):len(p)], p[0])
		for _, r := range []rule.Rule{maximum, maxMinusMin, rule.MaxMinusMin{Q: 0.2}} {
			if a, b := r.Compose(p...), r.Compose(twice...); a != b {
				t.Fatalf("%v gains from a repeat: %v, then %v", r, a, b)
			}
		}
	})
	for _, r := range []rule.Rule{noisyOr, sumOfOdds, sumOfLogOdds} {
		if a, b := r.Compose(0.7), r.Compose(0.7, 0.7); !(b > a+0.05) {
			t.Errorf("%v does not gain from a repeat: %v, then %v", r, a, b)
		}
	}
}

// Section 2.1.3: "the max rule is flat at 0 and hence inhibits the experts
// from leaving the 'no vote' state", where noisy-or and sum of odds rise.
func TestPaperMaxIsFlatAtZero(t *testing.T) {
	const step = 1e-3
	if got := maximum.Compose(0.7, step); got != 0.7 {
		t.Errorf("max rises to %v", got)
	}
	for _, r := range []rule.Rule{noisyOr, sumOfOdds} {
		if got := r.Compose(0.7, step); !(got > 0.7+step/20) {
			t.Errorf("%v is flat at 0: %v", r, got)
		}
	}
}

// Section 2.2.1: "with this composition rule it is impossible for an expert to
// abstain from voting".
func TestPaperMeanCannotAbstain(t *testing.T) {
	if q, ok := (rule.Mean{}).Abstain(); ok {
		t.Errorf("abstention value %v", q)
	}
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		p := 0.0
		if q < 0.5 {
			p = 1
		}
		if got := (rule.Mean{}).Compose(p, q); near(got, p) {
			t.Fatalf("%v leaves %v alone", q, p)
		}
	})
}

// Section 2.2.2: "opinions of experts voting in the opposite direction can be
// completely canceled out ... the composed probability approaches 0 as p_2
// approaches 0."
func TestPaperLogOddsCancel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := inner(t, "p")
		x := rapid.Float64Range(0.001, 0.999).Draw(t, "x")
		with := append(p[:len(p):len(p)], x, 1-x)
		if a, b := sumOfLogOdds.Compose(p...), sumOfLogOdds.Compose(with...); !near(a, b) {
			t.Fatalf("%v, with %v and its opposite %v", a, x, b)
		}
	})
	if got := sumOfLogOdds.Compose(0.7, 1e-9); !(got < 1e-8) {
		t.Errorf("a firm no leaves %v", got)
	}
}

// Section 2.2.3: "for active disagreement results in a net uncertainty".
func TestPaperNormalizedSumDisagreement(t *testing.T) {
	for n := 1; n <= 5; n++ {
		var p []float64
		for range n {
			p = append(p, 0, 1)
		}
		if got := normalizedSum.Compose(p...); !near(got, 0.5) {
			t.Errorf("%d against %d: %v", n, n, got)
		}
	}
	if got := normalizedSum.Compose(0.9, 0.1); !near(got, 0.5) {
		t.Errorf("equal doubt: %v", got)
	}
}

// Section 2.2.4: "rule out the possibility to increase the likelihood just by
// using the same expert multiple times" is TestPaperRepeats; "opposing
// opinions should result in a limitation of the maximum achievable likelihood".
func TestPaperMaxMinusMinOpposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.Float64Range(0.1, 0.9).Draw(t, "q")
		vote := rapid.Float64Range(0, min(q, 1-q)).Draw(t, "vote")
		r := rule.MaxMinusMin{Q: q}
		if got := r.Compose(q+vote, q-vote); !near(got, q) {
			t.Fatalf("equal and opposite votes of %v around %v: %v", vote, q, got)
		}
		p := inner(t, "p")
		no := rapid.Float64Range(0, q).Draw(t, "no")
		if got, limit := r.Compose(append(p[:len(p):len(p)], no)...), 1-(q-no); got > limit+1e-12 {
			t.Fatalf("a no of %v leaves %v, above %v", no, got, limit)
		}
	})
}

// TestPaperMaxMinusMinFold: max-minus-min is not associative, and nested
// composition lets a used expert help again; the fold over the running max and
// min does not depend on the order.
func TestPaperMaxMinusMinFold(t *testing.T) {
	nested := maxMinusMin.Compose(maxMinusMin.Compose(0.9, 0.1), 0.9)
	if flat := maxMinusMin.Compose(0.9, 0.1, 0.9); !near(flat, 0.5) || !near(nested, 0.9) {
		t.Errorf("flat %v, nested %v; want 0.5 and 0.9", flat, nested)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Permutation(inner(t, "p")).Draw(t, "order")
		hi, lo := 0.5, 0.5
		for _, x := range p {
			hi, lo = max(hi, x), min(lo, x)
		}
		if got := maxMinusMin.Compose(p...); !near(got, hi+lo-0.5) {
			t.Fatalf("%v, the fold gives %v", got, hi+lo-0.5)
		}
	})
}

// TestMaxIsMaxMinusMinAtZero: with q = 0 no opinion is below the abstention
// value, so max-minus-min is the max rule.
func TestMaxIsMaxMinusMinAtZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 8).Draw(t, "p")
		if a, b := maximum.Compose(p...), (rule.MaxMinusMin{}).Compose(p...); a != b {
			t.Fatalf("max %v, max-minus-min at 0 %v", a, b)
		}
	})
}
