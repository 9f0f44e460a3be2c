package patchwork

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"example.com/patchwork/bitmap"
)

// Data is what a learner learns from: images of one size, and how often each
// of them counts (nil: once each).
type Data struct {
	Images  []*bitmap.Image
	Weights []int64
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
	if len(d.Images) == 0 {
		return fmt.Errorf("patchwork: no images to learn from")
	}
	if d.Weights != nil && len(d.Weights) != len(d.Images) {
		return fmt.Errorf("patchwork: %d weights for %d images", len(d.Weights), len(d.Images))
	}
	total := int64(0)
	for i, w := range d.Weights {
		if w < 0 {
			return fmt.Errorf("patchwork: image %d has weight %d; weights are counts", i, w)
		}
		if total += w; w > MaxRows || total > MaxRows {
			return fmt.Errorf("patchwork: the weights up to image %d add up to more than %d images", i, int64(MaxRows))
		}
	}
	if d.Weights != nil && total == 0 {
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
// error is the context's, or says which image does not fit the model.
func EM(ctx context.Context, m *Model, data Data, opt EMOptions) iter.Seq2[Iteration, error] {
	if opt.Iterations == 0 {
		opt.Iterations = 25
	}
	return func(yield func(Iteration, error) bool) {
		if err := data.validate(); err != nil {
			yield(Iteration{}, err)
			return
		}
		for n := 0; ; n++ {
			t, err := Explain(ctx, m, data, opt.Pursuit, opt.Workers, nil)
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

// chunk is how many images a worker takes at a time: few enough to share the
// work evenly, many enough that taking them costs nothing.
const chunk = 16

// Explain is the E-step: it explains every image, on the given number of
// workers (0 means 1), and returns the tally of all explanations. each, if not
// nil, is called with every explanation, by the worker that made it, in no
// order; it must be safe for concurrent use where there is more than one
// worker. The error is the context's, an option's, or names the image that
// does not fit.
func Explain(ctx context.Context, m *Model, data Data, opt PursuitOptions, workers int, each func(i int, e *Explanation)) (*Tally, error) {
	if err := data.validate(); err != nil {
		return nil, err
	}
	first, err := NewPursuit(m, opt)
	if err != nil {
		return nil, err
	}
	for i, img := range data.Images { // before any work, and the first of them for any number of workers
		if _, err := m.GridFor(img.Height(), img.Width()); err != nil {
			return nil, fmt.Errorf("image %d: %w", i, err)
		}
	}
	chunks := (len(data.Images) + chunk - 1) / chunk
	workers = max(1, min(workers, chunks))
	if workers == 1 { // a goroutine costs as much as explaining a dozen rows of a table
		return explainChunks(ctx, first, data, new(queue), chunks, each)
	}
	tallies, errs := make([]*Tally, workers), make([]error, workers)
	var next queue
	var wg sync.WaitGroup
	for w := range workers {
		p := first
		if w > 0 {
			p = first.Fork()
		}
		wg.Go(func() {
			tallies[w], errs[w] = explainChunks(ctx, p, data, &next, chunks, each)
		})
	}
	wg.Wait()
	for w, err := range errs {
		if err != nil {
			return nil, err
		}
		if w > 0 {
			tallies[0].Merge(tallies[w])
		}
	}
	return tallies[0], nil
}

// queue hands out 0, 1, 2, ... to several goroutines.
type queue struct {
	mu   sync.Mutex
	next int
}

func (q *queue) take() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next++
	return q.next - 1
}

func explainChunks(ctx context.Context, p *Pursuit, data Data, next *queue, chunks int, each func(int, *Explanation)) (*Tally, error) {
	defer p.search.Release()
	t := NewTally(p.model)
	for {
		c := next.take()
		if c >= chunks {
			return t, nil
		}
		for i := c * chunk; i < min((c+1)*chunk, len(data.Images)); i++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			e, err := p.Explain(data.Images[i])
			if err != nil {
				return nil, fmt.Errorf("image %d: %w", i, err)
			}
			t.Add(p.model, data.Images[i], e, data.Weight(i))
			if each != nil {
				each(i, e)
			}
		}
	}
}
