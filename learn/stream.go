package learn

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/draw"
	"example.com/patchwork/internal/rows"
)

// sampled is a uniform sample of the images of a source with a weight above 0, in
// the order of the source.
type sampled struct {
	patchwork.Data
	Of   int   // how many images of the source count
	Rows int64 // these images, weights counted
}

// all reports whether the sample is the whole source.
func (s *sampled) all() bool { return len(s.Images) == s.Of }

// sampleStream is the stream of random numbers of samples.
const sampleStream = 1 << 33

// drawSample reads a source once and draws at most n images, every set of n with
// equal probability. Which it draws depends on the seed
// and the number of images alone. The images are copies. It panics for n < 1.
func drawSample(ctx context.Context, src patchwork.Source, n int, seed uint64) (*sampled, error) {
	if n < 1 {
		panic(fmt.Sprintf("patchwork: a sample of %d images", n))
	}
	type row struct {
		img    *bitmap.Image
		weight int64
	}
	out, sample := &sampled{}, draw.NewSample[row](n, rand.New(rand.NewPCG(seed, sampleStream)))
	for b, err := range patchwork.Checked(ctx, src) {
		if err != nil {
			return nil, err
		}
		for j, img := range b.Images {
			w := b.Weight(j)
			if out.Rows += w; w > 0 {
				sample.Add(func() row { return row{img.Clone(), w} }) // a copy: the block can go
			}
		}
		out.Unit = b.Unit
	}
	out.Rows, out.Of = rows.InUnits(out.Rows, out.Unit), sample.Seen()
	kept := sample.Items()
	weighted := slices.ContainsFunc(kept, func(r row) bool { return r.weight != 1 })
	for _, r := range kept {
		out.Images = append(out.Images, r.img)
		if weighted {
			out.Weights = append(out.Weights, r.weight)
		}
	}
	return out, nil
}

// streamed learns from images that need not fit in memory: it reads the source
// once to draw the sample, and once more in every iteration over all images.
func (r *runner) streamed(ctx context.Context, src patchwork.Source) (*patchwork.Model, error) {
	opt, all := r.opt, src
	if opt.leavesBlank(r.cfg) {
		some, err := hasInk(ctx, src)
		if err != nil {
			return nil, err
		}
		if some {
			src = inkedSource{src}
			all = src
		}
	}
	if r.given.Memory != nil {
		all = remembered{src, rows.PartMemory{Memory: r.given.Memory, Part: "all "}}
	}
	if opt.Method == MethodOnline {
		if r.given.Starts > 1 {
			return nil, fmt.Errorf(
				"patchwork: %d starts of online learning need as many orders of the images, and a stream has one; set the number "+
					"of starts to 1", r.given.Starts)
		}
		if opt.finding() {
			return nil, fmt.Errorf("patchwork: online learning from a stream needs the number of parts; say how many")
		}
		opt.Starts = 1
		return learnInOrder(ctx, all, r.cfg, opt)
	}
	s, err := drawSample(ctx, src, opt.Sample, opt.Seed)
	if err != nil {
		return nil, err
	}
	if r.given.Memory != nil {
		s.Memory = rows.PartMemory{Memory: r.given.Memory, Part: "sample "}
	}
	if err := opt.check(s.Data, r.cfg); err != nil {
		return nil, err
	}
	if opt.Method == MethodStrokes && !s.all() {
		if opt, err = r.withoutStrokes(); err != nil {
			return nil, err
		}
	}
	m, err := r.inMemory(ctx, s.Data)
	if err != nil || s.all() {
		return m, err
	}
	opt.Iterations = cmp.Or(r.given.Iterations, continueIterations)
	opt.start = noStart
	last, err := goOn(ctx, m, all, opt.onTheWay())
	if err != nil && enough(ctx) {
		return m, nil
	}
	return last, err
}

// hasInk reports whether an image of a source has ink; it reads no further than that.
func hasInk(ctx context.Context, src patchwork.Source) (bool, error) {
	blocks := inkedSource{src}.Blocks(ctx)
	for b, err := range blocks {
		return err == nil && len(b.Images) > 0, err
	}
	return false, nil
}

// withoutStrokes chooses another method for a stream that does not fit in its
// sample: strokes are learned from images in memory.
func (r *runner) withoutStrokes() (Options, error) {
	if r.given.Method == MethodStrokes {
		return Options{}, fmt.Errorf(
			"patchwork: the method strokes holds its images in memory, and there are more than the sample of %d; give a "+
				"larger sample, fewer images, or the method both", r.opt.Sample)
	}
	given := r.given
	given.Method = MethodBoth
	note, online := r.opt.note, r.opt.online
	r.opt = given.WithDefaults(r.cfg)
	r.opt.note, r.opt.online = note, online
	return r.opt, r.opt.validate(r.cfg)
}

