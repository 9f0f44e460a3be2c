package table

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
)

// grow appends experts while that pays, and runs soft EM to the end from the
// best number of them.
func (t *tableRun) grow(ctx context.Context) error {
	var best, last *patchwork.Model
	lowest, idle := 0.0, 0
	err := t.sprouts(ctx, t.opt.MaxExperts, func(m *patchwork.Model, tally *SoftTally) (bool, error) {
		last = m
		if t.opt.Experts > 0 { // only the last one counts
			return true, nil
		}
		score, err := t.consider(ctx, m, tally, tried{begin: TableGrow, grown: m.K()}, StageGrow)
		if idle++; best == nil || score < lowest {
			best, lowest, idle = m, score, 0
		}
		return idle < max(growSoftPatience, m.K()/4), err
	})
	if err != nil || last == nil {
		return err
	}
	if t.opt.Experts > 0 {
		best = last
	}
	return t.sweep(ctx, best, TableGrow)
}

// pruneTries is how many of the least useful experts are tried to do without.
const pruneTries = 4

// prune deletes experts of the best model as long as that shortens the
// description: growing may leave one that later ones have made needless.
func (t *tableRun) prune(ctx context.Context) error {
	for t.best.Model.K() > 1 {
		from := t.best
		for _, k := range leastUseful(from.Model, pruneTries) {
			if err := t.without(ctx, from, k); err != nil {
				return err
			}
			if t.best.Model != from.Model {
				break
			}
		}
		if t.best.Model == from.Model {
			return nil
		}
	}
	return nil
}

// without considers a model without expert k, after a little more soft EM.
func (t *tableRun) without(ctx context.Context, from tried, k int) error {
	extras := from.Model.Extras()
	m := from.Model.WithTemplates(slices.Delete(from.Model.Templates(), k, k+1),
		patchwork.Extras{Usage: slices.Delete(slices.Clone(extras.Usage), k, k+1), Record: extras.Record})
	for it, err := range t.soft(ctx, m, growSoftRounds) {
		if err != nil {
			return err
		}
		if it.Number == growSoftRounds {
			_, err = t.consider(ctx, it.Model, it.Tally, tried{begin: from.begin, grown: from.grown, iterations: from.iterations}, StageShrink)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leastUseful is up to n experts, those first whose votes move the least, in the
// rows they are active in.
func leastUseful(m *patchwork.Model, n int) []int {
	use, order := make([]float64, m.K()), make([]int, m.K())
	for k := range use {
		order[k] = k
		for i, p := range m.Template(k) {
			use[k] += m.Extras().Usage[k] * math.Abs(p-m.Abstention(i))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(use[a], use[b]) })
	return order[:min(n, len(order))]
}

// sprouts appends up to most experts, one by one, and hands out the model after
// each, until nothing pays or each has enough.
func (t *tableRun) sprouts(ctx context.Context, most int, each func(*patchwork.Model, *SoftTally) (bool, error)) error {
	rng := rand.New(rand.NewPCG(t.opt.Seed, tableStream))
	g := newGarden(t.data, t.cfg, t.marginals(), t.step.Pays)
	for range most {
		s, err := g.best(ctx, rng, t.opt.Workers)
		if err != nil || s == nil {
			return err
		}
		m, err := g.with(s)
		if err != nil {
			return err
		}
		for it, err := range t.soft(ctx, m, growSoftRounds) {
			if err != nil {
				return err
			}
			m = it.Model
		}
		tally, err := g.adopt(ctx, m, t.opt.Best, t.opt.Workers)
		if err != nil {
			return err
		}
		if more, err := each(m, tally); err != nil || !more {
			return err
		}
	}
	return nil
}

// learnAgain learns a choice again from the present data.
func (t *tableRun) learnAgain(ctx context.Context, c tried) error {
	t.judge = nil
	if c.pays != t.step.Pays {
		t.step.Pays = t.voteCost()
	}
	var m *patchwork.Model
	var err error
	if c.begin == TableMixture {
		m, err = t.mixture(ctx, c.grown)
	} else {
		err = t.sprouts(ctx, c.grown, func(grown *patchwork.Model, _ *SoftTally) (bool, error) { m = grown; return true, nil })
	}
	if err == nil && m == nil { // nothing pays, or nothing was chosen
		m, err = t.silent()
	}
	if err != nil {
		return err
	}
	var last SoftIteration
	for it, err := range t.soft(ctx, m, max(c.iterations, 1)) {
		if err != nil {
			return err
		}
		last = it
	}
	t.best = tried{begin: c.begin}
	t.best.Step = Step{CurvePoint: patchwork.CurvePoint{Experts: last.Model.K(), Stage: StageFinal, Rows: last.Tally.Rows(), LogLik: last.Tally.Evidence(),
		DescriptionLength: t.descriptionLength(last.Model, last.Tally), HiddenBits: c.HiddenBits, HiddenLoss: c.HiddenLoss}, Model: last.Model}
	t.curve = append(t.curve, t.best.CurvePoint)
	return nil
}

// tableStream is the stream of random numbers of growing.
const tableStream = 1<<32 + 1
