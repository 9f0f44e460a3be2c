package learn

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
)

// begin returns the model that start i begins with, and how it was made. If the
// image to split has too little ink, the start learns online instead.
func begin(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options, i int) (how string,
	m *patchwork.Model, err error) {
	if opt.Continue != nil {
		m, err = opt.Continue.WithConfig(cfg)
		return cmp.Or(opt.began, "continue"), m, err
	}
	if opt.Alphabet {
		m, err = piecesModel(ctx, data, cfg, opt.Experts, rng(opt.Seed, i))
		return FromPieces, m, err
	}
	if opt.From != nil {
		if m, err = placedModel(data, cfg, opt, i); m != nil || err != nil {
			return "alphabet", m, err
		}
	}
	if opt.Method == MethodBatch {
		m, err = randomModel(cfg, opt.Experts, rng(opt.Seed, i))
		return "random", m, err
	}
	if opt.StartFrom == StartFromSplits || opt.StartFrom == StartFromBoth && i%ordersEvery != 0 {
		if example := exampleOf(data, opt, i); example.CountOn() >= opt.Experts {
			m, err = splitModel(ctx, cfg, example, opt.Experts, opt.cut(cfg), rng(opt.Seed, i))
			return "split", m, err
		}
	}
	m, err = learnOnline(ctx, data, cfg, opt, i)
	return "order", m, err
}

// ordersEvery sets how many starts learn online with StartFromBoth: one in four,
// the first included. The others split an image, which is the better start for
// strokes, and quicker; online learning also finds parts that are no strokes.
const ordersEvery = 4

// exampleOf returns the image that start i splits. Starts take different images
// as long as there are enough.
func exampleOf(d patchwork.Data, opt Options, i int) *bitmap.Image {
	if opt.StartFrom == StartFromBoth {
		i -= i/ordersEvery + 1 // the orders before it
	}
	images := slices.DeleteFunc(order(len(d.Images), opt.Seed, 1), func(i int) bool { return d.Weight(i) == 0 })
	return d.Images[images[i%len(images)]]
}

// order returns the order of n images in start i of a run: as they come for start
// 0, shuffled for the others.
func order(n int, seed uint64, i int) []int {
	if i == 0 {
		all := make([]int, n)
		for j := range all {
			all[j] = j
		}
		return all
	}
	return rng(seed, i).Perm(n)
}

// randomModel draws templates uniformly from [0.02, 0.98].
func randomModel(cfg patchwork.Config, experts int, rng *rand.Rand) (*patchwork.Model, error) {
	templates := make([][]float64, experts)
	for k := range templates {
		templates[k] = make([]float64, cfg.Height*cfg.Width)
		for i := range templates[k] {
			templates[k][i] = 0.02 + float64(0.96*rng.Float64())
		}
	}
	return patchwork.NewModel(cfg, templates)
}

// learnOnline passes once over the data in the order of start i (section 4.1),
// and emits the model after every image.
func learnOnline(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options, i int) (*patchwork.Model,
	error) {
	o, err := onePass(ctx, cfg, opt)
	if err != nil {
		return nil, err
	}
	for n, at := range order(len(data.Images), opt.Seed, i) {
		if data.Weight(at) == 0 {
			continue
		}
		if err := o.repeat(ctx, at, data.Images[at], data.Weight(at)); err != nil {
			return nil, err
		}
		if opt.note != nil {
			opt.tell(Step{CurvePoint: patchwork.CurvePoint{Stage: StageOnline}, Iteration: n, Image: at, Model: o.model})
		}
	}
	return o.model.WithConfig(cfg)
}

// onePass returns a learner for one pass over images.
func onePass(ctx context.Context, cfg patchwork.Config, opt Options) (*online, error) {
	if cfg.Scene {
		return nil, errors.New("patchwork: sequential initialisation needs images of the frame's size, not scenes")
	}
	cfg.Prior = opt.online
	reading := opt.Reading
	if opt.Paper {
		reading = readingLiteral
	}
	return newOnline(cfg, opt.Experts, reading, fastPursuit(ctx)), nil
}

// fastPursuit returns the pursuit that explains an image as matchingPursuit does, by
// patchwork.Pursuit; it ends with the context.
func fastPursuit(ctx context.Context) pursuit {
	return func(m *patchwork.Model, x *bitmap.Image) ([]patchwork.Pick, error) {
		p, err := patchwork.NewPursuit(m, learningPursuit())
		if err != nil {
			return nil, err
		}
		p.Within(ctx)
		e, err := p.Explain(x)
		if err != nil {
			return nil, err
		}
		return e.Picks, nil
	}
}