// Memory keeps what the E-steps of a run came to, so that a run that was
// interrupted need not explain again: all else is quick, and the same every time.
// Learning with a memory gives the same bytes as without, whatever it holds. It
// must be safe for concurrent use.
//
// Recall returns the value of a key; ok is false where it was not kept. Keep keeps
// the value of a key.
type Memory = rows.Memory

// remembered is a source with a memory.
type remembered struct {
	patchwork.Source
	memory Memory
}

// Remembered returns the memory, and the source without it, for patchwork.EStep.
func (r remembered) Remembered() (Memory, patchwork.Source) { return r.memory, r.Source }

// learnInOrder learns online from the images of a source, in their order.
func learnInOrder(ctx context.Context, src patchwork.Source, cfg patchwork.Config, opt Options) (*patchwork.Model,
	error) {
	o, err := onePass(ctx, cfg, opt)
	if err != nil {
		return nil, err
	}
	first := 0 // number of the first image of the block
	for b, err := range patchwork.Checked(ctx, src) {
		if err != nil {
			return nil, err
		}
		for j, img := range b.Images {
			if err := o.repeat(ctx, first+j, img, b.Weight(j)); err != nil {
				return nil, err
			}
		}
		first += len(b.Images)
		if o.model != nil && opt.note != nil {
			opt.tell(Step{CurvePoint: patchwork.CurvePoint{Stage: StageOnline}, Image: first - 1, Model: o.model})
		}
	}
	if o.model == nil {
		return nil, fmt.Errorf("patchwork: no images to learn from")
	}
	m, err := o.model.WithConfig(cfg)
	if err != nil {
		return nil, err
	}
	it, err := sweep(ctx, m, src, opt, 0)
	if err != nil {
		return nil, err
	}
	record := patchwork.Record{Method: opt.Method.String(), Mode: opt.mode(), Seed: opt.Seed,
		Starts: []patchwork.Start{{Seed: opt.Seed, Score: it.Tally.LogLik(), Method: "order"}}}
	return complete(ctx, it, src, opt, record)
}

// continueIterations is how many M-steps goOn makes; a sample has brought the
// model close to where it ends.
const continueIterations = 8

// goOn continues learning from m, which was learned from a sample, by batch EM
// over all images of a source. It returns the best round, of which m is the first,
// or the last in the paper's mode. The record has the size of the sample.
func goOn(ctx context.Context, m *patchwork.Model, src patchwork.Source, opt Options) (*patchwork.Model, error) {
	record := m.Extras().Record
	record.Sample, record.DescriptionLength = record.Rows, 0
	if opt.Paper {
		last, t, err := em(m, opt.Iterations, func(m *patchwork.Model) (*patchwork.Tally, error) {
			return opt.eStep(ctx, m, src)
		})
		if err != nil {
			return nil, err
		}
		return complete(ctx, iteration{Model: last, Tally: t}, src, opt, record)
	}
	it, err := sweep(ctx, m, src, opt, opt.Iterations)
	if err != nil {
		return nil, err
	}
	return complete(ctx, it, src, opt, record)
}

// NextStep returns the model and the pursuit of the next E-step that a run makes
// over the images of a stream, after m explained all of them with the counts t,
// unless the run ends there. A source that explains its images elsewhere can
// begin that step early.
func (o Options) NextStep(m *patchwork.Model, t *patchwork.Tally) (*patchwork.Model, patchwork.PursuitOptions) {
	o = o.WithDefaults(m.Config())
	return o.MStep(m, t), o.pursuitOf(m, t)
}

// complete returns the model of a run, made from its best round.
func complete(ctx context.Context, it iteration, src patchwork.Source, opt Options,
	record patchwork.Record) (*patchwork.Model, error) {
	record.Rows, record.LogLik = it.Tally.Rows(), it.Tally.LogLik()
	extras := it.Model.Extras()
	extras.Usage, extras.Record = it.Tally.Usage(), record
	if c := it.Model.Config(); rows.Moves(c) && !c.Scene {
		var err error
		if extras.Geometry, err = patchwork.FitGeometry(ctx, it.Model, src, opt.pursuit(), opt.Workers); err != nil {
			return nil, err
		}
	}
	return it.Model.WithExtras(extras)
}
