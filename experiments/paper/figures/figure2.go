package figures

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/rule"
)

// figure2 shows the likelihood of the two-expert model under two rules.
var figure2 = Figure{"2", "Figure 2: the likelihood of two experts", `Images are white with probability 1/4, black with 1/4, and noise with 1/2. A model of two experts, each a single probability p1 or p2 for all pixels, is learned; in the limit of large images the expected log-likelihood is drawn for the sum of log-odds (left) and max minus min (right). There are two equivalent global maxima, (1, 0) and (0, 1).

If both parameters start on the same side of 1/2, gradient ascent changes both in the same direction under the sum of log-odds, which partially explains why restricted Boltzmann machines yield similar experts. Under max minus min only the more extreme one changes, and the other stays near "no vote", available for later.`, runFigure2}

// globalMaximum is the value of rule.TwoExperts at (1, 0) and (0, 1).
var globalMaximum = math.Log(.5) / 2

// climb follows the gradient from a point until it stops moving.
func climb(r rule.Rule, p1, p2 float64) (float64, float64) {
	const rate, steps = 0.02, 4000
	for range steps {
		d1, d2 := rule.TwoExpertsGradient(r, p1, p2)
		n1, n2 := min(max(p1+rate*d1, 0), 1), min(max(p2+rate*d2, 0), 1)
		if math.Abs(n1-p1)+math.Abs(n2-p2) < 1e-9 {
			break
		}
		p1, p2 = n1, n2
	}
	return p1, p2
}

// climbs summarizes gradient ascent from many starts.
type climbs struct {
	starts int
	// fraction in which both moved, by more than 0.01, the same way; in which only the more extreme did
	both, extreme       float64
	found               float64   // fraction that reached the global maximum
	distance, distance0 []float64 // of the less extreme parameter from 1/2, at the end and at the start
}

// climbFrom climbs from starts drawn uniformly within reach of 1/2, on one side
// or on both.
func climbFrom(r rule.Rule, sameSide bool, reach float64, starts int, seed uint64) climbs {
	rng := rand.New(rand.NewPCG(seed, 2))
	c := climbs{starts: starts}
	share := 1 / float64(starts)
	for range starts {
		a, b := .5+reach*rng.Float64(), .5+reach*rng.Float64()
		if !sameSide {
			b = 1 - b
		}
		if rng.IntN(2) == 0 {
			a, b = 1-a, 1-b
		}
		if math.Abs(a-.5) < math.Abs(b-.5) {
			a, b = b, a // a is the more extreme
		}
		da, db := rule.TwoExpertsGradient(r, a, b)
		switch {
		case da*db > 1e-18:
			c.both += share
		case math.Abs(da) > 1e-9 && math.Abs(db) <= 1e-9:
			c.extreme += share
		}
		ea, eb := climb(r, a, b)
		if rule.TwoExperts(r, ea, eb) > globalMaximum-1e-3 {
			c.found += share
		}
		c.distance, c.distance0 = append(c.distance, math.Abs(eb-.5)), append(c.distance0, math.Abs(b-.5))
	}
	return c
}

