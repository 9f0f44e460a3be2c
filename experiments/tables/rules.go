package tables

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
)

// Rules are the seven rules, in the order of the report.
func Rules() (out []patchwork.Rule) {
	for _, name := range []string{"noisy-or", "sum-of-odds", "max", "mean", "sum-of-log-odds", "normalized-sum",
		"max-minus-min"} {
		out = append(out, ruleOf(name))
	}
	return out
}

// ruleOf returns a rule by its name.
func ruleOf(name string) (r patchwork.Rule) {
	if err := r.UnmarshalText([]byte(name)); err != nil {
		panic(err) // the names are those of the rules
	}
	return r
}

// RuleSet is a set whose parts are known, to learn by every rule.
type RuleSet struct {
	Name          string
	Height, Width int
	Train, Test   patchwork.Data

	// Parts are what there is to find: +1 where a part says on, -1 where it says off, 0
	// elsewhere. Parts that say off are for rules under which experts can; their number
	// for the others is On.
	Parts [][]int8
	On    int
}

const ruleTests = 1000

// QuadrantSet returns n images of quadrants (section 5.1 of the paper), and others.
func QuadrantSet(n int, seed uint64) (*RuleSet, error) {
	train, err := synth.Quadrants(synth.QuadrantsOptions{N: n, Seed: seed})
	if err != nil {
		return nil, err
	}
	test, err := synth.Quadrants(synth.QuadrantsOptions{N: ruleTests, Seed: seed + 1<<32})
	if err != nil {
		return nil, err
	}
	s := &RuleSet{Name: fmt.Sprintf("quadrants, %d", n), Height: train.Truth.Side, Width: train.Truth.Side, On: 4,
		Train: patchwork.Data{Images: train.Images}, Test: patchwork.Data{Images: test.Images}}
	for _, t := range train.Truth.Experts {
		s.Parts = append(s.Parts, signs(t, func(int) float64 { return 0.5 }))
	}
	return s, nil
}

// BarSet returns n images of bars of a side, 5 % of the pixels flipped, and others.
func BarSet(side, n int, seed uint64) (*RuleSet, error) {
	train, err := synth.Bars(synth.BarsOptions{N: n, Side: side, Seed: seed})
	if err != nil {
		return nil, err
	}
	test, err := synth.Bars(synth.BarsOptions{N: ruleTests, Side: side, Seed: seed + 1<<32})
	if err != nil {
		return nil, err
	}
	s := &RuleSet{Name: fmt.Sprintf("bars %d x %d, %d", side, side, n), Height: side, Width: side,
		On: len(train.Truth.Bars), Train: patchwork.Data{Images: train.Images}, Test: patchwork.Data{Images: test.Images}}
	for _, bar := range train.Truth.Bars {
		part := make([]int8, bar.Len())
		for i, v := range bar.AppendBytes(nil) {
			part[i] = int8(v)
		}
		s.Parts = append(s.Parts, part)
	}
	return s, nil
}

// SourceSet returns n rows of a network, and others.
func SourceSet(dir, name string, n int, seed uint64) (*RuleSet, error) {
	net, err := LoadNetwork(dir, name)
	if err != nil {
		return nil, err
	}
	s := &RuleSet{Name: fmt.Sprintf("%s, %d", name, n), Height: 1, Width: len(net.Noise), On: len(net.Failure)}
	s.Train, s.Test = net.Draw(n, ruleTests, seed)
	for _, failure := range net.Failure {
		part := make([]int8, len(failure))
		for i, fail := range failure {
			if fail < 0.5 {
				part[i] = 1
			}
		}
		s.Parts = append(s.Parts, part)
	}
	return s, nil
}

// signs returns which side of its background each opinion is on, if it is far from it: at
// least half of the way to certainty.
func signs(opinions []float64, background func(i int) float64) []int8 {
	out := make([]int8, len(opinions))
	for i, p := range opinions {
		switch q := background(i); {
		case p-q >= (1-q)/2:
			out[i] = 1
		case q-p >= q/2:
			out[i] = -1
		}
	}
	return out
}

// RuleRow says what a rule learned from a set.
type RuleRow struct {
	Experts, Found int
	There          int // how many parts the rule can find
	// mean over the experts of the share of their votes, by distance from the background, on the part of which that is
	// largest
	Purity float64
	Loss   float64 // mean over the hidden bits, a fifth of those of other rows, in nats
	Parts  float64 // of the best explanation of such a row
	Took   time.Duration
}

