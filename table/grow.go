package table

import (
	"context"
	"math"
	"math/rand/v2"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
)

const (
	// roundsPerExpert counts the iterations of soft EM after an expert was
	// appended or deleted.
	roundsPerExpert = 2
	// growPatience ends growing: as many experts in a row, or a quarter of all
	// of them, have not improved the score.
	growPatience = 3
	// growStream is the stream of random numbers of growing.
	growStream = 1<<32 + 1
)

// grow appends experts as long as that improves the score, and runs all
// iterations of soft EM from the best number of them. Another attempt draws other
// rows to make them of.
func (l *learner) grow(ctx context.Context, attempt uint64) error {
	var best, last *patchwork.Model
	lowest, idle := 0.0, 0
	err := l.growOneByOne(ctx, attempt, func(r round) (bool, error) {
		last = r.Model
		if l.opt.Experts > 0 { // only the last one counts
			return true, l.progress(r, l.stepOf(StartFromGrow))
		}
		c, err := l.judged(ctx, r, l.stepOf(StartFromGrow))
		if idle++; best == nil || c.DescriptionLength < lowest {
			best, lowest, idle = last, c.DescriptionLength, 0
		}
		return idle < max(growPatience, last.K()/4), err
	})
	if err != nil || last == nil {
		return err
	}
	if l.opt.Experts > 0 {
		best = last
	}
	return l.improve(ctx, best, StartFromGrow, math.Inf(1))
}

// growOneByOne appends experts and calls each with the model after each of them,
// until no candidate gains anything, there are as many as there may be, or each
// returns false.
func (l *learner) growOneByOne(ctx context.Context, attempt uint64, each func(round) (bool, error)) error {
	rng := rand.New(rand.NewPCG(l.opt.Seed, growStream+attempt))
	q := l.marginals()
	var m *patchwork.Model
	if l.pairsFirst {
		var err error
		if m, err = l.paired(ctx, q, rng); err != nil {
			return err
		}
	}
	if m != nil {
		r, err := l.em(ctx, m, roundsPerExpert, l.stepOf(StartFromGrow))
		if err != nil {
			return err
		}
		m = r.Model
		if more, err := each(r); err != nil || !more {
			return err
		}
	}
	if attempt%2 == 1 && !jointRule(l.cfg.Rule).TwoSided() {
		// Where parts are common, the background explains half of them until
		// there are all; a lower one shows the first.
		for i := range q {
			q[i] = clipQ(q[i] / 2)
		}
	}
	for range l.opt.MaxExperts {
		next, err := l.oneMore(ctx, m, q, rng, candidatesPerExpert)
		if err != nil || next == nil {
			return err
		}
		r, err := l.em(ctx, next, roundsPerExpert, l.stepOf(StartFromGrow))
		if err != nil {
			return err
		}
		m = r.Model
		if more, err := each(r); err != nil || !more {
			return err
		}
	}
	return nil
}

// oneMore returns the model with the best of some candidates as one more expert; nil if
// none shortens the description.
func (l *learner) oneMore(ctx context.Context, m *patchwork.Model, q []float64, rng *rand.Rand,
	candidates int) (*patchwork.Model, error) {
	g, err := l.newGrowth(ctx, m, q, rng)
	if err != nil {
		return nil, err
	}
	c, err := g.bestCandidate(ctx, rng, candidates, l.blocks, l.opt.Workers)
	if err != nil || c == nil {
		return nil, err
	}
	return g.withCandidates(rows.Total(l.data), c)
}

// em runs soft EM, yields each iteration before the last as progress, and returns the
// last; it ends when the description does not get shorter any more.
func (l *learner) em(ctx context.Context, m *patchwork.Model, iterations int, s Step) (last round, err error) {
	before := math.Inf(1)
	for r, err := range l.softEM(ctx, m, iterations) {
		if err != nil {
			return r, err
		}
		last = r
		if r.Number == iterations {
			break
		}
		l.fill(&s, r)
		if settled(s.DescriptionLength, before) {
			break
		}
		if err := l.emit(s); err != nil {
			return r, err
		}
		before = s.DescriptionLength
	}
	return last, nil
}

// considered returns what soft EM makes of a model, with its description length, but
// not judged.
func (l *learner) considered(ctx context.Context, m *patchwork.Model, iterations int, s Step) (tried, round, error) {
	r, err := l.em(ctx, m, iterations, s)
	if err != nil {
		return tried{}, r, err
	}
	l.fill(&s, r)
	return tried{Step: s, pooled: l.m.Pooled}, r, nil
}

// paired returns a model of all the pairs of opposites that columns which go together make; nil
// if there is none.
func (l *learner) paired(ctx context.Context, q []float64, rng *rand.Rand) (*patchwork.Model, error) {
	g, err := l.newGrowth(ctx, nil, q, rng)
	if err != nil {
		return nil, err
	}
	all := g.pairs(rng)
	if len(all) == 0 || 2*len(all) > l.opt.MaxExperts {
		return nil, nil
	}
	return g.withCandidates(rows.Total(l.data), all...)
}
