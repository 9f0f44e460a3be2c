package learn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
)

// Sampled is a uniform sample of the images of a source that count at all, in
// the order of the source.
type Sampled struct {
	patchwork.Data
	Of   int   // how many images of the source count
	Rows int64 // these images, weights counted
}

// All reports whether the sample is the whole source.
func (s *Sampled) All() bool { return len(s.Images) == s.Of }

// sampleStream is the stream of random numbers of samples.
const sampleStream = 1 << 33

// Sample reads a source once and draws at most n images, every set of n alike
// (algorithm R, Vitter 1985). What is drawn depends on the seed and on the
// number of images. They are copies. It panics for n < 1.
func Sample(ctx context.Context, src patchwork.Source, n int, seed uint64) (*Sampled, error) {
	if n < 1 {
		panic(fmt.Sprintf("patchwork: a sample of %d images", n))
	}
	type drawn struct {
		at     int
		img    *bitmap.Image
		weight int64
	}
	var kept []drawn
	out, rng := &Sampled{}, rand.New(rand.NewPCG(seed, sampleStream))
	for b, err := range patchwork.Numbered(ctx, src) {
		if err != nil {
			return nil, err
		}
		for j, img := range b.Images {
			out.Rows += b.Weight(j)
			if b.Weight(j) == 0 {
				continue
			}
			slot := out.Of
			if out.Of++; slot >= n {
				if slot = rng.IntN(out.Of); slot >= n {
					continue
				}
			} else {
				kept = append(kept, drawn{})
			}
			kept[slot] = drawn{b.First + j, img.Clone(), b.Weight(j)} // a copy: the block can go
		}
	}
	slices.SortFunc(kept, func(a, b drawn) int { return a.at - b.at })
	weighted := slices.ContainsFunc(kept, func(d drawn) bool { return d.weight != 1 })
	for _, d := range kept {
		out.Images = append(out.Images, d.img)
		if weighted {
			out.Weights = append(out.Weights, d.weight)
		}
	}
	return out, nil
}

// LearnStream learns from images that need not fit in memory. What needs them
// in any order (starts, moves, the exact polish) is done by Learn on a uniform
// sample of at most sample images; then Continue goes on from its model with
// all of them. Where the sample is everything, the result is Learn's. Online
// learning passes over all images, in their order, and needs no sample; it has
// one start. The result is the same for any number of workers, and any blocks.
//
// One reading of the source finds the sample, and one more is made in every
// iteration over all images.
func LearnStream(ctx context.Context, src patchwork.Source, cfg patchwork.Config, opt LearnOptions, sample int) (*patchwork.Model, error) {
	if opt.WithDefaults(cfg).Method == OnlineLearning {
		return learnInOrder(ctx, src, cfg, opt)
	}
	s, err := Sample(ctx, src, sample, opt.Seed)
	if err != nil {
		return nil, err
	}
	m, err := Learn(ctx, s.Data, cfg, opt)
	if err != nil || s.All() {
		return m, err
	}
	return Continue(ctx, m, src, opt)
}

// learnInOrder is Learn for online learning with one start.
func learnInOrder(ctx context.Context, src patchwork.Source, cfg patchwork.Config, opt LearnOptions) (*patchwork.Model, error) {
	if opt.Starts > 1 {
		return nil, fmt.Errorf("patchwork: %d starts of online learning need as many orders of the images; a stream has one, so make it 1", opt.Starts)
	}
	opt.Starts = 1
	if err := opt.validate(); err != nil {
		return nil, err
	}
	o, err := newOnlinePass(cfg, opt)
	if err != nil {
		return nil, err
	}
	for b, err := range patchwork.Numbered(ctx, src) {
		if err != nil {
			return nil, err
		}
		for j, img := range b.Images {
			if err := o.addTimes(ctx, b.First+j, img, b.Weight(j)); err != nil {
				return nil, err
			}
		}
	}
	m, err := o.Model().WithConfig(cfg)
	if err != nil {
		return nil, err
	}
	opt = opt.WithDefaults(cfg)
	it, err := sweep(ctx, m, src, opt, 0)
	if err != nil {
		return nil, err
	}
	record := patchwork.Record{Method: opt.Method.String(), Mode: opt.Mode.String(), Seed: opt.Seed,
		Starts: []patchwork.Start{{Seed: opt.Seed, Score: it.Tally.LogLik(), Method: "order"}}}
	return complete(ctx, it, src, opt, record)
}

