package table

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/exact"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/posterior"
)

const (
	relocateVictims = 16 // experts that relocate tries to put elsewhere, in a round
	relocateRounds  = 4  // iterations of soft EM then
	relocateStream  = 1<<33 + 1
)

// improved makes the description by a model shorter: it puts experts elsewhere, deletes
// needless ones, and runs a few iterations of soft EM at the end. It stops when it has come to
// one that others have come to.
func (l *learner) improved(ctx context.Context, c tried, attempt uint64, others ...tried) (tried, error) {
	c, err := l.relocate(ctx, c, relocateVictims, math.MaxInt, attempt, others...)
	if err == nil {
		c, err = l.withOpposites(ctx, c)
	}
	if err == nil {
		c, err = l.intoBackground(ctx, c)
	}
	if err == nil && !sameAsAny(c, others...) {
		c, err = l.prune(ctx, c)
	}
	return c, err
}

// relocate deletes experts, one at a time, and gathers others instead, as long as that
// shortens the description: the experts first whose votes are least certain, weighted
// by how often they are active. Each round tries so many; a vote pattern that failed is
// not tried again. It stops at what describes the rows as one of others does.
//
// A background at the marginals makes the first expert the union of all parts, and
// those after it fragments; each of them pays, and only a better one in its place tells.
func (l *learner) relocate(ctx context.Context, c tried, victims, rounds int, attempt uint64, others ...tried) (tried,
	error) {
	rng := rand.New(rand.NewPCG(l.opt.Seed, relocateStream+attempt))
	failed := map[string]bool{}
	for range min(rounds, 2*l.opt.MaxExperts) {
		before := c.Model
		if sameAsAny(c, others...) {
			break
		}
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
			if !l.shorter(next, c) {
				continue
			}
			if c = next; l.opt.Experts == 0 && c.Experts > before.K() { // one of them may be needless now
				if next, err = l.oneLess(ctx, c); err != nil {
					return c, err
				}
				if l.shorter(next, c) && next.Experts >= l.opt.MinExperts {
					c = next
				}
			}
			break
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

// instead returns the model without expert k and with others gathered instead. It gives up
// when it can see that this will describe the table at more length.
func (l *learner) instead(ctx context.Context, c tried, k int, rng *rand.Rand) (tried, error) {
	s := l.stepOf(c.StartFrom)
	r, err := l.em(ctx, without(c.Model, k), 1, s)
	if err != nil {
		return tried{}, err
	}
	m, err := l.gathered(ctx, r.Model, rng)
	if err != nil {
		return tried{}, err
	}
	return l.promising(ctx, m, relocateRounds, c)
}

// promising returns what soft EM makes of a model in place of another. It gives up when it can
// see that this will describe the table at more length.
func (l *learner) promising(ctx context.Context, m *patchwork.Model, rounds int, c tried) (tried, error) {
	s := l.stepOf(c.StartFrom)
	next, _, err := l.considered(ctx, m, 0, s)
	for left := rounds; left > 0 && err == nil; left-- {
		before := next.DescriptionLength
		if next, _, err = l.considered(ctx, next.Model, 1, s); err == nil && hopeless(next.DescriptionLength, before,
			c.DescriptionLength, left-1) {
			break
		}
	}
	return next, err
}

// without returns the model without expert k.
func without(m *patchwork.Model, k int) *patchwork.Model {
	was := m.Extras()
	extras := patchwork.Extras{Usage: slices.Delete(slices.Clone(was.Usage), k, k+1), Record: was.Record,
		Names: rows.NamesWithout(m, k)}
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
				use[k] -= float64(m.Extras().Usage[k] * (float64(p*elem.Log(p)) + float64((1-p)*elem.Log1p(-p))))
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
	pruneTries  = 2 // experts that prune tries to delete
	pruneRounds = 6 // iterations of soft EM afterwards
	lessRounds  = 2 // and after one was deleted
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

// oneLess returns a model without one expert, as it is or after a little soft EM: of the experts
// without which the description should be shortest, the first for which it gets shorter,
// or the best.
func (l *learner) oneLess(ctx context.Context, c tried) (best tried, err error) {
	s := l.stepOf(c.StartFrom)
	if !l.final {
		s.Stage = StageShrink
	}
	order, use, err := l.leastUseful(ctx, c.Model)
	if err != nil || l.once() && use[order[0]] > mostNeeded {
		return c, err
	}
	for _, k := range order[:min(len(order), pruneTries)] {
		for r, err := range l.softEM(ctx, without(c.Model, k), lessRounds) {
			one := tried{Step: s, pooled: l.m.Pooled}
			if err == nil {
				l.fill(&one.Step, r)
				err = l.emit(one.Step)
			}
			if err != nil {
				return best, err
			}
			if best.Model == nil || one.DescriptionLength < best.DescriptionLength {
				best = one
			}
			if best.DescriptionLength < c.DescriptionLength {
				return best, nil
			}
		}
	}
	return best, nil
}

// mostNeeded is how many nats the least useful expert may save beyond what it takes, for a try
// without it where tries take long: others may take the place of one of few votes.
const mostNeeded = 100

// leastUseful orders the experts of a model, those first without which the description
// should be shortest, before others take their place, and says how many nats each saves: in one
// pass over the rows, by the explanations without each that the search has seen.
func (l *learner) leastUseful(ctx context.Context, m *patchwork.Model) (order []int, use []float64, err error) {
	workers := max(l.opt.Workers, 1)
	losses := make([][]exact.Int128, workers) // by worker and expert, in units of 1/exact.NatsUnit nats
	for w := range losses {
		losses[w] = make([]exact.Int128, m.K())
	}
	seen := make([][]int16, workers)
	err = explainRows(ctx, m, l.data, l.opt.Explain, workers,
		func(w, i int, _ []uint8, search *joint.Search, sets []joint.Set) {
			seen[w] = seen[w][:0]
			evidence := evidenceOf(sets)
			for _, s := range sets {
				if s.Weight < minWeight {
					break
				}
				for _, k := range s.Experts {
					if slices.Contains(seen[w], k) {
						continue
					}
					seen[w] = append(seen[w], k)
					if loss := evidence - search.Without(k); loss < mostLoss {
						losses[w][k] = losses[w][k].Add(exact.Product(l.data.Weight(i), int64(math.Round(loss*exact.NatsUnit))))
					}
				}
			}
		})
	if err != nil {
		return nil, nil, err
	}
	use, order = make([]float64, m.K()), make([]int, m.K())
	pi, total := posterior.ActivationPrior(m), rows.Total(l.data)
	d := l.describe(m)
	at := 0
	for k := range use {
		order[k] = k
		for _, list := range losses[1:] {
			losses[0][k] = losses[0][k].Add(list[k])
		}
		use[k] = float64(losses[0][k].Float()/exact.NatsUnit/float64(max(l.data.Unit, 1))) + float64(float64(total)*elem.Log1p(-pi[k]))
		if rows.Votes(m, k, 0) > 0 {
			use[k] -= d.Price(&d.Parts[at])
			at++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(use[a], use[b]) })
	return order, use, nil
}

// mostLoss bounds what a row may lose without an expert, in nats: more tells only that
// the search has seen no other explanation.
const mostLoss = 1e6
