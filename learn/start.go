package learn

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
)

// runStart learns from start i.
func runStart(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt LearnOptions, i int) (Trial, error) {
	how, m, err := begin(ctx, data, cfg, opt, i)
	if err != nil {
		return Trial{}, err
	}
	if opt.byDescription(cfg) {
		d, err := opt.learnShort(ctx, m, data, opt.Iterations, polishIterations)
		if err != nil {
			return Trial{}, err
		}
		return Trial{Start: patchwork.Start{Seed: opt.Seed, Score: d.tally.LogLik(), DescriptionLength: d.length, Method: how},
			Index: i, Model: d.model, Tally: d.tally}, nil
	}
	iterations := opt.Iterations
	if opt.Method == OnlineLearning {
		iterations = 0
	}
	it, err := sweep(ctx, m, data, opt, iterations)
	if err != nil {
		return Trial{}, err
	}
	t := Trial{Start: patchwork.Start{Seed: opt.Seed, Score: it.Tally.LogLik(), Method: how}, Index: i, Model: it.Model, Tally: it.Tally}
	if opt.byLeavingOut(cfg) {
		refined := patchwork.PursuitOptions{Forced: true, Refine: true, RefineThreshold: -1}
		t.LeaveOneOut, err = LeaveOneOut(ctx, it.Model, data, refined, patchwork.MStep{}, opt.Workers)
	}
	return t, err
}

// begin makes the model that start i begins with, and says how. An image that
// cannot be cut (too little ink) leaves the start to its order.
func begin(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt LearnOptions, i int) (how string, m *patchwork.Model, err error) {
	if opt.Method == BatchLearning {
		m, err = RandomModel(cfg, opt.Experts, rng(opt.Seed, i))
		return "random", m, err
	}
	if opt.Begin == BeginSplits || opt.Begin == BeginBoth && i%ordersEvery != 0 {
		if example := exampleOf(data, opt, i); example.CountOn() >= opt.Experts {
			m, err = SplitModel(cfg, example, opt.Experts, rng(opt.Seed, i))
			return "split", m, err
		}
	}
	m, err = learnOnline(ctx, data, cfg, opt, i)
	return "order", m, err
}

// ordersEvery: of starts that begin both ways, the first of every four begins
// with an order. Cuts are the better start for strokes, and quicker; orders are
// there for parts that are no strokes.
const ordersEvery = 4

// exampleOf returns the image that start i cuts up: another one for each start that
// cuts, as long as there are as many.
func exampleOf(d patchwork.Data, opt LearnOptions, i int) *bitmap.Image {
	if opt.Begin == BeginBoth {
		i -= i/ordersEvery + 1 // the orders before it
	}
	order := slices.DeleteFunc(Order(len(d.Images), opt.Seed, 1), func(i int) bool { return d.Weight(i) == 0 })
	return d.Images[order[i%len(order)]]
}

// Order is the order of n images in start i of a run: as they come for start
// 0, shuffled for the others.
func Order(n int, seed uint64, i int) []int {
	if i == 0 {
		order := make([]int, n)
		for j := range order {
			order[j] = j
		}
		return order
	}
	return rng(seed, i).Perm(n)
}

// RandomModel has templates drawn uniformly from [.02, .98].
func RandomModel(cfg patchwork.Config, experts int, rng *rand.Rand) (*patchwork.Model, error) {
	templates := make([][]float64, experts)
	for k := range templates {
		templates[k] = make([]float64, cfg.Height*cfg.Width)
		for i := range templates[k] {
			templates[k][i] = 0.02 + 0.96*rng.Float64()
		}
	}
	return patchwork.NewModel(cfg, templates)
}

// learnOnline passes once over the data in the order of start i.
func learnOnline(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt LearnOptions, i int) (*patchwork.Model, error) {
	var last *patchwork.Model
	for m, err := range OnlineSteps(ctx, data, cfg, opt, i) {
		if err != nil {
			return nil, err
		}
		last = m
	}
	return last.WithConfig(cfg)
}

// abstainingSits is how far from q a guarded entry that abstains waits while
// learning (findings, section 2).
const abstainingSits = 1e-3

