package learn

import (
	"context"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
)

// polishIterations is the number of iterations that polish a start.
const polishIterations = 8

// In the search experts cost nothing and images use too many of them; an expert
// used often is cheap, so its usage would stay too high. Therefore the first
// rounds of a polish, which are not judged, charge extra nats per pick, fewer in
// every round, and usage settles from below (experiments/quadrants/README.md).
const extraRounds, extraCost = 4, 2.0

// strictness returns the fraction of the polish's penalties that applies: 0 up to
// 20 images, 1 from 50. The penalties are asymptotic; with few images they only
// lower the likelihood of unseen ones.
func strictness(rows int64) float64 {
	return min(max(elem.Log(float64(rows)/20)/elem.Log(50./20), 0), 1)
}

// polish turns what the search found into a model with a short description. An
// image may stay unexplained, a pick must gain more than the cost of stating that
// the expert is active, and a vote more than the cost of a vote. t counts how m
// explained the data in the search. The penalties belong here and not in the
// search, which they would mislead. There must be at least extraRounds iterations.
//
// polish returns the shortest of its rounds, with abstaining entries set to q.
func polish(ctx context.Context, m *patchwork.Model, t *patchwork.Tally, data patchwork.Data, opt Options,
	iterations int) (described, error) {
	var best described
	for n := 0; ; n++ {
		costs := activationCosts(t)
		strict := strictness(t.Rows())
		extra := float64(strict * extraCost * float64(max(extraRounds-n, 0)) / extraRounds)
		for k := range costs {
			costs[k] += extra
		}
		d, err := opt.describe(ctx, m, data, costs, nil)
		if err != nil {
			return described{}, err
		}
		t = d.tally
		opt.tell(Step{CurvePoint: patchwork.CurvePoint{Stage: StagePolish, Rows: t.Rows(), LogLik: t.LogLik(),
			DescriptionLength: d.length}, Iteration: n, Model: m})
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

// learnShort searches from m and polishes the result.
func (o Options) learnShort(ctx context.Context, m *patchwork.Model, data patchwork.Data, sweeps,
	polishing int) (described, error) {
	em := o.em(m.Config())
	em.Iterations = sweeps
	best, err := o.bestOf(ctx, m, data, em, searchPatience)
	if err != nil {
		return described{}, err
	}
	return polish(ctx, best.Model, best.Tally, data, o, polishing)
}

// searchPatience is the number of rounds without a better one after which the
// search ends.
const searchPatience = 3
