package figures

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/experiments/chart"
	"example.com/patchwork/render"
	"example.com/patchwork/rule"
)

// figure1 shows the composition rules as functions, and on two templates.
var figure1 = Figure{"1", "Figure 1: the composition rules", `The composed probability of two experts as a function of the second one's, the first saying 0.7: asymmetric rules (noisy-or, sum of odds, maximum) on the left, symmetric ones (mean, sum of log-odds, normalized sum, maximum minus minimum) on the right. Below, two templates (0.5 and 0.7; 0.7 and 0.01) composed by each rule.

The maximum is flat at 0, so its gradient never moves an expert away from "no vote". Under the sum of log-odds the composition goes to 0 with the second opinion, whatever the first says. The mean allows no abstention.`, runFigure1}

// ruleNames holds the names of the rules in the report.
var ruleNames = map[string]string{
	"noisy-or": "noisy-or", "sum-of-odds": "sum of odds", "max": "maximum", "mean": "mean",
	"sum-of-log-odds": "sum of log-odds",
	"normalized-sum":  "normalized sum", "normalized-sum-printed": "normalized sum, as printed",
	"max-minus-min": "max minus min",
}

func ruleName(r rule.Rule) string {
	if n := ruleNames[r.Name()]; n != "" {
		return n
	}
	return r.Name()
}

// printedSum applies the formula of the normalized sum to all opinions; the
// paper prints it for 0, 1/2 and 1 and interpolates in between.
type printedSum struct{ rule.NormalizedSum }

func (printedSum) Name() string { return "normalized-sum-printed" }

func (printedSum) Compose(p ...float64) float64 { return rule.NormalizedSumPrinted(p...) }

// rules lists all rules in the order of the paper, including both readings of
// the normalized sum.
func rules() []rule.Rule {
	var out []rule.Rule
	for _, r := range rule.All() {
		out = append(out, r)
		if r.Name() == "normalized-sum" {
			out = append(out, printedSum{})
		}
	}
	return out
}

const firstOpinion = 0.7

// Run draws the curves and the compositions.
func runFigure1(_ context.Context, o Options) (Result, error) {
	var r Result
	r.Text = `The first sample point of the curves is 0, where the sum of log-odds is 0 by continuity. The normalized sum is printed for opinions of 0, 1/2 and 1, and interpolated linearly in each expert in between: that is the curve called "normalized sum" (computed exactly, for any number of experts). The printed formula applied to all opinions is a different function, which is drawn as well.`
	var left, right chart.Chart
	values := Table{Name: "curves", Columns: heads(-1, "p2")}
	const points = 200
	for i := range points + 1 {
		values.add(float64(i) / points)
	}
	for _, rl := range rules() {
		s := chart.Series{Name: ruleName(rl), Dashed: rl.Name() == "normalized-sum-printed"}
		values.Columns = append(values.Columns, Column{ruleName(rl), -1})
		for i := range points + 1 {
			p2 := float64(i) / points
			s.X, s.Y = append(s.X, p2), append(s.Y, rl.Compose(firstOpinion, p2))
			values.Rows[i] = append(values.Rows[i], number(s.Y[i]))
		}
		if rl.Symmetric() {
			right.Series = append(right.Series, s)
		} else {
			left.Series = append(left.Series, s)
		}
	}
	for c, name := range map[*chart.Chart]string{&left: "Asymmetric rules", &right: "Symmetric rules"} {
		c.Title, c.XLabel, c.YLabel, c.Width, c.Height = name, "second opinion p2", "composed, with p1 = 0.7", 440, 320
	}
	right.Width = 540
	r.Pictures = []Picture{
		{Name: "asymmetric", Caption: "Asymmetric rules: 0 is no vote.", Drawing: left},
		{Name: "symmetric", Caption: "Symmetric rules: 1/2 is no vote.", Drawing: right},
		{Name: "compositions",
			Caption: "Two templates (left: 0.7 in the left half, 0.5 in the right; 0.7 above, 0.01 below) and their " +
				"compositions by each rule. White is 0, black 1.",
			Drawing: compositions()},
	}
	r.Tables = []Table{compositionTable(), endpoints(), values}
	r.Statements = figure1Statements(o.Seed)
	return r, nil
}

// corners holds the four pairs of opinions of the two templates, by quadrant:
// top left, top right, bottom left, bottom right.
var corners = [4][2]float64{{0.7, 0.7}, {0.5, 0.7}, {0.7, 0.01}, {0.5, 0.01}}

// compositions returns the templates and their compositions as tiles.
func compositions() render.Sheet {
	tile := func(f func(p ...float64) float64) []float64 {
		p := make([]float64, 64)
		for i := range p {
			p[i] = f(corners[i/32*2+i%8/4][:]...)
		}
		return p
	}
	s := render.Sheet{Columns: 5, Legend: []render.Swatch{{Colour: render.Ink(0), Text: "0"},
		{Colour: render.Ink(.5), Text: ".5"}, {Colour: render.Ink(1), Text: "1"}}}
	add := func(caption string, f func(p ...float64) float64) {
		s.Tiles = append(s.Tiles, render.Tile{Image: render.Template(8, 8, tile(f), render.Ink), Caption: caption})
	}
	add("first template", func(p ...float64) float64 { return p[0] })
	add("second template", func(p ...float64) float64 { return p[1] })
	for _, rl := range rules() {
		add(ruleName(rl), rl.Compose)
	}
	return s
}

