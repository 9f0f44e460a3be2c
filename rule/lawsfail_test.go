package rule_test

import (
	"slices"
	"testing"

	"example.com/patchwork/rule"
)

// broken is a sound rule with one defect added to its results.
type broken struct {
	rule.Rule
	compose   func(p []float64) float64
	symmetric bool
	name      string
}

func (b broken) Compose(p ...float64) float64 { return b.compose(p) }
func (b broken) Symmetric() bool              { return b.symmetric || b.Rule.Symmetric() }
func (b broken) Name() string                 { return b.name }
func (b broken) String() string               { return b.name }

// TestEveryLawCanFail gives each law a rule that breaks it: a law that never
// fails tests nothing.
func TestEveryLawCanFail(t *testing.T) {
	mmm := rule.MaxMinusMin{Q: 0.5}
	calls := 0
	defects := map[string]broken{
		"range":      {Rule: maximum, compose: func(p []float64) float64 { return maximum.Compose(p...) + 1e-9 }},
		"pure":       {Rule: maximum, compose: func(p []float64) float64 { calls++; p[0] = 0; return 0 }},
		"order":      {Rule: maximum, compose: func(p []float64) float64 { return p[0] }},
		"monotone":   {Rule: maximum, compose: func(p []float64) float64 { return 1 - p[0] }},
		"single":     {Rule: maximum, compose: func(p []float64) float64 { return maximum.Compose(p...) / 2 }},
		"unanimous":  {Rule: maximum, compose: func(p []float64) float64 { return min(maximum.Compose(p...), 0.99) }},
		"abstention": {Rule: maximum, compose: func(p []float64) float64 { return rule.Mean{}.Compose(p...) }},
		"nobody":     {Rule: rule.Mean{}, compose: func(p []float64) float64 { return 0 }},
		"complement": {Rule: maximum, symmetric: true, compose: func(p []float64) float64 { return maximum.Compose(p...) }},
		"misuse":     {Rule: mmm, compose: func(p []float64) float64 { return 0.5 }},
		"name":       {Rule: mmm, name: "max-minus-min", compose: func(p []float64) float64 { return 0.5 }},
	}
	for _, l := range laws {
		defect, ok := defects[l.name]
		if !ok {
			t.Errorf("law %q: no rule that breaks it", l.name)
			continue
		}
		if !breaks(defect, l) {
			t.Errorf("law %q passed a rule that breaks it", l.name)
		}
	}
	if len(laws) != len(defects) {
		t.Errorf("%d laws, %d defects", len(laws), len(defects))
	}
}

// breaks reports whether one of 200 samples shows the defect.
func breaks(r rule.Rule, l law) bool {
	gen := drawCase(r)
	for seed := range 200 {
		c := gen.Example(seed)
		c.P = slices.Clone(c.P)
		if l.broken(r, c) != nil {
			return true
		}
	}
	return false
}

// TestSamplesAreAwkward counts the special cases that the generator must
// produce.
func TestSamplesAreAwkward(t *testing.T) {
	q := 0.3
	var zeros, ones, abstentions, single, full int
	gen := drawCase(rule.MaxMinusMin{Q: q})
	for seed := range 500 {
		c := gen.Example(seed)
		zeros += count(c.P, 0)
		ones += count(c.P, 1)
		abstentions += count(c.P, q)
		if len(c.P) == 1 {
			single++
		}
		if len(c.P) >= maxOpinions/2 {
			full++
		}
	}
	for name, n := range map[string]int{"0": zeros, "1": ones, "q": abstentions, "one opinion": single,
		"many opinions": full} {
		if n < 10 {
			t.Errorf("only %d samples with %s", n, name)
		}
	}
}

func count(p []float64, x float64) (n int) {
	for _, v := range p {
		if v == x {
			n++
		}
	}
	return n
}
