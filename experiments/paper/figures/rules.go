package figures

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/chart"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/rule"
)

// rulesFigure measures the claims of section 2 about each rule.
var rulesFigure = Figure{"rules", "Section 2: redundant experts, opposing opinions, abstention", `Experts need a way to abstain: an opinion q that changes nothing. Every rule but the mean has one.

Under noisy-or and sum of odds, likelihoods can be improved by using the same expert several times, and under the sum of log-odds similar experts may complement each other; under the maximum and under max minus min they cannot. Opposing opinions cancel out under the sum of log-odds, give uncertainty under the normalized sum, and always cost likelihood under max minus min.`, runRulesFigure}

// ruleFacts holds the measurements of one rule.
type ruleFacts struct {
	rule     rule.Rule
	twice    float64 // largest gain of log-likelihood, in nats per pixel, from an opinion given twice
	copies   []float64
	abstain  float64 // largest change by an expert that abstains
	overrule float64 // largest probability of "off" beside an expert that says "on" with 0.7
	clash    float64 // composition of 0.9 and 0.1
	oppose   float64 // largest log-likelihood with an opponent, less that of the better one alone
}

// Run measures the rules.
func runRulesFigure(ctx context.Context, o Options) (Result, error) {
	all := rules()
	facts := make([]ruleFacts, len(all))
	sets := pick(o, 2, 20)
	err := o.each(ctx, len(all), func(_ context.Context, i int) error {
		f := ruleFacts{rule: all[i], clash: all[i].Compose(.9, .1)}
		f.twice, f.oppose = gainTwice(f.rule), gainOpposed(f.rule)
		f.abstain = abstention(f.rule, o.Seed)
		f.overrule = overruled(f.rule)
		for set := range sets {
			c, err := gainCopies(f.rule, o.seed(set), pick(o, 50, 200))
			if err != nil {
				return err
			}
			f.copies = append(f.copies, c)
		}
		facts[i] = f
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	r := Result{Statements: ruleStatements(facts)}
	r.Text = fmt.Sprintf(
		`Pointwise, over a grid of opinions 0.01, 0.02, ..., 0.99; and on data: %d sets of %d images each, every active expert used once, and then twice. The data are the quadrants of section 5.1 for the symmetric rules and bars (5 x 5) for the asymmetric ones, with the true experts at 0.9 and 0.1, or no vote.`,
		sets, pick(o, 50, 200))
	r.Tables = []Table{factsTable(facts)}
	r.Pictures = []Picture{
		{Name: "twice", Caption: "The composition of an opinion with itself. On the diagonal nothing is gained.",
			Drawing: twiceChart(all)}}
	return r, nil
}

// opinions yields the grid of opinions strictly between 0 and 1.
func opinions(yield func(p float64) bool) {
	for i := 1; i < 100; i++ {
		if !yield(float64(i) / 100) {
			return
		}
	}
}

// gainTwice returns the largest gain of a pixel's log-likelihood, in nats, from
// giving twice an opinion in favour of the observed value: for "on" under
// asymmetric rules, for either under symmetric ones.
func gainTwice(r rule.Rule) float64 {
	best := 0.0
	for p := range opinions {
		once, twice := r.Compose(p), r.Compose(p, p)
		best = max(best, math.Log(twice/once))
		if r.Symmetric() {
			best = max(best, math.Log((1-twice)/(1-once)))
		}
	}
	return best
}

// gainOpposed returns the largest log-likelihood of a pixel under two opposing
// opinions, minus that under the better of them alone, in nats. It is NaN for
// asymmetric rules, under which experts cannot oppose.
func gainOpposed(r rule.Rule) float64 {
	if !r.Symmetric() {
		return math.NaN()
	}
	best := math.Inf(-1)
	for p1 := range opinions {
		for p2 := range opinions {
			if p1 > .5 && p2 < .5 {
				both := r.Compose(p1, p2)
				best = max(best, math.Log(both/r.Compose(p1)), math.Log((1-both)/(1-r.Compose(p2))))
			}
		}
	}
	return best
}

// overruled returns the largest probability of "off" that one other expert can
// cause beside an expert that says "on" with 0.7.
func overruled(r rule.Rule) float64 {
	best := 0.0
	for i := range 1001 {
		best = max(best, 1-r.Compose(firstOpinion, float64(i)/1000))
	}
	return best
}

// abstention returns the largest change of a composition by one more expert
// that abstains, or that says 1/2 if the rule has no abstention.
func abstention(r rule.Rule, seed uint64) float64 {
	q, ok := r.Abstain()
	if !ok {
		q = .5
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	worst := 0.0
	for range 2000 {
		p := make([]float64, 1+rng.IntN(5))
		for i := range p {
			p[i] = rng.Float64()
		}
		worst = max(worst, math.Abs(r.Compose(append(p, q)...)-r.Compose(p...)))
	}
	return worst
}

// gainCopies returns the gain of the mean log-likelihood, in nats per image, if
// every active expert is used twice.
func gainCopies(r rule.Rule, seed uint64, n int) (float64, error) {
	images, active, experts, err := evidence(r.Symmetric(), seed, n)
	if err != nil {
		return 0, err
	}
	gain := 0.0
	var once, twice []float64
	for i, img := range images {
		for y := range img.Height() {
			for x := range img.Width() {
				once, twice = once[:0], twice[:0]
				for k, on := range active[i] {
					if p := experts[k][y*img.Width()+x]; on {
						once, twice = append(once, p), append(twice, p, p)
					}
				}
				if len(once) == 0 {
					continue // no expert votes
				}
				a, b := r.Compose(once...), r.Compose(twice...)
				if !img.At(y, x) {
					a, b = 1-a, 1-b
				}
				gain += math.Log(b / a)
			}
		}
	}
	return gain / float64(n), nil
}

// evidence returns images, the active experts of each, and the experts:
// quadrants at 0.9 and 0.1, or bars at 0.9 over 0.02.
func evidence(symmetric bool, seed uint64, n int) ([]*bitmap.Image, [][]bool, [][]float64, error) {
	if symmetric {
		set, err := synth.Quadrants(synth.QuadrantsOptions{N: n, Seed: seed})
		if err != nil {
			return nil, nil, nil, err
		}
		return set.Images, set.Truth.Active, soften(set.Truth.Experts, .9), nil
	}
	flip := .1
	set, err := synth.Bars(synth.BarsOptions{N: n, Seed: seed, Flip: &flip})
	if err != nil {
		return nil, nil, nil, err
	}
	experts, err := synth.Templates(set.Truth.Bars, .9, .02)
	return set.Images, set.Truth.Active, experts, err
}

// soften returns the templates with p and 1-p instead of 1 and 0.
func soften(templates [][]float64, p float64) [][]float64 {
	out := make([][]float64, len(templates))
	for k, t := range templates {
		out[k] = make([]float64, len(t))
		for i, v := range t {
			out[k][i] = .5 + (2*p-1)*(v-.5)
		}
	}
	return out
}

func factsTable(facts []ruleFacts) Table {
	t := Table{Name: "rules", Title: "The rules, measured",
		Columns: []Column{{"rule", -1}, {"gain by an opinion given twice, nats per pixel", 3},
			{"gain by every expert twice, nats per image", 2}, {"its standard deviation over the sets", 2},
			{"change by an abstaining expert", 3}, {"0.9 against 0.1", 2}, {"most for \"off\" beside 0.7 for \"on\"", 3},
			{"most gained by an opponent, nats per pixel", 3}}}
	for _, f := range facts {
		t.add(ruleName(f.rule), f.twice, stat.Mean(f.copies), stat.SD(f.copies), f.abstain, f.clash, f.overrule, f.oppose)
	}
	return t
}

// ruleStatements judges the claims of section 2.
func ruleStatements(facts []ruleFacts) []Statement {
	by := map[string]ruleFacts{}
	for _, f := range facts {
		by[f.rule.Name()] = f
	}
	const tiny = 1e-9
	copies := func(name string) string { return fmt.Sprintf("%s %+.2f", ruleNames[name], stat.Mean(by[name].copies)) }
	extremal := max(math.Abs(by["max"].twice), math.Abs(by["max-minus-min"].twice), math.Abs(stat.Mean(by["max"].copies)),
		math.Abs(stat.Mean(by["max-minus-min"].copies)))
	improving := []string{"noisy-or", "sum-of-odds", "sum-of-log-odds"}
	all, some := true, false
	for _, n := range improving {
		all, some = all && by[n].twice > .01, some || by[n].twice > .01
	}
	abstainers := 0.0
	for _, f := range facts {
		if _, ok := f.rule.Abstain(); ok && f.rule.Name() != "normalized-sum-printed" {
			abstainers = max(abstainers, f.abstain)
		}
	}
	spread := fmt.Sprintf("standard deviation over the sets at most %.2f", slices.Max(stat.Of(facts,
		func(f ruleFacts) float64 { return stat.SD(f.copies) })))
	return []Statement{
		{"Under the maximum and max minus min, using an expert twice never improves a likelihood.",
			fmt.Sprintf("largest gain %.1g nats, pointwise and on data", extremal), "exact", judge(extremal < tiny, false)},
		{"Under noisy-or, sum of odds and sum of log-odds, using an expert twice can improve it.",
			minus(fmt.Sprintf("pointwise by up to %.2f, %.2f and %.2f nats per pixel; on data, nats per image: %s, %s, %s",
				by["noisy-or"].twice, by["sum-of-odds"].twice,
				by["sum-of-log-odds"].twice, copies("noisy-or"), copies("sum-of-odds"), copies("sum-of-log-odds"))), spread,
			judge(all, some)},
		{"Opposing opinions cancel out under the sum of log-odds; under max minus min they limit the likelihood.",
			fmt.Sprintf("beside 0.7 for \"on\", another expert can make \"off\" as probable as %.3f (sum of log-odds), %.3f "+
				"(normalized sum), %.3f (max minus min)",
				by["sum-of-log-odds"].overrule, by["normalized-sum"].overrule, by["max-minus-min"].overrule), "exact",
			judge(by["sum-of-log-odds"].overrule > .999 && by["max-minus-min"].overrule < .81, false)},
		{"Under max minus min, opposing opinions always reduce the likelihood.",
			minus(fmt.Sprintf("best case %.3f nats per pixel, against the better of the two alone", by["max-minus-min"].oppose)),
			"over all pairs of a grid of 99 opinions",
			judge(by["max-minus-min"].oppose < 0, false)},
		{"Under the normalized sum, active disagreement gives uncertainty.",
			fmt.Sprintf("0.9 against 0.1 gives %.2f", by["normalized-sum"].clash), "exact",
			judge(math.Abs(by["normalized-sum"].clash-.5) < tiny, false)},
		{"Every rule but the mean has an opinion that changes nothing.",
			fmt.Sprintf("largest change %.1g; under the mean, an expert that says 1/2 changes the composition by up to %.2f",
				abstainers, by["mean"].abstain),
			"2,000 random sets of 1 to 5 opinions per rule", judge(abstainers < 1e-12 && by["mean"].abstain > .01, false)},
	}
}

// twiceChart returns gamma(p, p) as a function of p.
func twiceChart(all []rule.Rule) chart.Chart {
	c := chart.Curves("", "opinion p", "composition of p and p", nil)
	for _, r := range all {
		name := ruleName(r)
		switch r.Name() {
		case "max", "mean":
			continue // the diagonal, as max minus min
		case "max-minus-min":
			name = "max, mean, max minus min"
		}
		s := chart.Series{Name: name, Dashed: r.Name() == "normalized-sum-printed"}
		for i := range 201 {
			p := float64(i) / 200
			s.X, s.Y = append(s.X, p), append(s.Y, r.Compose(p, p))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// still returns a model of experts without poses.
func still(r patchwork.Rule, height, width int, q float64, templates [][]float64) (*patchwork.Model, error) {
	return patchwork.NewModel(patchwork.Config{Rule: r, Height: height, Width: width, Q: q}, templates)
}
