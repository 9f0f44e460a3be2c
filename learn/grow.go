package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"

	"example.com/patchwork/internal/pool"
)

// grow tries growCandidates images to make the next expert of, and ends when
// growPatience experts in a row have not shortened the description. shrink tries
// to delete shrinkTries of the least useful experts, and to merge mergeTries of
// the likeliest pairs, before it gives up.
const (
	growCandidates = 6
	growPatience   = 2
	shrinkTries    = 3
	mergeTries     = 4
)

// improveRounds bounds how often a result of the default learner is improved.
const improveRounds = 3

// grow finds experts and their number by description length: it appends experts,
// improves the result, and compares it with what the default learner finds, until
// the best number lies between two others tried. If the default learner found a
// shorter description, grow improves that in turn.
func (a *counter) grow(ctx context.Context) error {
	d, err := a.append(ctx)
	if err != nil {
		return err
	}
	tried := make(map[int]bool)
	for round := range improveRounds {
		if err := a.improve(ctx, d, uint64(round)); err != nil {
			return err
		}
		if err := a.beside(ctx, tried); err != nil {
			return err
		}
		best := a.best[a.shortest()]
		if best.Stage != StageFresh {
			return nil
		}
		t := best.Model.Extras().Counts
		d = described{best.Model, activationCosts(t), t, best.DescriptionLength}
	}
	return nil
}

// beside tries the default learner with as many experts as the shortest
// description has, one fewer and one more, until the shortest does not change.
func (a *counter) beside(ctx context.Context, tried map[int]bool) error {
	for {
		k, before := a.shortest(), len(tried)
		for n := max(k-1, 1); n <= min(k+1, a.mostExperts()); n++ {
			if tried[n] {
				continue
			}
			tried[n] = true
			if err := a.fresh(ctx, n); err != nil {
				return err
			}
		}
		if len(tried) == before {
			return nil
		}
	}
}

// improve deletes, merges and moves experts as long as that shortens the
// description, and polishes the result exactly. A move may leave other experts
// unused, so it shrinks again afterwards. The last step is a candidate for the
// choice.
func (a *counter) improve(ctx context.Context, d described, round uint64) (err error) {
	learn := a.opt.onTheWay()
	learn.start = noStart
	if d, err = a.shrink(ctx, d); err != nil {
		return err
	}
	before := d.model
	if d, err = relocate(ctx, d, a.data, learn, rand.New(rand.NewPCG(learn.Seed, moveStream+round))); err != nil {
		return err
	}
	if d.model != before {
		if d, err = a.shrink(ctx, d); err != nil {
			return err
		}
	}
	d, fixed, err := exactPolish(ctx, d, a.data, learn)
	if err != nil {
		return err
	}
	if d, err = a.used(ctx, d); err != nil {
		return err
	}
	record := patchwork.Record{Method: learn.Method.String(), Mode: learn.mode(), Seed: learn.Seed, Rows: d.tally.Rows(),
		LogLik: d.tally.LogLik(), DescriptionLength: d.length, FixedPoint: fixed,
		Starts: []patchwork.Start{{Seed: learn.Seed, Score: d.tally.LogLik(), DescriptionLength: d.length, Method: "grow"}}}
	m, err := withRecord(d.model, d.tally, record)
	if err != nil {
		return err
	}
	a.keep(pointOf(m, StageRelocate))
	return nil
}

// tell emits an intermediate model.
func (a *counter) tell(d described, stage string) {
	a.step(Step{CurvePoint: patchwork.CurvePoint{Experts: d.model.K(), Stage: stage, Rows: d.tally.Rows(),
		LogLik: d.tally.LogLik(), DescriptionLength: d.length}, Model: d.model})
}

// append begins without experts, appends one after the other, and returns the
// model with the shortest description.
func (a *counter) append(ctx context.Context) (best described, err error) {
	for i, img := range a.data.Images { // before a template is made of one
		if img.Height() != a.cfg.Height || img.Width() != a.cfg.Width {
			return best, fmt.Errorf("image %d: %w", i, &patchwork.SizeError{Height: img.Height(), Width: img.Width(),
				ModelHeight: a.cfg.Height, ModelWidth: a.cfg.Width})
		}
	}
	rng := rand.New(rand.NewPCG(a.opt.Seed, growStream))
	var last *view
	idle := 0
	for k := 1; k <= a.mostExperts() && idle < growPatience; k++ {
		models, err := a.withOneMore(last, rng)
		if err != nil {
			return best, err
		}
		d, err := a.shortestOf(ctx, models)
		if err != nil {
			return best, err
		}
		a.tell(d, StageGrow)
		idle++
		if d.shorter(&best) {
			best, idle = d, 0
		}
		if last, err = newView(ctx, d, a.data, a.opt); err != nil {
			return best, err
		}
	}
	return best, nil
}

// withOneMore returns candidate models with one more expert, made of what the
// experts so far (nil: none) leave unexplained of an image.
func (a *counter) withOneMore(v *view, rng *rand.Rand) ([]*patchwork.Model, error) {
	var out []*patchwork.Model
	for range growCandidates {
		if v == nil {
			img := a.data.Images[rows.Draw(a.data, rng)]
			template, _ := newExpert(a.cfg, a.opt.Reading, img, nil)
			m, err := patchwork.NewModel(a.cfg, [][]float64{template})
			if err != nil {
				return nil, err
			}
			out = append(out, m)
			continue
		}
		i := v.draw(rng)
		img := a.data.Images[i]
		mu := v.model.Compose(img.Height(), img.Width(), v.picks[i]).P
		template, _ := newExpert(a.cfg, a.opt.Reading, img, mu)
		out = append(out, v.model.WithTemplates(append(v.model.Templates(), template),
			patchwork.Extras{Names: namesAnd(v.model)}))
	}
	return out, nil
}

