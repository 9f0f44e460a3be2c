package rule_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/rule"
)

// variants returns the seven rules and those with other abstention values worth
// testing.
func variants() []rule.Rule {
	return append(rule.All(), rule.Max{Q: 0.5}, rule.Max{Q: 1},
		rule.MaxMinusMin{Q: 0}, rule.MaxMinusMin{Q: 0.3}, rule.MaxMinusMin{Q: 0.9}, rule.MaxMinusMin{Q: 1})
}

func TestConform(t *testing.T) {
	for _, r := range variants() {
		t.Run(r.String(), func(t *testing.T) { conform(t, r) })
	}
}

func TestGolden(t *testing.T) {
	var file struct {
		Rules []struct {
			Rule string
			P    []float64
			Q    *float64
			Out  float64
		}
	}
	if err := json.Unmarshal(testenv.ReadShared(t, "golden/tables.json"), &file); err != nil {
		t.Fatal(err)
	}
	byName := map[string]rule.Rule{
		"noisy_or": rule.NoisyOr{}, "sum_odds": rule.SumOfOdds{}, "max": rule.Max{}, "mean": rule.Mean{},
		"sum_log_odds": rule.SumOfLogOdds{}, "normalized_sum": rule.NormalizedSum{},
	}
	seen := map[string]int{}
	for i, c := range file.Rules {
		r := byName[c.Rule]
		if c.Rule == "max_minus_min" {
			r = rule.MaxMinusMin{Q: *c.Q}
		}
		if r == nil {
			t.Fatalf("case %d: unknown rule %q", i, c.Rule)
		}
		seen[c.Rule]++
		if got := r.Compose(c.P...); math.Abs(got-c.Out) > 1e-12 {
			t.Errorf("case %d: %v(%v) = %v, want %v", i, r, c.P, got, c.Out)
		}
	}
	if len(file.Rules) != 87 || len(seen) != 7 {
		t.Errorf("%d cases of %d rules, want 87 of 7", len(file.Rules), len(seen))
	}
}

// TestEdges covers exact 0 and 1, no opinions, and single steps in which a
// careless formula would lose digits.
func TestEdges(t *testing.T) {
	tiny, almost := math.SmallestNonzeroFloat64, math.Nextafter(1, 0)
	for _, c := range []struct {
		r    rule.Rule
		p    []float64
		want float64
	}{
		{rule.SumOfLogOdds{}, []float64{0, 1}, 0.5},
		{rule.SumOfLogOdds{}, []float64{1, 0, 1, 1, 0.9}, 0.5},
		{rule.SumOfLogOdds{}, []float64{1, tiny, tiny}, 1},
		{rule.SumOfLogOdds{}, []float64{0, almost, almost}, 0},
		{rule.SumOfLogOdds{}, []float64{almost, 0x1p-53}, 0.5},
		{rule.SumOfLogOdds{}, []float64{tiny}, tiny},
		{rule.SumOfOdds{}, []float64{1, 0, 0.3}, 1},
		{rule.SumOfOdds{}, []float64{tiny, 0}, tiny},
		{rule.SumOfOdds{}, []float64{1e-300, 1e-300}, 2e-300},
		{rule.SumOfOdds{}, []float64{almost, almost}, math.Nextafter(1, 0)},
		{rule.NoisyOr{}, []float64{1e-300, 1e-300}, 2e-300},
		{rule.NoisyOr{}, []float64{0.1, 1, 0.3}, 1},
		{rule.NormalizedSum{}, []float64{0, 1}, 0.5},
		{rule.NormalizedSum{}, []float64{1, 1, 0, 0.5}, 2. / 3},
		{rule.Max{Q: 0.5}, nil, 0.5}, // truncated templates
		{rule.Max{Q: 0.5}, []float64{0.3}, 0.5},
		{rule.MaxMinusMin{Q: 0.5}, []float64{0, 1}, 0.5},
		{rule.MaxMinusMin{Q: 0.3}, []float64{0, 1}, 0.7},
		{rule.MaxMinusMin{Q: 0.3}, nil, 0.3},
	} {
		if got := c.r.Compose(c.p...); got != c.want {
			t.Errorf("%v(%v) = %v, want %v", c.r, c.p, got, c.want)
		}
	}
}

// TestManyOpinions: with many opinions, intermediate products neither underflow
// nor overflow.
func TestManyOpinions(t *testing.T) {
	const n = 4000
	p := make([]float64, 0, 2*n+1)
	for range n {
		p = append(p, 0.001)
	}
	for range n {
		p = append(p, 0.999)
	}
	p = append(p, 0.7)
	if got := (rule.SumOfLogOdds{}).Compose(p...); math.Abs(got-0.7) > 1e-11 {
		t.Errorf("%d votes against and for, and one of 0.7: %v", n, got)
	}
	if got := (rule.NormalizedSum{}).Compose(p[:2*n]...); math.Abs(got-0.5) > 1e-11 {
		t.Errorf("normalized sum of %d votes against and for = %v", n, got)
	}
	odds := make([]float64, n)
	for i := range odds {
		odds[i] = 1. / 3
	}
	if got, want := (rule.SumOfOdds{}).Compose(odds...), 2000./2001; math.Abs(got-want) > 1e-12 {
		t.Errorf("sum of %d odds 1/2 = %v, want %v", n, got, want)
	}
}

