package mixed

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/draw"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/pool"
)

// thresholds are how far from the background a value is that a candidate begins with, in its standard deviations.
var thresholds = []float64{1.5, 1, .6}

const (
	candidates  = 8    // from rows, for each threshold
	localSteps  = 6    // of EM for a candidate alone
	cheapSteps  = 3    // of these, in which votes cost less, so that small parts do not die before they know their rows
	cheap       = .4   // of the price
	finalists   = 16   // candidates that are left then
	firstShare  = .2   // of rows that a candidate is in, before it has been counted
	tried       = -12. // nats that a candidate may lack and still be tried: EM on all rows decides
	usualMisfit = .7   // of the mean is no reason to begin with a row
	leastVotes  = 2    // of a part
	likely      = .01  // rows of less probability are not counted
)

// candidate is a part that is tried.
type candidate struct {
	Part
	// rest is what the columns that it speaks of are like where it is not; nil for what the model says. Without it a
	// part would be judged against a background that contains it.
	rest []*Opinion
	gain float64 // nats by which it shortens the description
}

// background returns what a column is like without a candidate.
func (g *ground) background(c *candidate, d int) *Opinion {
	if c.rest[d] != nil {
		return c.rest[d]
	}
	return g.bank.columns[d].background
}

func (g *ground) newCandidate() candidate {
	return candidate{Part: Part{Share: firstShare, Entries: make([]Entry, len(g.columns))},
		rest: make([]*Opinion, len(g.columns))}
}

// grow returns the part that shortens the description most, among those that begin from some badly explained rows and
// those that begin from deviations that come together; nil if none is worth to be tried.
func (g *ground) grow(ctx context.Context, rng *rand.Rand, workers int) (*candidate, error) {
	var all []candidate
	for _, threshold := range thresholds {
		for range candidates {
			all = append(all, g.begin(rng, threshold))
		}
		all = append(all, g.pairs(threshold)...)
	}
	for _, round := range []struct{ from, to, keep int }{{0, cheapSteps, finalists}, {cheapSteps, localSteps, 1}} {
		_, err := pool.Run(ctx, len(all), workers, 1, func(_, i int) error {
			all[i].gain = g.local(&all[i], round.from, round.to)
			return nil
		})
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.gain, a.gain) })
		all = all[:min(len(all), round.keep)]
	}
	if len(all) == 0 || all[0].gain <= tried {
		return nil, nil
	}
	return &all[0], nil
}

// begin returns a candidate: what is unusual in a badly explained row, or in it and in one or two others.
func (g *ground) begin(rng *rand.Rand, threshold float64) candidate {
	i := max(0, draw.ByWeight(rng, g.misfits))
	var columns, to []int
	for d := range g.columns {
		if z, where := g.deviation(i, d); z > threshold {
			columns, to = append(columns, d), append(to, where)
		}
	}
	rows := []int{i}
	for range rng.IntN(3) {
		overlap := make([]float64, g.rows)
		for j := range overlap {
			n := float64(len(g.shared(j, threshold, columns, to)))
			overlap[j] = g.share[j] * n * n * n
		}
		for _, j := range rows {
			overlap[j] *= max(0, 1-1/g.share[j])
		}
		j := draw.ByWeight(rng, overlap)
		if j < 0 {
			break
		}
		rows = append(rows, j)
		var less, lessTo []int
		for _, at := range g.shared(j, threshold, columns, to) {
			less, lessTo = append(less, columns[at]), append(lessTo, to[at])
		}
		columns, to = less, lessTo
	}
	return g.like(rows, columns, to)
}

// begun of the way to what rows say is what a part begins to say.
const begun = .7

// like returns a part that says of columns nearly what rows do.
func (g *ground) like(rows, columns, to []int) candidate {
	p := g.newCandidate()
	for at, d := range columns {
		b := &g.bank.columns[d]
		e := &p.Entries[d]
		e.Numbers = 1
		switch b.Family {
		case Words:
			e.Level = to[at]
			q := b.background.P[e.Level]
			e.P = Name(b.background.P, e.Level, begun+float64((1-begun)*q))
		case Levels:
			mean, _ := moments(b.background.P, b.Scores)
			x := 0.0
			for _, i := range rows {
				x += b.Scores[g.columns[d].level[i]] / float64(len(rows))
			}
			e.P = b.Tilt(b.background.P, mean+float64(begun*(x-mean)))
			soften(e.P, b.background.P)
		default:
			x := 0.0
			for _, i := range rows {
				x += g.columns[d].score[i] / float64(len(rows))
			}
			e.Normal = b.background.Normal
			e.Mean = x
		}
	}
	return p
}

func (g *ground) cheapTerms() *terms {
	return &terms{lambda: cheap * g.terms.lambda, once: g.terms.once}
}

// local takes some steps of EM for a candidate alone, all others being as they are, and returns the nats by which it
// shortens the description.
func (g *ground) local(p *candidate, from, to int) float64 {
	gains := make([]float64, g.rows)
	for step := from; step < to; step++ {
		if len(p.Votes()) < leastVotes {
			return math.Inf(-1)
		}
		o := &terms{lambda: g.terms.lambda, once: g.terms.once}
		if step < cheapSteps {
			o = g.cheapTerms()
		}
		g.rowGains(p, gains)
		odds := elem.Log(p.Share / (1 - p.Share))
		used := 0.0
		for i, x := range gains {
			gains[i] = 1 / (1 + elem.Exp(-x-odds))
			used += float64(g.share[i] * gains[i])
		}
		p.Share = (used + .5) / (g.count + 1)
		g.fit(p, gains, o)
	}
	if len(p.Votes()) < leastVotes {
		return math.Inf(-1)
	}
	g.rowGains(p, gains)
	odds := elem.Log(p.Share / (1 - p.Share))
	gain := float64(g.count*elem.Log1p(-p.Share)) - g.terms.lambda
	for i, x := range gains {
		gain += float64(g.share[i] * elem.LogAdd(0, x+odds))
	}
	for d := range p.Entries {
		gain -= g.bank.columns[d].price(&p.Entries[d], g.terms.lambda) + g.lost(d, p.rest[d])
	}
	return gain
}

// rowGains sets gains to what a candidate gains in each row.
func (g *ground) rowGains(p *candidate, gains []float64) {
	clear(gains)
	for _, d := range p.Votes() {
		e, b, c, rest := &p.Entries[d], &g.bank.columns[d], &g.columns[d], g.background(p, d)
		if b.Family == Real {
			for i, x := range c.score {
				if x == x {
					gains[i] += logRatio(e.Mean, e.Var, rest.Mean, rest.Var, x)
				}
			}
		} else {
			table := make([]float64, len(c.z)+1)
			for l := range c.z {
				table[l] = elem.Log(e.P[l] / rest.P[l])
			}
			for i, l := range c.level {
				gains[i] += table[l]
			}
		}
		g.over(d, e, gains)
	}
}
