package rule_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/rule"
)

// maxOpinions bounds the number of opinions in a case.
const maxOpinions = 12

// conform checks r against every law, one subtest per law, on random opinions
// among which awkward ones are common: exact 0, 1/2 and 1, the abstention
// value, their nearest neighbours, and subnormal numbers. A failure prints the
// smallest opinions found that break the law.
func conform(t *testing.T, r rule.Rule) {
	t.Helper()
	for _, l := range laws {
		t.Run(l.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := drawCase(r).Draw(t, "case")
				if err := l.broken(r, c); err != nil {
					t.Fatalf("%v: %s: %v", r, l.says, err)
				}
			})
		})
	}
}

// sample is the input of one trial of a law.
type sample struct {
	P     []float64 // opinions, at least one
	Order []int     // a permutation of P
	Up    float64   // an opinion not below P[0]
	Place int       // where to insert, 0..len(P)
}

// drawCase generates samples with numbers that are awkward for r.
func drawCase(r rule.Rule) *rapid.Generator[sample] {
	nasty := []float64{
		0, 1, 0.5, math.SmallestNonzeroFloat64, 1e-300, 1e-17, math.Nextafter(1, 0),
		math.Nextafter(0.5, 0), math.Nextafter(0.5, 1), 0.25, 0.75,
	}
	if q, ok := r.Abstain(); ok {
		nasty = append(nasty, q, math.Nextafter(q, 0), math.Nextafter(q, 1))
	}
	opinion := rapid.OneOf(rapid.SampledFrom(nasty), rapid.Float64Range(0, 1))
	return rapid.Custom(func(t *rapid.T) sample {
		p := rapid.SliceOfN(opinion, 1, maxOpinions).Draw(t, "opinions")
		index := make([]int, len(p))
		for i := range index {
			index[i] = i
		}
		return sample{
			P:     p,
			Order: rapid.Permutation(index).Draw(t, "order"),
			Up:    max(p[0], opinion.Draw(t, "up")),
			Place: rapid.IntRange(0, len(p)).Draw(t, "place"),
		}
	})
}

// law is one property; broken returns what is wrong, or nil.
type law struct {
	name, says string
	broken     func(r rule.Rule, c sample) error
}

var laws = []law{
	{"range", "a composition is a probability", brokenRange},
	{"pure", "composing changes nothing and gives the same bits again", brokenPure},
	{"order", "the order of the opinions does not matter", brokenOrder},
	{"monotone", "raising an opinion never lowers the composition", brokenMonotone},
	{"single", "a single opinion is returned unchanged, or ignored altogether", brokenSingle},
	{"unanimous", "if all opinions are 1, the composition is 1", brokenUnanimous},
	{"abstention", "an abstention changes nothing", brokenAbstention},
	{"nobody", "no opinions compose to the abstention value, or panic if there is none", brokenNobody},
	{"complement", "a symmetric rule treats on and off alike", brokenComplement},
	{"misuse", "an opinion outside [0, 1] panics", brokenMisuse},
	{"name", "Parse reads the name back", brokenName},
}

func brokenRange(r rule.Rule, c sample) error {
	if got := r.Compose(c.P...); !(got >= 0 && got <= 1) {
		return fmt.Errorf("gamma(%v) = %v", c.P, got)
	}
	return nil
}

func brokenPure(r rule.Rule, c sample) error {
	p := slices.Clone(c.P)
	first, second := r.Compose(p...), r.Compose(p...)
	if !slices.Equal(p, c.P) {
		return fmt.Errorf("opinions %v became %v", c.P, p)
	}
	if first != second {
		return fmt.Errorf("gamma(%v) = %v, then %v", p, first, second)
	}
	return nil
}

func brokenOrder(r rule.Rule, c sample) error {
	shuffled := make([]float64, len(c.P))
	for i, j := range c.Order {
		shuffled[i] = c.P[j]
	}
	return differ(r, c.P, shuffled)
}

func brokenMonotone(r rule.Rule, c sample) error {
	raised := slices.Clone(c.P)
	raised[0] = c.Up
	if low, high := r.Compose(c.P...), r.Compose(raised...); !(high >= low-tolerance) {
		return fmt.Errorf("gamma(%v) = %v, but gamma(%v) = %v", c.P, low, raised, high)
	}
	return nil
}

func brokenSingle(r rule.Rule, c sample) error {
	p := c.P[0]
	got := r.Compose(p)
	if near(got, p) {
		return nil
	}
	if q, ok := r.Abstain(); ok && near(got, q) {
		return nil
	}
	return fmt.Errorf("gamma(%v) = %v", p, got)
}

func brokenUnanimous(r rule.Rule, c sample) error {
	ones := slices.Repeat([]float64{1}, len(c.P))
	if got := r.Compose(ones...); got != 1 {
		return fmt.Errorf("gamma(%v) = %v", ones, got)
	}
	return nil
}

func brokenAbstention(r rule.Rule, c sample) error {
	q, ok := r.Abstain()
	if !ok {
		return nil
	}
	return differ(r, c.P, slices.Insert(slices.Clone(c.P), c.Place, q))
}

func brokenNobody(r rule.Rule, _ sample) error {
	q, ok := r.Abstain()
	if !ok {
		if !panics(func() { r.Compose() }) {
			return fmt.Errorf("gamma() does not panic, but there is no abstention value")
		}
		return nil
	}
	if got := r.Compose(); got != q {
		return fmt.Errorf("gamma() = %v, the abstention value is %v", got, q)
	}
	return nil
}

func brokenComplement(r rule.Rule, c sample) error {
	if !r.Symmetric() {
		return nil
	}
	p, mirrored := make([]float64, len(c.P)), make([]float64, len(c.P))
	for i, x := range c.P {
		// Only opinions whose complement is a float64 can be mirrored: 1-1e-300
		// is a certain 1, which 1e-300 is not. 1-(1-x) is such an opinion.
		p[i] = 1 - (1 - x)
		mirrored[i] = 1 - p[i]
	}
	if a, b := r.Compose(p...), r.Compose(mirrored...); !near(a, 1-b) {
		return fmt.Errorf("gamma(%v) = %v, but gamma(%v) = %v", p, a, mirrored, b)
	}
	return nil
}

func brokenMisuse(r rule.Rule, c sample) error {
	for _, bad := range []float64{math.NaN(), math.Nextafter(0, -1), math.Nextafter(1, 2), math.Inf(1), math.Inf(-1)} {
		p := slices.Insert(slices.Clone(c.P), c.Place, bad)
		if !panics(func() { r.Compose(p...) }) {
			return fmt.Errorf("gamma(%v) does not panic", p)
		}
	}
	return nil
}

func brokenName(r rule.Rule, _ sample) error {
	if r.Name() == "" || r.String() == "" {
		return fmt.Errorf("name %q, string %q", r.Name(), r.String())
	}
	if got, err := rule.Parse(r.String()); err != nil || got != r {
		return fmt.Errorf("Parse(%q) = %v, %v", r, got, err)
	}
	return nil
}

// differ compares the compositions of a and b.
func differ(r rule.Rule, a, b []float64) error {
	if x, y := r.Compose(a...), r.Compose(b...); !near(x, y) {
		return fmt.Errorf("gamma(%v) = %v, but gamma(%v) = %v", a, x, b, y)
	}
	return nil
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}
