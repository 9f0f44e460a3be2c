package table

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
)

const (
	finalRounds  = 3     // iterations of soft EM before and after experts are added
	finalRows    = 30000 // of more rows, only votes and background are learned
	plainRounds  = 6     // iterations of soft EM then
	pooledRounds = 3     // at the end, with votes drawn to their mean under noisy-or
	ownRounds    = 1     // at the end, with votes of their own that were tied
	finalStream  = 1<<34 + 1
)

// pooling returns for how many rounds at the end votes are drawn to their mean, or are no longer
// tied: tied ones are found with less data, and people look for those of their own.
func pooling(r patchwork.Rule) int {
	switch {
	case jointRule(r) == joint.NoisyOr:
		return pooledRounds
	case r == patchwork.RuleMax:
		return ownRounds
	}
	return 0
}

// goOn continues from a choice with all rows, if there are more than the search took:
// soft EM, experts for what more rows tell, relocation and pruning. What is delivered
// describes all rows at least as briefly as plain soft EM from the choice.
func (l *learner) goOn(ctx context.Context, c tried, more bool) error {
	l.final = true
	plain := c
	if more {
		var err error
		if plain, _, err = l.considered(ctx, c.Model, plainRounds, l.stepOf(c.StartFrom)); err != nil {
			return err
		}
	}
	next, err := plain, error(nil)
	if more && rows.Counting(l.data) <= finalRows {
		if next, err = l.extended(ctx, plain); err != nil {
			return err
		}
	}
	if pooling(l.cfg.Rule) > 0 {
		for _, rival := range l.rivals(next, more) {
			pooled, err := l.pooled(ctx, rival)
			if err != nil {
				return err
			}
			if pooled.DescriptionLength < next.DescriptionLength {
				next = pooled
			}
		}
	}
	next.Stage, next.Candidate = StageFinal, true
	l.best = next
	l.curve = append(l.curve, next.CurvePoint)
	return l.emit(next.Step)
}

// rivals returns a choice, and of few cells the shortest descriptions by other numbers of parts,
// as far as they are hardly longer: that is by votes that are tied, and by votes of their own one
// of them may be shorter.
func (l *learner) rivals(c tried, more bool) []tried {
	out := []tried{c}
	if more || l.opt.Experts > 0 || !l.small() {
		return out
	}
	shortest := map[int]tried{voting(c.Model): c}
	for _, r := range l.tried {
		n := voting(r.Model)
		best, known := shortest[n]
		if r.Model.Config().Rule == l.cfg.Rule && l.enough(r) >= l.enough(c) && l.near(r, c) &&
			(!known || r.DescriptionLength < best.DescriptionLength) {
			shortest[n] = r
		}
	}
	delete(shortest, voting(c.Model))
	for _, n := range slices.Sorted(maps.Keys(shortest)) {
		out = append(out, shortest[n])
	}
	return out
}

// voting returns how many experts of a model vote.
func voting(m *patchwork.Model) (n int) {
	for k := range m.K() {
		if rows.Votes(m, k, 0) > 0 {
			n++
		}
	}
	return n
}

// pooled runs soft EM with the votes of each expert drawn to their mean; see pooling.
func (l *learner) pooled(ctx context.Context, c tried) (tried, error) {
	l.m.Pooled = true
	next, _, err := l.considered(ctx, c.Model, pooling(l.cfg.Rule), l.stepOf(c.StartFrom))
	l.m.Pooled = false
	return next, err
}

// extended adds experts to a model and deletes needless ones, as long as that shortens the
// description.
func (l *learner) extended(ctx context.Context, c tried) (tried, error) {
	s := l.stepOf(c.StartFrom)
	if l.opt.Experts == 0 {
		rng := rand.New(rand.NewPCG(l.opt.Seed, finalStream))
		m, err := l.gathered(ctx, c.Model, rng)
		if err != nil {
			return c, err
		}
		if m != c.Model {
			next, _, err := l.considered(ctx, m, finalRounds, s)
			if err != nil {
				return c, err
			}
			if l.shorter(next, c) {
				c = next
			}
		}
	}
	return l.prune(ctx, c)
}