// continueIterations is how many M-steps Continue makes; a sample has brought
// the model close to where it ends.
const continueIterations = 8

// continuePatience is after how many rounds without a shorter description
// Continue ends.
const continuePatience = 2

// Continue goes on learning from m, the model that Learn gave for a sample, by
// batch EM over all images of a source: opt.Iterations times, or 8 where that is
// 0. The best round is kept, the first of which is m itself, or the last in
// ModePaper. Experts are not added, moved or exactly polished any more. The
// record says how large the sample was.
func Continue(ctx context.Context, m *patchwork.Model, src patchwork.Source, opt LearnOptions) (*patchwork.Model, error) {
	iterations := opt.Iterations
	if iterations == 0 {
		iterations = continueIterations
	}
	cfg := m.Config()
	opt.Experts = m.K()
	opt = opt.WithDefaults(cfg)
	if err := opt.validate(); err != nil {
		return nil, err
	}
	record := m.Extras().Record
	record.Sample, record.FixedPoint, record.DescriptionLength = record.Rows, false, 0
	if opt.byDescription(cfg) {
		d, err := opt.continueShort(ctx, m, src, iterations)
		if err != nil {
			return nil, err
		}
		record.DescriptionLength = d.length
		return complete(ctx, Iteration{Model: d.model, Tally: d.tally}, src, opt, record)
	}
	it, err := sweep(ctx, m, src, opt, iterations)
	if err != nil {
		return nil, err
	}
	return complete(ctx, it, src, opt, record)
}

// nextShort is the M-step of continueShort: the next model, and what a pick
// costs in its E-step.
func nextShort(m *patchwork.Model, t *patchwork.Tally) (next *patchwork.Model, costs []float64) {
	pays := strictness(t.Rows()) * voteCost(t)
	return t.Model(m, patchwork.MStep{Sit: abstainingSits, Pays: pays}), activationCosts(t)
}

// NextStep is the E-step that Continue makes after the one that explained all
// images by m and came to t, unless it ends there: the model, and how it
// explains. Who makes E-steps elsewhere can begin it before it is asked for.
func (o LearnOptions) NextStep(m *patchwork.Model, t *patchwork.Tally) (*patchwork.Model, patchwork.PursuitOptions) {
	o = o.WithDefaults(m.Config())
	if o.byDescription(m.Config()) {
		next, costs := nextShort(m, t)
		return next, o.describing(costs)
	}
	em := o.EM(m.Config())
	return t.Model(m, em.Step), em.Pursuit
}

// complete makes the model of a run from its best round.
func complete(ctx context.Context, it Iteration, src patchwork.Source, opt LearnOptions, record patchwork.Record) (*patchwork.Model, error) {
	record.Rows, record.LogLik = it.Tally.Rows(), it.Tally.LogLik()
	extras := it.Model.Extras()
	extras.Usage, extras.Record = it.Tally.Usage(), record
	if record.DescriptionLength != 0 { // of the very counts that were judged
		extras.Counts = it.Tally
	}
	if it.Model.Config().Poses.Len() > 1 {
		var err error
		if extras.Geometry, err = patchwork.FitGeometry(ctx, it.Model, src, opt.pursuit(), opt.Workers); err != nil {
			return nil, err
		}
	}
	return it.Model.WithExtras(extras)
}

// continueShort is the polish for a model that a sample has polished already:
// usage has settled, so no round charges extra and every round is judged.
func (o LearnOptions) continueShort(ctx context.Context, m *patchwork.Model, src patchwork.Source, iterations int) (described, error) {
	var best described
	costs, at := make([]float64, m.K()), 0
	if t := m.Extras().Counts; t != nil {
		costs = activationCosts(t)
	}
	for n := 0; ; n++ {
		d, err := o.describe(ctx, m, src, costs, nil)
		if err != nil {
			return described{}, err
		}
		if d.shorter(&best) {
			best, at = d, n
		}
		if n == iterations || n-at >= continuePatience {
			break
		}
		next, paid := nextShort(m, d.tally)
		if n > 0 && sameTemplates(m, next) && slices.Equal(costs, paid) {
			break
		}
		m, costs = next, paid
	}
	settled := settle(best.model, abstainingSits)
	if settled == best.model {
		return best, nil
	}
	return o.describe(ctx, settled, src, best.costs, nil)
}