// sweep runs batch EM from m and returns its best round, final; in ModePaper
// its last one.
func sweep(ctx context.Context, m *patchwork.Model, data patchwork.Source, opt LearnOptions, iterations int) (Iteration, error) {
	em := opt.EM(m.Config())
	em.Iterations = iterations
	if iterations == 0 {
		t, err := patchwork.Explain(ctx, m, data, em.Pursuit, em.Workers, nil)
		return Iteration{Model: m, Tally: t}, err
	}
	choose := Best
	if opt.Mode == ModePaper { // eq. (1) has no likelihood to keep the best of
		choose = last
	}
	best, err := choose(EM(ctx, m, data, em))
	if err != nil {
		return Iteration{}, err
	}
	if settled := settle(best.Model, em.Step.Sit); settled != best.Model {
		t, err := patchwork.Explain(ctx, settled, data, em.Pursuit, em.Workers, nil)
		return Iteration{Number: best.Number, Model: settled, Tally: t}, err
	}
	return best, nil
}

// EM is how the sweeps of batch EM explain and read templates off the counts,
// in the mode of the options and for a model of the given configuration, which
// decides nothing but the rule. With it an iteration can be cut in two where
// the images are in many places: Explain there, merge the tallies, and
// Tally.Model.
func (o LearnOptions) EM(cfg patchwork.Config) EMOptions {
	em := EMOptions{Pursuit: o.pursuit(), Workers: o.Workers, Step: patchwork.MStep{KeepUnseen: cfg.Rule == patchwork.Max, Sit: abstainingSits}}
	if o.Mode == ModePaper {
		em.Step = patchwork.MStep{Formula: patchwork.EquationOne}
	}
	return em
}

// Settle is m with the entries that wait beside their abstention value, as
// batch EM leaves them, at that value: the end of learning. It is m itself if
// there are none.
func Settle(m *patchwork.Model) *patchwork.Model { return settle(m, abstainingSits) }

// settle sets the entries that wait within sit of q to q. m itself if there
// are none, or under Max.
func settle(m *patchwork.Model, sit float64) *patchwork.Model {
	if m.Config().Rule != patchwork.MaxMinusMin || sit == 0 {
		return m
	}
	templates, settled := m.Templates(), false
	for _, t := range templates {
		for i, p := range t {
			if q := m.Abstention(i); p != q && abstains(p, q, sit) {
				t[i], settled = q, true
			}
		}
	}
	if !settled {
		return m
	}
	return m.WithTemplates(templates, m.Extras())
}

// OnlineSteps is the online pass of one start of a learning run: it yields the
// model after each image of Order(len(data.Images), opt.Seed, start), a
// snapshot that later images do not change. It is what the paper's Figure 7
// shows. The options are those given to Learn; what concerns batch EM is
// ignored. The error is the context's, or names the image or option that does
// not fit.
func OnlineSteps(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt LearnOptions, start int) iter.Seq2[*patchwork.Model, error] {
	return func(yield func(*patchwork.Model, error) bool) {
		o, err := newOnlinePass(cfg, opt)
		if err == nil {
			err = data.Validate()
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for _, i := range Order(len(data.Images), opt.Seed, start) {
			if data.Weight(i) == 0 {
				continue
			}
			if err := o.addTimes(ctx, i, data.Images[i], data.Weight(i)); err != nil {
				yield(nil, err)
				return
			}
			if !yield(o.Model(), nil) {
				return
			}
		}
	}
}

// newOnlinePass is the learner of the online pass of a start.
func newOnlinePass(cfg patchwork.Config, opt LearnOptions) (*Online, error) {
	opt = opt.WithDefaults(cfg)
	if cfg.Rule == patchwork.Max && cfg.Prior == batchInk {
		cfg.Prior = onlineInk
	}
	return NewOnline(cfg, OnlineOptions{Experts: opt.Experts, Reading: opt.Reading,
		UnexplainedInk: opt.UnexplainedInk, Pursuit: learningPursuit()})
}

// addTimes adds image i so many times, one after the other.
func (o *Online) addTimes(ctx context.Context, i int, img *bitmap.Image, times int64) error {
	for range times {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := o.Add(img, 1); err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
	}
	return nil
}
