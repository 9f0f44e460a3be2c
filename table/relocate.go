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
	relocateVictims    = 8  // experts that relocate tries to put elsewhere, in a round
	relocateCandidates = 12 // candidates for each expert grown instead
	relocateBeyond     = 2  // how many experts more than before may be grown
	relocateStream     = 1<<33 + 1
)

// improved makes the description by a model shorter: it puts experts elsewhere, deletes
// needless ones, and runs a few iterations of soft EM at the end.
func (l *learner) improved(ctx context.Context, c tried, attempt uint64) (tried, error) {
	c, err := l.relocate(ctx, c, relocateVictims, math.MaxInt, attempt)
	if err == nil {
		c, err = l.prune(ctx, c)
	}
	return c, err
}

// relocate deletes experts, one at a time, and grows others instead, as long as that
// shortens the description: the experts first whose votes are least certain, weighted
// by how often they are active. Each round tries so many; a vote pattern that failed is
// not tried again.
//
// A background at the marginals makes the first expert the union of all parts, and
// those after it fragments; each of them pays, and only a better one in its place tells.
func (l *learner) relocate(ctx context.Context, c tried, victims, rounds int, attempt uint64) (tried, error) {
	rng := rand.New(rand.NewPCG(l.opt.Seed, relocateStream+attempt))
	failed := map[string]bool{}
	for range min(rounds, 2*l.opt.MaxExperts) {
		before := c.Model
		for _, k := range uncertain(c.Model, victims) {
			if pattern := votePattern(c.Model, k); failed[pattern] {
				continue
			} else {
				failed[pattern] = true
			}
			next, err := l.instead(ctx, c, k, rng)
			if err != nil {
				return c, err
			}
			if l.shorter(next, c) {
				c = next
				break
			}
		}
		if c.Model == before {
			break
		}
	}
	return c, nil
}

// shorter reports whether a model describes the table more briefly than another, and
// has as many experts as it should, as far as the other has.
func (l *learner) shorter(next, c tried) bool {
	wanted := min(max(l.opt.MinExperts, l.opt.Experts), c.Experts)
	return next.Model != nil && next.Experts >= wanted && next.DescriptionLength < c.DescriptionLength
}

// instead returns the model without expert k and with others grown instead.
func (l *learner) instead(ctx context.Context, c tried, k int, rng *rand.Rand) (tried, error) {
	s := l.stepOf(c.StartFrom)
	r, err := l.em(ctx, without(c.Model, k), 1, s)
	if err != nil {
		return tried{}, err
	}
	if r.Model, err = l.grown(ctx, r.Model, min(c.Experts+relocateBeyond, l.opt.MaxExperts), rng, s); err != nil {
		return tried{}, err
	}
	next, _, err := l.considered(ctx, r.Model, 4, s)
	return next, err
}

// grown returns a model with experts appended, up to so many, each followed by an
// iteration of soft EM.
func (l *learner) grown(ctx context.Context, m *patchwork.Model, most int, rng *rand.Rand, s Step) (*patchwork.Model, error) {
	for range most { // an expert that turns out idle goes again
		if m.K() >= most {
			break
		}
		next, err := l.oneMore(ctx, m, nil, rng, relocateCandidates)
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		r, err := l.em(ctx, next, 1, s)
		if err != nil {
			return nil, err
		}
		m = r.Model
	}
	return m, nil
}

// without returns the model without expert k.
func without(m *patchwork.Model, k int) *patchwork.Model {
	was := m.Extras()
	extras := patchwork.Extras{Usage: slices.Delete(slices.Clone(was.Usage), k, k+1), Record: was.Record, Names: rows.NamesWithout(m, k)}
	templates := slices.Delete(m.Templates(), k, k+1)
	if len(templates) == 0 { // a model has an expert, if only one that never votes
		templates, extras.Usage = [][]float64{rows.Background(m)}, []float64{0}
		if extras.Names = nil; was.Names != nil {
			extras.Names = []string{""}
		}
	}
	return m.WithTemplates(templates, extras)
}

// uncertain returns up to n experts, those first whose votes have the largest entropy,
// weighted by how often they are active.
func uncertain(m *patchwork.Model, n int) []int {
	use, order := make([]float64, m.K()), make([]int, m.K())
	for k := range use {
		order[k] = k
		for i, p := range m.Template(k) {
			if p != m.Abstention(i) && p > 0 && p < 1 {
				use[k] -= m.Extras().Usage[k] * (p*math.Log(p) + (1-p)*math.Log1p(-p))
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(use[b], use[a]) })
	return order[:min(n, len(order))]
}

// votePattern returns which bits expert k votes on, and on which side.
func votePattern(m *patchwork.Model, k int) string {
	out := make([]byte, len(m.Template(k)))
	for i, p := range m.Template(k) {
		out[i] = byte(1 + cmp.Compare(p, m.Abstention(i)))
	}
	return string(out)
}

const (
	pruneLooks  = 16 // experts without which prune looks at the description
	pruneTries  = 2  // of these, those that it tries to delete
	pruneRounds = 6  // iterations of soft EM afterwards
)

// prune deletes experts as long as that shortens the description, unless their number
// is given: later experts may have made an earlier one needless. Then it runs a few
// iterations of soft EM.
func (l *learner) prune(ctx context.Context, c tried) (tried, error) {
	for l.opt.Experts == 0 && c.Model.K() > 1 {
		next, err := l.oneLess(ctx, c)
		if err != nil {
			return c, err
		}
		if !l.shorter(next, c) || next.Experts < l.opt.MinExperts {
			break
		}
		c = next
	}
	s := l.stepOf(c.StartFrom)
	s.Stage = c.Stage
	next, _, err := l.considered(ctx, c.Model, pruneRounds, s)
	if err == nil && l.shorter(next, c) {
		c = next
	}
	return c, err
}

// oneLess returns the best model without one expert, after a little soft EM.
func (l *learner) oneLess(ctx context.Context, c tried) (best tried, err error) {
	s := l.stepOf(c.StartFrom)
	if !l.final {
		s.Stage = StageShrink
	}
	var list []tried
	for _, k := range leastUseful(c.Model, pruneLooks) {
		one, _, err := l.considered(ctx, without(c.Model, k), 0, s)
		if err != nil {
			return best, err
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b tried) int { return cmp.Compare(a.DescriptionLength, b.DescriptionLength) })
	for _, one := range list[:min(len(list), pruneTries)] {
		one, _, err := l.considered(ctx, one.Model, roundsPerExpert, s)
		if err != nil {
			return best, err
		}
		if best.Model == nil || one.DescriptionLength < best.DescriptionLength {
			best = one
		}
	}
	return best, nil
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