// LearnRule learns a set by a rule.
func LearnRule(ctx context.Context, s *RuleSet, rule patchwork.Rule, o Options) (RuleRow, error) {
	began := stat.ProcessorTime()
	cfg := patchwork.Config{Rule: rule, Height: s.Height, Width: s.Width}
	m, err := table.Learn(ctx, s.Train, cfg, table.Options{Seed: o.Seed, Workers: o.Workers})
	if err != nil {
		return RuleRow{}, err
	}
	r := RuleRow{Experts: m.K(), Took: stat.ProcessorTime() - began}
	r.Found, r.There, r.Purity = s.judge(m)
	hidden := posterior.Exclusive(nil).HideBits(s.Test, 0.2, 1, o.Seed)
	score, err := posterior.Score(ctx, m, hidden, posterior.Options{}, o.Workers)
	if err != nil {
		return r, err
	}
	r.Loss = score.Averaged.LogLoss
	r.Parts, err = parts(ctx, m, s.Test, table.Options{Workers: o.Workers})
	return r, err
}

// judge returns how many parts are found, of how many that the rule can tell, and how
// pure the experts are. A part is found if an expert says what it says, up to a Jaccard
// index of 0.8, each expert counting once.
func (s *RuleSet) judge(m *patchwork.Model) (found, there int, purity float64) {
	experts := make([][]int8, m.K())
	for k := range experts {
		experts[k] = signs(m.Template(k), m.Abstention)
		purity += s.purity(m, k) / float64(m.K())
	}
	var near [][]float64
	for _, part := range s.Parts {
		if slices.Contains(part, -1) && !m.Config().Rule.TwoSided() {
			continue
		}
		there++
		row := make([]float64, len(experts))
		for k, e := range experts {
			row[k] = jaccard(part, e) - 0.8 + 1e-9
		}
		near = append(near, row)
	}
	return pairs(near), there, purity
}

// jaccard returns the share of the bits on which two opinions agree, of those on which
// either has one.
func jaccard(a, b []int8) float64 {
	both, either := 0, 0
	for i, v := range a {
		if v != 0 || b[i] != 0 {
			either++
			if v == b[i] {
				both++
			}
		}
	}
	return float64(both) / float64(max(either, 1))
}

// purity returns the share of the votes of expert k that are on one part.
func (s *RuleSet) purity(m *patchwork.Model, k int) float64 {
	most, sum := 0.0, 0.0
	t := m.Template(k)
	for _, part := range s.Parts {
		on := 0.0
		for i, v := range part {
			if v != 0 {
				on += math.Abs(t[i] - m.Abstention(i))
			}
		}
		most = max(most, on)
	}
	for i, p := range t {
		sum += math.Abs(p - m.Abstention(i))
	}
	if sum == 0 {
		return 0
	}
	return most / sum
}

// RuleSetNames are the sets of the report.
var RuleSetNames = []string{"quadrants100", "quadrants500", "bars", "IMG", "UNIF"}

// NewRuleSet returns a set of the report, by name and seed.
func NewRuleSet(dir, name string, seed uint64) (*RuleSet, error) {
	switch name {
	case "quadrants100":
		return QuadrantSet(100, seed)
	case "quadrants500":
		return QuadrantSet(500, seed)
	case "bars":
		return BarSet(5, 1000, seed)
	case "bars16":
		return BarSet(16, 1000, seed)
	case "IMG", "UNIF", "CON24":
		return SourceSet(dir, name, 1000, seed)
	}
	return nil, fmt.Errorf("no set %q; there are %v, and bars16", name, RuleSetNames)
}

// ReportRules prints what the seven rules learn from the sets, by so many seeds of each.
func ReportRules(ctx context.Context, w io.Writer, dir string, names []string, seeds int, o Options) error {
	fmt.Fprintf(w, "%d seeds, from %d\n\n", seeds, o.Seed)
	t := stat.NewTable(w, "set", "rule", "parts found", "K", "purity", "loss per hidden bit", "parts a row", "CPU s")
	rules := o.Rules
	if rules == nil {
		rules = Rules()
	}
	for _, name := range names {
		for _, rule := range rules {
			set := ""
			all, err := stat.Seeds(seeds, func(seed uint64) (r RuleRow, err error) {
				s, err := NewRuleSet(dir, name, o.Seed+seed)
				if err != nil {
					return r, err
				}
				set = s.Name
				return LearnRule(ctx, s, rule, Options{Seed: o.Seed + seed, Workers: o.Workers})
			})
			if err != nil {
				return err
			}
			var found, experts []int
			for _, r := range all {
				found, experts = append(found, r.Found), append(experts, r.Experts)
			}
			mean := func(of func(RuleRow) float64) float64 { return stat.MeanOf(all, of) }
			t.Row("%s | %v | %v of %d | %v | %.2f | %s | %.2f | %.1f", set, rule, found, all[0].There, experts,
				mean(func(r RuleRow) float64 { return r.Purity }),
				stat.Spread(stat.Of(all, func(r RuleRow) float64 { return r.Loss }), 4),
				mean(func(r RuleRow) float64 { return r.Parts }),
				mean(func(r RuleRow) float64 { return r.Took.Seconds() }))
		}
	}
	return nil
}
