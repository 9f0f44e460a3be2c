package table

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

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
	// pruneTries counts the least useful experts that prune tries to delete.
	pruneTries = 4
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
		if idle++; best == nil || c.score < lowest {
			best, lowest, idle = last, c.score, 0
		}
		return idle < max(growPatience, last.K()/4), err
	})
	if err != nil || last == nil {
		return err
	}
	if l.opt.Experts > 0 {
		best = last
	}
	_, err = l.improve(ctx, best, StartFromGrow)
	return err
}

// growOneByOne appends experts and calls each with the model after each of them,
// until no candidate gains anything, there are as many as there may be, or each
// returns false.
func (l *learner) growOneByOne(ctx context.Context, attempt uint64, each func(round) (bool, error)) error {
	rng := rand.New(rand.NewPCG(l.opt.Seed, growStream+attempt))
	q := l.marginals()
	if attempt%2 == 1 && l.cfg.Rule == patchwork.RuleMax && !l.opt.FixedBackground {
		// Where parts are common, the background explains half of them until
		// there are all; a lower one shows the first.
		for i := range q {
			q[i] = clipQ(q[i] / 2)
		}
	}
	g := newGrowth(l.data, l.cfg, q, l.m.MinVoteGain)
	for range l.opt.MaxExperts {
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
			if err := l.progress(round{n, m, tally}, l.stepOf(StartFromGrow)); err != nil {
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

// prune deletes experts of the best model of the present start as long as that
// shortens the description, unless their number is given: later experts may have
// made an earlier one needless.
func (l *learner) prune(ctx context.Context) error {
	for l.opt.Experts == 0 && l.own.Model != nil && l.own.Model.K() > 1 {
		from := l.own
		next, err := l.oneLess(ctx, from, func(c tried) bool { return l.better(c, from) })
		if err != nil || next.Model == from.Model {
			return err
		}
	}
	return nil
}

// pruneLevel deletes experts of a model as long as that shortens the description
// and the held-out rows are predicted as well as by the best candidate.
func (l *learner) pruneLevel(ctx context.Context, c tried) (tried, error) {
	for c.Model.K() > 1 {
		next, err := l.oneLess(ctx, c, func(n tried) bool {
			return n.DescriptionLength < c.DescriptionLength && n.Experts >= l.opt.MinExperts && l.level(n)
		})
		if err != nil || next.Model == c.Model {
			return c, err
		}
		c = next
	}
	return c, nil
}

// oneLess returns a model without one of the least useful experts, the first that
// is good enough, or the model itself.
func (l *learner) oneLess(ctx context.Context, from tried, good func(tried) bool) (tried, error) {
	for _, k := range leastUseful(from.Model, pruneTries) {
		c, err := l.without(ctx, from, k)
		if err != nil {
			return from, err
		}
		if good(c) {
			return c, nil
		}
	}
	return from, nil
}

// without considers a model without expert k, after a little more soft EM.
func (l *learner) without(ctx context.Context, from tried, k int) (c tried, err error) {
	was := from.Model.Extras()
	extras := patchwork.Extras{Usage: slices.Delete(slices.Clone(was.Usage), k, k+1), Record: was.Record, Names: rows.NamesWithout(from.Model, k)}
	m := from.Model.WithTemplates(slices.Delete(from.Model.Templates(), k, k+1), extras)
	l.m.MinVoteGain = from.minVoteGain
	for r, err := range l.softEM(ctx, m, roundsPerExpert) {
		if err != nil {
			return c, err
		}
		s := l.stepOf(from.StartFrom)
		if s.Stage = StageShrink; r.Number < roundsPerExpert {
			err = l.progress(r, s)
		} else {
			c, err = l.judged(ctx, r, s)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
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

// continueRounds counts the iterations of soft EM over all rows, after a search
// among some of them.
const continueRounds = 6

// goOn continues from a choice with all rows.
func (l *learner) goOn(ctx context.Context, c tried) error {
	if l.m.MinVoteGain = c.minVoteGain; c.minVoteGain != 1 {
		l.m.MinVoteGain = l.numberLength()
	}
	s := Step{CurvePoint: patchwork.CurvePoint{Stage: StageFinal}, StartFrom: c.StartFrom}
	for r, err := range l.softEM(ctx, c.Model, continueRounds) {
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
