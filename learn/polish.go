package learn

import (
	"context"
	"math"
	"slices"

	"example.com/patchwork"
)

// polishIterations is how many iterations polish every start.
const polishIterations = 8

// In the search experts are free and images use too many of them; a much used
// expert is cheap, so its usage would stay too high. Therefore the first rounds
// of a polish, which are not judged, charge extra nats a pick, fewer every
// round, and usage settles from below (experiments/quadrants/README.md).
const extraRounds, extraCost = 4, 2.0

// strictness is how much of the penalties of the polish is in force: none up to
// 20 images, all from 50. They are asymptotic; with so few images they
// only cost likelihood on unseen ones.
func strictness(rows int64) float64 {
	return min(max(math.Log(float64(rows)/20)/math.Log(50./20), 0), 1)
}

// polish turns what the search found into a model that describes the data
// shortly (findings, section 2, step 2). An image may stay unexplained, a pick
// must gain more than saying that the expert is active costs, and a vote more
// than a vote costs. t is how m explained the data in the search. These
// penalties belong here and not into the search, which they mislead. There must
// be at least extraRounds iterations.
//
// The result is the shortest of the rounds, with its abstaining entries at q.
func polish(ctx context.Context, m *patchwork.Model, t *patchwork.Tally, data patchwork.Data, opt Options, iterations int) (described, error) {
	var best described
	for n := 0; ; n++ {
		costs := activationCosts(t)
		strict := strictness(t.Rows())
		extra := strict * extraCost * float64(max(extraRounds-n, 0)) / extraRounds
		for k := range costs {
			costs[k] += extra
		}
		d, err := opt.describe(ctx, m, data, costs, nil)
		if err != nil {
			return described{}, err
		}
		t = d.tally
		opt.tell(Step{CurvePoint: patchwork.CurvePoint{Stage: StagePolish, Rows: t.Rows(), LogLik: t.LogLik(), DescriptionLength: d.length}, Iteration: n, Model: m})
		if n >= extraRounds && d.shorter(&best) {
			best = d
		}
		if n == iterations {
			break
		}
		next := t.MStep(m, patchwork.MStep{AbstainMargin: abstainingMargin, MinVoteGain: strict * voteCost(t)})
		if n >= extraRounds && sameTemplates(m, next) && slices.Equal(costs, activationCosts(t)) {
			break
		}
		m = next
	}
	settled := Settle(best.model)
	if settled == best.model {
		return best, nil
	}
	return opt.describe(ctx, settled, data, best.costs, nil)
}

// learnShort is the search from m, and its polish.
func (o Options) learnShort(ctx context.Context, m *patchwork.Model, data patchwork.Data, sweeps, polishing int) (described, error) {
	em := o.em(patchwork.MaxMinusMin)
	em.Iterations = sweeps
	best, err := o.bestOf(ctx, m, data, em, searchPatience)
	if err != nil {
		return described{}, err
	}
	return polish(ctx, best.Model, best.Tally, data, o, polishing)
}

// searchPatience is after how many rounds without a better one the search ends.
const searchPatience = 3
