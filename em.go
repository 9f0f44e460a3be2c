package patchwork

import (
	"context"
	"fmt"
	"iter"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/pool"
)

// Source is images to explain or to learn from, in an order, that need not be
// in memory: they are read in blocks, as often as it takes. Data is a Source.
type Source interface {
	// Blocks reads all images from the first on, one or more at a time. Every
	// call begins anew and yields the same images in the same order, though
	// perhaps in other blocks. An error is the last thing yielded. Whoever reads
	// may keep a block and must not change it.
	Blocks(ctx context.Context) iter.Seq2[Data, error]
}

// Data is what a learner learns from: images of one size, and how often each
// of them counts (nil: once each).
type Data struct {
	Images  []*bitmap.Image
	Weights []int64

	memory Memory // nil unless Remember
}

// Blocks yields the images a few at a time: few enough to share the work
// evenly, and of many images many, as rows are explained together. It never
// fails.
func (d Data) Blocks(context.Context) iter.Seq2[Data, error] {
	size := min(max(pool.Chunk, len(d.Images)/64), rowsAtOnce)
	return func(yield func(Data, error) bool) {
		for from := 0; from < len(d.Images); from += size {
			to := min(from+size, len(d.Images))
			b := Data{Images: d.Images[from:to]}
			if d.Weights != nil {
				b.Weights = d.Weights[from:to]
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// Weight is how often image i counts.
func (d Data) Weight(i int) int64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[i]
}

// MaxRows bounds the number of images of a data set, weights counted, so that
// no sum in a Tally overflows.
const MaxRows = 1 << 31

func (d Data) validate() error {
	var c census
	if err := c.count(d); err != nil {
		return err
	}
	return c.done()
}

// census counts images as they are read, and refuses those that cannot be
// counted.
type census struct {
	images int
	rows   int64 // weights counted
}

// count adds the next images.
func (c *census) count(d Data) error {
	if d.Weights != nil && len(d.Weights) != len(d.Images) {
		return fmt.Errorf("patchwork: %d weights for %d images", len(d.Weights), len(d.Images))
	}
	for i := range d.Images {
		w := d.Weight(i)
		if w < 0 {
			return fmt.Errorf("patchwork: image %d has weight %d; weights are counts", c.images, w)
		}
		if c.rows += w; w > MaxRows || c.rows > MaxRows {
			return fmt.Errorf("patchwork: the weights up to image %d add up to more than %d images", c.images, int64(MaxRows))
		}
		c.images++
	}
	return nil
}

// done refuses nothing at all.
func (c *census) done() error {
	switch {
	case c.images == 0:
		return fmt.Errorf("patchwork: no images to learn from")
	case c.rows == 0:
		return fmt.Errorf("patchwork: every image has weight 0")
	}
	return nil
}

// EMOptions are the settings of batch EM.
type EMOptions struct {
	Iterations int // M-steps; 0 means 25
	Step       MStep
	Pursuit    PursuitOptions
	Workers    int // goroutines of the E-step; 0 means 1; the result is the same for any number
}

// Iteration is one round of batch EM: a model, and what it made of the data.
type Iteration struct {
	Number int    // of M-steps before it; 0 is the model EM started from
	Model  *Model // the model that explained the data
	Tally  *Tally // of its explanations: Tally.LogLik is the model's training log-likelihood
}

// EM runs hard batch EM (section 4): explain every image, count, read the
// templates off the counts, and again. It yields Iterations+1 rounds, from
// number 0 (the given model explaining the data) to the one after the last
// M-step. The log-likelihood need not rise: neither a greedy pursuit nor eq.
// (1) promises it, so keep the best (Best does).
//
// It stops early at a fixed point, when an M-step changes no template. The
// error is the source's, the context's, or says which image does not fit the
// model. An iteration reads the source once.
func EM(ctx context.Context, m *Model, src Source, opt EMOptions) iter.Seq2[Iteration, error] {
	if opt.Iterations == 0 {
		opt.Iterations = 25
	}
	return func(yield func(Iteration, error) bool) {
		for n := 0; ; n++ {
			t, err := Explain(ctx, m, src, opt.Pursuit, opt.Workers, nil)
			if err != nil {
				yield(Iteration{}, err)
				return
			}
			if !yield(Iteration{Number: n, Model: m, Tally: t}, nil) || n == opt.Iterations {
				return
			}
			next := t.Model(m, opt.Step)
			if n > 0 && sameTemplates(m, next) {
				return
			}
			m = next
		}
	}
}

func sameTemplates(a, b *Model) bool {
	for k, t := range a.experts {
		for i, p := range t {
			if p != b.experts[k][i] {
				return false
			}
		}
	}
	return true
}

// Best runs the iterations to the end and returns the round with the largest
// training log-likelihood, the earliest of equals.
func Best(rounds iter.Seq2[Iteration, error]) (Iteration, error) {
	var best Iteration
	for it, err := range rounds {
		if err != nil {
			return Iteration{}, err
		}
		if best.Model == nil || it.Tally.LogLik() > best.Tally.LogLik() {
			best = it
		}
	}
	return best, nil
}

// last runs the iterations to the end and returns the last round.
func last(rounds iter.Seq2[Iteration, error]) (Iteration, error) {
	var round Iteration
	for it, err := range rounds {
		if err != nil {
			return Iteration{}, err
		}
		round = it
	}
	return round, nil
}