// shortestOf learns from each of the models, several at a time, and returns the
// shortest description, the earliest of equals.
func (a *counter) shortestOf(ctx context.Context, models []*patchwork.Model) (described, error) {
	inner := a.opt
	inner.note = nil // several at a time
	side := min(inner.Workers, len(models))
	inner.Workers = max(1, inner.Workers/side)
	var best described
	for d, err := range pool.InTurn(ctx, len(models), side, func(ctx context.Context, i int) (described, error) {
		return inner.learnShort(ctx, models[i], a.data, relocationSweeps, relocationPolish)
	}) {
		if err != nil {
			return described{}, err
		}
		if d.shorter(&best) {
			best = d
		}
	}
	return best, nil
}

// shrink deletes an expert, or merges two, as long as that shortens the
// description.
func (a *counter) shrink(ctx context.Context, d described) (described, error) {
	d, err := a.used(ctx, d)
	if err != nil {
		return d, err
	}
	for d.model.K() > 1 {
		v, err := newView(ctx, d, a.data, a.opt)
		if err != nil {
			return d, err
		}
		stage, next := StageShrink, described{}
		if next, err = a.shortestOf(ctx, v.deletions()); err != nil {
			return d, err
		}
		if !next.shorter(&d) {
			stage = StageMerge
			if next, err = a.shortestOf(ctx, v.merges()); err != nil {
				return d, err
			}
		}
		if !next.shorter(&d) {
			return d, nil
		}
		d = next
		a.tell(d, stage)
	}
	return d, nil
}

// used returns the model without the experts that are active in no image, or with
// one expert if none is active. The others are not learned again: the
// explanations stay as they are, and the description can only get shorter.
func (a *counter) used(ctx context.Context, d described) (described, error) {
	m, costs := d.model, slices.Clone(d.costs)
	for k := m.K() - 1; k >= 0 && m.K() > 1; k-- {
		if d.tally.Active(k) == 0 {
			m, costs = withoutExpert(m, k), slices.Delete(costs, k, k+1)
		}
	}
	if m == d.model {
		return d, nil
	}
	d, err := a.opt.describe(ctx, m, a.data, costs, nil)
	if err != nil {
		return d, err
	}
	a.tell(d, StageShrink)
	return d, nil
}

// deletions returns models without one of the least useful experts.
func (v *view) deletions() []*patchwork.Model {
	var out []*patchwork.Model
	for _, k := range v.order[:min(shrinkTries, len(v.order))] {
		out = append(out, withoutExpert(v.model, k))
	}
	return out
}

// merges returns models in which one of the likeliest pairs is merged.
func (v *view) merges() []*patchwork.Model {
	type pair struct {
		a, b  int
		score float64
	}
	var pairs []pair
	together := v.together()
	for a := range v.model.K() {
		for b := range a {
			pairs = append(pairs, pair{a, b, max(together[a][b], alike(v.model, a, b))})
		}
	}
	slices.SortStableFunc(pairs, func(p, q pair) int { return cmp.Compare(q.score, p.score) })
	var out []*patchwork.Model
	for _, p := range pairs[:min(mergeTries, len(pairs))] {
		experts := v.model.Templates()
		experts[p.b] = union(v.model, p.a, p.b)
		names := namesUnless(v.model, p.a, p.b)
		if names != nil {
			names = slices.Delete(names, p.a, p.a+1)
		}
		out = append(out, v.model.WithTemplates(slices.Delete(experts, p.a, p.a+1), patchwork.Extras{Names: names}))
	}
	return out
}

// together returns, for every pair of experts, in how many images both are active,
// as a fraction of those in which at least one is.
func (v *view) together() [][]float64 {
	k := v.model.K()
	out := make([][]float64, k)
	for a := range out {
		out[a] = make([]float64, k)
	}
	for i, picks := range v.picks {
		for _, p := range picks {
			for _, o := range picks {
				out[p.Expert][o.Expert] += float64(v.data.Weight(i))
			}
		}
	}
	for a := range out {
		for b := range out {
			if a != b && out[a][b] > 0 {
				out[a][b] /= float64(v.tally.Active(a)+v.tally.Active(b)) - out[a][b]
			}
		}
	}
	return out
}

// alike returns how far the votes of two experts agree, from 0 to 1: the sum over
// the entries of what both vote, as a fraction of what either votes.
func alike(m *patchwork.Model, a, b int) float64 {
	both, either := 0.0, 0.0
	for i, p := range m.Template(a) {
		q := m.Abstention(i)
		s, t := p-q, m.Template(b)[i]-q
		either += max(math.Abs(s), math.Abs(t))
		if s*t > 0 {
			both += min(math.Abs(s), math.Abs(t))
		}
	}
	if either == 0 {
		return 1 // both say nothing
	}
	return both / either
}

// union returns a template that merges those of two experts: the stronger vote of
// each entry, the first one's if they are equal.
func union(m *patchwork.Model, a, b int) []float64 {
	out := slices.Clone(m.Template(a))
	for i, p := range m.Template(b) {
		if q := m.Abstention(i); math.Abs(p-q) > math.Abs(out[i]-q) {
			out[i] = p
		}
	}
	return out
}