// Run draws the surfaces and climbs them.
func runFigure2(ctx context.Context, o Options) (Result, error) {
	compared := []rule.Rule{rule.SumOfLogOdds{}, rule.MaxMinusMin{Q: .5}}
	var r Result
	r.Text = `An image of D pixels is explained by the best of the four sets of experts; as D grows, the log-likelihood per pixel tends to the expectation drawn here. Arrows show the direction of the gradient (none where it is zero), the edges of the shades equal likelihood.`
	for _, rl := range compared {
		r.Pictures = append(r.Pictures, surface(rl))
	}
	starts := pick(o, 40, 400)
	type run struct {
		rule     rule.Rule
		sameSide bool
		reach    float64
	}
	var runs []run
	for _, rl := range compared {
		runs = append(runs, run{rl, true, .5}, run{rl, true, .05}, run{rl, false, .5})
	}
	results := make([]climbs, len(runs))
	err := o.each(ctx, len(runs), func(_ context.Context, i int) error {
		results[i] = climbFrom(runs[i].rule, runs[i].sameSide, runs[i].reach, starts, o.Seed)
		return nil
	})
	if err != nil {
		return r, err
	}
	t := Table{Name: "ascent", Title: fmt.Sprintf("Gradient ascent from %d random starts each", starts),
		Columns: append([]Column{{"rule", -1}, {"start", -1}, {"within", 2}}, heads(3, "both pulled the same way",
			"only the more extreme pulled", "global maximum reached", "less extreme: |p - 1/2| at the start, median",
			"and at the end")...)}
	for i, n := range runs {
		side := "on both sides of 1/2"
		if n.sameSide {
			side = "on one side of 1/2"
		}
		c := results[i]
		t.add(ruleName(n.rule), side, n.reach, c.both, c.extreme, c.found, stat.Median(c.distance0), stat.Median(c.distance))
	}
	r.Tables = []Table{t}
	r.Statements = figure2Statements(results)
	return r, nil
}

// surface returns the picture of one rule.
func surface(r rule.Rule) Picture {
	name := ruleName(r)
	return Picture{
		Name:    map[string]string{"sum-of-log-odds": "log-odds", "max-minus-min": "max-minus-min"}[r.Name()],
		Caption: "Expected log-likelihood under " + name + ", with its gradient; dots mark the two maxima.",
		Drawing: likelihoodMap{name, r},
	}
}

// figure2Statements judges the claims; results are in the order of the runs.
func figure2Statements(results []climbs) []Statement {
	logOdds, mmm, near := results[0], results[3], results[4]
	best, places := maxima()
	starts := fmt.Sprintf("%d random starts", logOdds.starts)
	idle, idleLogOdds := stat.Quantile(near.distance, 1), stat.Quantile(results[1].distance, .5)
	return []Statement{
		{"There are two equivalent global maxima, at (1, 0) and (0, 1).",
			minus(fmt.Sprintf("on a grid of 101 x 101 both rules have their largest value, %.4f, at %d points each: these two",
				best, places)), "exact", judge(places == 2, false)},
		{"Sum of log-odds, both parameters on one side of 1/2: gradient ascent moves both in the same direction.",
			fmt.Sprintf("in %s of the starts; %s reach the global maximum", percent(logOdds.both), percent(logOdds.found)),
			starts, judge(logOdds.both > .99, logOdds.both > .5)},
		{"Max minus min, the same: only the more extreme parameter moves.",
			fmt.Sprintf("in %s of the starts; %s reach the global maximum by the gradient alone", percent(mmm.extreme),
				percent(mmm.found)), starts, judge(mmm.extreme > .99, mmm.extreme > .5)},
		{"The other expert stays close to \"no vote\", and available.",
			fmt.Sprintf("from starts within 0.05 of 1/2 it ends at most %.3f from it; under the sum of log-odds %.3f (median)",
				idle, idleLogOdds), starts, judge(idle <= .05 && idleLogOdds > .4, idle <= .05)},
	}
}

// maxima returns the largest value of both surfaces on a grid, and the number
// of points with that value; 0 points if the surfaces disagree or the points
// are not the expected ones.
func maxima() (best float64, places int) {
	for _, r := range []rule.Rule{rule.SumOfLogOdds{}, rule.MaxMinusMin{Q: .5}} {
		best, places = math.Inf(-1), 0
		for i := range 101 {
			for j := range 101 {
				v := rule.TwoExperts(r, float64(i)/100, float64(j)/100)
				switch {
				case v > best+1e-12:
					best, places = v, 1
				case v > best-1e-12:
					places++
				}
			}
		}
		if math.Abs(rule.TwoExperts(r, 1, 0)-best) > 1e-12 || math.Abs(rule.TwoExperts(r, 0, 1)-best) > 1e-12 {
			return best, 0
		}
	}
	return best, places
}
