package table

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
)

const (
	// roundsPerExpert counts the iterations of soft EM after an expert was
	// appended or deleted.
	roundsPerExpert = 2
	// growPatience ends growing: as many experts in a row, or a quarter of all
	// of them, have not improved the score.
	growPatience = 3
	// pruneTries counts the least useful experts that prune tries to delete.
	pruneTries = 4
	// growStream is the stream of random numbers of growing.
	growStream = 1<<32 + 1
)

// grow appends experts as long as that improves the score, and runs all
// iterations of soft EM from the best number of them.
func (l *learner) grow(ctx context.Context) error {
	var best, last *patchwork.Model
	lowest, idle := 0.0, 0
	err := l.growOneByOne(ctx, l.opt.MaxExperts, StageGrow, func(r round) (bool, error) {
		last = r.Model
		if l.opt.Experts > 0 { // only the last one counts
			return true, l.progress(r, l.stepOf(StartFromGrow))
		}
		score, err := l.consider(ctx, r, tried{Step: l.stepOf(StartFromGrow), grown: last.K()})
		if idle++; best == nil || score < lowest {
			best, lowest, idle = last, score, 0
		}
		return idle < max(growPatience, last.K()/4), err
	})
	if err != nil || last == nil {
		return err
	}
	if l.opt.Experts > 0 {
		best = last
	}
	return l.improve(ctx, best, StartFromGrow)
}

// growOneByOne appends up to most experts and calls each with the model after
// each of them, until no candidate gains anything or each returns false.
func (l *learner) growOneByOne(ctx context.Context, most int, stage string, each func(round) (bool, error)) error {
	rng := rand.New(rand.NewPCG(l.opt.Seed, growStream))
	g := newGrowth(l.data, l.cfg, l.marginals(), l.m.MinVoteGain)
	for range most {
		c, err := g.bestCandidate(ctx, rng, l.opt.Workers)
		if err != nil || c == nil {
			return err
		}
		m, err := g.withCandidate(c)
		if err != nil {
			return err
		}
		for n := range roundsPerExpert {
			tally, err := eStep(ctx, m, l.data, l.opt.Explain, l.opt.Workers)
			if err != nil {
				return err
			}
			s := l.stepOf(StartFromGrow)
			s.Stage = stage
			if err := l.progress(round{n, m, tally}, s); err != nil {
				return err
			}
			m = withoutIdle(tally.mStep(m, l.m))
		}
		tally, err := g.take(ctx, m, l.opt.Explain, l.opt.Workers)
		if err != nil {
			return err
		}
		if more, err := each(round{roundsPerExpert, m, tally}); err != nil || !more {
			return err
		}
	}
	return nil
}

// prune deletes experts of the best model as long as that shortens the
// description: later experts may have made an earlier one needless.
func (l *learner) prune(ctx context.Context) error {
	for l.best.Model.K() > 1 {
		from := l.best
		for _, k := range leastUseful(from.Model, pruneTries) {
			if err := l.without(ctx, from, k); err != nil {
				return err
			}
			if l.best.Model != from.Model {
				break
			}
		}
		if l.best.Model == from.Model {
			return nil
		}
	}
	return nil
}

// without considers a model without expert k, after a little more soft EM.
func (l *learner) without(ctx context.Context, from tried, k int) error {
	was := from.Model.Extras()
	extras := patchwork.Extras{Usage: slices.Delete(slices.Clone(was.Usage), k, k+1), Record: was.Record}
	if was.Names != nil {
		extras.Names = slices.Delete(slices.Clone(was.Names), k, k+1)
	}
	m := from.Model.WithTemplates(slices.Delete(from.Model.Templates(), k, k+1), extras)
	for r, err := range l.softEM(ctx, m, roundsPerExpert) {
		if err != nil {
			return err
		}
		s := l.stepOf(from.StartFrom)
		s.Stage = StageShrink
		if r.Number < roundsPerExpert {
			err = l.progress(r, s)
		} else {
			_, err = l.consider(ctx, r, tried{Step: s, grown: from.grown, iterations: from.iterations})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leastUseful returns up to n experts, those first whose votes move predictions
// the least, weighted by how often they are active.
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

// relearn learns a choice again from the present data.
func (l *learner) relearn(ctx context.Context, c tried) error {
	l.judge = nil
	if c.minVoteGain != l.m.MinVoteGain {
		l.m.MinVoteGain = l.numberLength()
	}
	m, err := l.startAgain(ctx, c)
	if err != nil {
		return err
	}
	s := Step{CurvePoint: patchwork.CurvePoint{Stage: StageFinal}, StartFrom: c.StartFrom}
	for r, err := range l.softEM(ctx, m, max(c.iterations, 1)) {
		if err == nil {
			l.fill(&s, r)
			err = l.emit(s)
		}
		if err != nil {
			return err
		}
	}
	s.Candidate, s.HiddenBits, s.HiddenLoss = true, c.HiddenBits, c.HiddenLoss
	l.best = tried{Step: s}
	l.curve = append(l.curve, s.CurvePoint)
	return nil
}

// startAgain makes the start of a choice from the present data.
func (l *learner) startAgain(ctx context.Context, c tried) (m *patchwork.Model, err error) {
	if c.StartFrom == StartFromMixture {
		return l.mixture(ctx, c.grown)
	}
	err = l.growOneByOne(ctx, c.grown, StageFinal, func(r round) (bool, error) {
		m = r.Model
		return true, nil
	})
	if err == nil && m == nil { // no candidate gains, or the choice was the background
		m, err = l.backgroundOnly()
	}
	return m, err
}