// interpolate computes the normalized sum by its definition: the printed
// formula at the corners {0, 1/2, 1}^K, interpolated linearly in each
// coordinate.
func interpolate(corner, rest []float64) float64 {
	if len(rest) == 0 {
		return rule.NormalizedSumPrinted(corner...)
	}
	lo, t := 0.0, 2*rest[0] // between corners lo and lo+1/2
	if rest[0] > 0.5 {
		lo, t = 0.5, 2*rest[0]-1
	}
	k := len(corner)
	sum := 0.0
	for _, c := range []struct{ at, weight float64 }{{lo, 1 - t}, {lo + 0.5, t}} {
		sum += c.weight * interpolate(append(corner[:k:k], c.at), rest[1:])
	}
	return sum
}

func TestNormalizedSumInterpolates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opinion := rapid.OneOf(rapid.SampledFrom([]float64{0, 0.5, 1}), rapid.Float64Range(0, 1))
		p := rapid.SliceOfN(opinion, 0, 6).Draw(t, "p")
		got, want := rule.NormalizedSum{}.Compose(p...), interpolate(nil, p)
		if math.Abs(got-want) > 1e-13 {
			t.Fatalf("dynamic programme %v, interpolation %v", got, want)
		}
	})
}

// TestNormalizedSumIsAnExpectation compares with simulated voters, for more
// opinions than can be enumerated.
func TestNormalizedSumIsAnExpectation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := make([]float64, 40)
	for i := range p {
		p[i] = rng.Float64()
	}
	const trials = 20000
	sum := 0.0
	for range trials {
		corner := make([]float64, len(p))
		for i, x := range p {
			corner[i] = 0.5
			if rng.Float64() < math.Abs(2*x-1) {
				corner[i] = math.Round(x)
			}
		}
		sum += rule.NormalizedSumPrinted(corner...)
	}
	// The standard error is below 0.5/sqrt(trials) = 0.0035.
	if got := (rule.NormalizedSum{}).Compose(p...); math.Abs(got-sum/trials) > 0.015 {
		t.Errorf("dynamic programme %v, simulation %v", got, sum/trials)
	}
}

func TestNormalizedSumPrinted(t *testing.T) {
	if got := rule.NormalizedSumPrinted(); got != 0.5 {
		t.Errorf("no opinions: %v", got)
	}
	if got := rule.NormalizedSumPrinted(0.6); got != 1 { // and not 0.6
		t.Errorf("printed formula of 0.6 = %v", got)
	}
	if got, want := rule.NormalizedSumPrinted(0.7, 0.01), (0.2-0.49)/(0.69)/2+0.5; math.Abs(got-want) > 1e-15 {
		t.Errorf("printed formula of 0.7 and 0.01 = %v, want %v", got, want)
	}
}

func TestParse(t *testing.T) {
	for _, r := range append(variants(), rule.MaxMinusMin{Q: 1. / 3}, rule.Max{Q: 5e-324}) {
		got, err := rule.Parse(r.String())
		if err != nil || got != r {
			t.Errorf("Parse(%q) = %v, %v", r, got, err)
		}
	}
	if got := (rule.MaxMinusMin{Q: 0.3}).String(); got != "max-minus-min:0.3" {
		t.Error(got)
	}
	for name, says := range map[string]string{
		"":                  "one of noisy-or, sum-of-odds, max, mean, sum-of-log-odds, normalized-sum, max-minus-min",
		"Max":               "one of",
		"noisy_or":          "one of",
		"max-minus-min:":    "number from 0 to 1",
		"max-minus-min:1.1": "number from 0 to 1",
		"max:-1":            "number from 0 to 1",
		"max:NaN":           "number from 0 to 1",
		"max:0.1:0.2":       "number from 0 to 1",
		"mean:0.5":          `write "mean"`,
	} {
		if r, err := rule.Parse(name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Parse(%q) = %v, %v; want an error with %q", name, r, err, says)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, r := range variants() {
		f.Add(r.String())
	}
	f.Add("max:0x1p-2")
	f.Fuzz(func(t *testing.T, name string) {
		r, err := rule.Parse(name)
		if err != nil {
			return
		}
		if again, err := rule.Parse(r.String()); err != nil || again != r {
			t.Errorf("Parse(%q) = %v, but Parse(%q) = %v, %v", name, r, r, again, err)
		}
	})
}

func TestBadAbstentionValuePanics(t *testing.T) {
	for _, r := range []rule.Rule{rule.Max{Q: math.NaN()}, rule.Max{Q: 2}, rule.MaxMinusMin{Q: -1},
		rule.MaxMinusMin{Q: math.NaN()}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%#v composes", r)
				}
			}()
			r.Compose(0.5)
		}()
	}
}

func BenchmarkCompose(b *testing.B) {
	for _, k := range []int{2, 8, 64} {
		rng := rand.New(rand.NewPCG(7, uint64(k)))
		p := make([]float64, k)
		for i := range p {
			p[i] = rng.Float64()
		}
		for _, r := range rule.All() {
			b.Run(fmt.Sprintf("rule=%v/K=%d", r, k), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r.Compose(p...)
				}
			})
		}
	}
}

// The right panel of figure 1: two experts, 0.7 and a firm no.
func Example() {
	for _, r := range rule.All() {
		fmt.Printf("%-16s %.3f\n", r, r.Compose(0.7, 0.01))
	}
	// Output:
	// noisy-or         0.703
	// sum-of-odds      0.701
	// max              0.700
	// mean             0.355
	// sum-of-log-odds  0.023
	// normalized-sum   0.210
	// max-minus-min    0.210
}

func ExampleParse() {
	r, err := rule.Parse("max-minus-min:0.3")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r, r.Compose(), r.Compose(0.9), r.Compose(0.9, 0.1))
	// Output: max-minus-min:0.3 0.3 0.9 0.7
}