// compositionTable returns the numbers behind the tiles.
func compositionTable() Table {
	t := Table{Name: "compositions", Title: "What the rules compose", Columns: heads(-1, "rule")}
	for _, c := range corners {
		t.Columns = append(t.Columns, Column{fmt.Sprintf("%g with %g", c[0], c[1]), 3})
	}
	for _, rl := range rules() {
		row := []any{ruleName(rl)}
		for _, c := range corners {
			row = append(row, rl.Compose(c[0], c[1]))
		}
		t.add(row...)
	}
	return t
}

// slope returns the derivative of a rule's composition with respect to the
// second opinion.
func slope(rl rule.Rule, p2 float64) float64 {
	const h = 1e-6
	low, high := math.Max(0, p2-h), math.Min(1, p2+h)
	return (rl.Compose(firstOpinion, high) - rl.Compose(firstOpinion, low)) / (high - low)
}

// endpoints returns the ends of the curves and their slopes at "no vote".
func endpoints() Table {
	t := Table{Name: "ends", Title: "The ends of the curves, and their slopes at no vote",
		Columns: heads(3, "rule", "p2 = 0", "p2 = 1/2", "p2 = 1", "slope above no vote", "slope below no vote")}
	for _, rl := range rules() {
		q, abstains := rl.Abstain()
		above, below := math.NaN(), math.NaN()
		if abstains {
			above = slope(rl, q+1e-3)
			if q > 0 {
				below = slope(rl, q-1e-3)
			}
		}
		t.add(ruleName(rl), rl.Compose(firstOpinion, 0), rl.Compose(firstOpinion, .5), rl.Compose(firstOpinion, 1), above,
			below)
	}
	return t
}

// interpolationError returns the largest difference between the rule's
// normalized sum and the interpolation of the printed formula between the
// corners at which every opinion is 0, 1/2 or 1.
func interpolationError(seed uint64) float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	worst := 0.0
	for k := 1; k <= 6; k++ {
		for range 100 {
			p := make([]float64, k)
			for i := range p {
				p[i] = rng.Float64()
			}
			worst = max(worst, math.Abs(rule.NormalizedSum{}.Compose(p...)-interpolated(p, nil)))
		}
	}
	return worst
}

// interpolated returns the printed formula, linear in each opinion of p between
// 0, 1/2 and 1, given those before it at their corners.
func interpolated(p, corner []float64) float64 {
	if len(p) == 0 {
		return rule.NormalizedSumPrinted(corner...)
	}
	low := 0.0
	if p[0] >= .5 {
		low = .5
	}
	t := (p[0] - low) / .5
	next := func(c float64) float64 { return interpolated(p[1:], append(slices.Clone(corner), c)) }
	return (1-t)*next(low) + t*next(low+.5)
}

func figure1Statements(seed uint64) []Statement {
	flat, noisyOr, odds := slope(rule.Max{}, 1e-3), slope(rule.NoisyOr{}, 1e-3), slope(rule.SumOfOdds{}, 1e-3)
	small, none := rule.SumOfLogOdds{}.Compose(firstOpinion, 1e-3), rule.SumOfLogOdds{}.Compose(firstOpinion, 0)
	gap := 0.0
	for i := range 101 {
		p2 := float64(i) / 100
		gap = math.Max(gap, math.Abs(rule.NormalizedSum{}.Compose(firstOpinion, p2)-rule.NormalizedSumPrinted(firstOpinion,
			p2)))
	}
	limit, exact := rule.MaxMinusMin{Q: .5}.Compose(firstOpinion, 0), interpolationError(seed)
	return []Statement{
		{"The maximum is flat at 0, and keeps experts from leaving \"no vote\"; the other asymmetric rules are not.",
			fmt.Sprintf("slope at 0: maximum %.2f, noisy-or %.2f, sum of odds %.2f", flat, noisyOr, odds), "exact",
			judge(flat == 0 && noisyOr > .1 && odds > .01, false)},
		{"Sum of log-odds: opposing opinions cancel out; the composition goes to 0 with p2, although p1 = 0.7.",
			fmt.Sprintf("at p2 = 0.001 it is %.4f", small), "exact", judge(small < .01 && none == 0, false)},
		{"Max minus min: an opposing opinion, however certain, leaves a limited likelihood.",
			fmt.Sprintf("at p2 = 0 it is %.2f, so that \"off\" never gets more than %.2f", limit, 1-limit), "exact",
			judge(math.Abs(limit-.2) < 1e-12, false)},
		{"The normalized sum needs linear interpolation in K dimensions, which is too costly; an approximation was used.",
			fmt.Sprintf("it is an expectation over independent voters, computed in O(K²): the same as interpolation between "+
				"all 3^K corners to %.0e for K up to 6; the printed formula applied in between differs by up to %.2f on this curve",
				exact, gap),
			"100 random sets of opinions for each K", judge(exact > 1e-12, false)},
	}
}
