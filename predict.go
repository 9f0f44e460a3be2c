package patchwork

import (
	"context"
	"fmt"
	"sync"

	"example.com/patchwork/bitmap"
)

// Predict finds the best explanations of one image from its known pixels, and
// the probability that they give, on average by their posterior weights, to
// each pixel being on: Height*Width numbers in [0, 1], row-major, for known and
// unknown pixels alike (Fill puts the known values back). Averaging predicts
// better than the best explanation alone: the largest single gain of findings,
// section 6. The error is a *SizeError.
func (n *NBest) Predict(img *bitmap.Image) ([]float64, *Posterior, error) {
	post, err := n.Explain(img)
	if err != nil {
		return nil, nil, err
	}
	return n.average(img.Height(), img.Width(), post), post, nil
}

// Fill is a copy of the predictions p (row-major) with 0 or 1 where the image
// is known. It panics unless there is one prediction a pixel.
func Fill(img *bitmap.Image, p []float64) []float64 {
	if len(p) != img.Len() {
		panic(fmt.Sprintf("patchwork: %d predictions for %d pixels", len(p), img.Len()))
	}
	out := make([]float64, len(p))
	on, known := img.AppendBytes(nil), img.AppendKnown(nil)
	for i := range out {
		if out[i] = p[i]; known[i] != 0 {
			out[i] = float64(on[i])
		}
	}
	return out
}

// Predictions runs NBest.Predict on every image, on the given number of workers
// (0 means 1). each is called once an image, by the worker that made it, in no
// order; it must be safe for concurrent use where there is more than one
// worker. What it is called with does not depend on their number. The error is
// the context's, an option's, or names the first image that does not fit.
func Predictions(ctx context.Context, m *Model, images []*bitmap.Image, opt NBestOptions, workers int,
	each func(i int, p []float64, post *Posterior)) error {
	return eachImage(ctx, m, opt, len(images), workers, func(_ int, n *NBest, i int) error {
		p, post, err := n.Predict(images[i])
		if err == nil {
			each(i, p, post)
		}
		return err
	})
}

// Posteriors runs NBest.Explain on every image; otherwise it is like
// Predictions.
func Posteriors(ctx context.Context, m *Model, images []*bitmap.Image, opt NBestOptions, workers int,
	each func(i int, post *Posterior)) error {
	return eachImage(ctx, m, opt, len(images), workers, func(_ int, n *NBest, i int) error {
		post, err := n.Explain(images[i])
		if err == nil {
			each(i, post)
		}
		return err
	})
}

// eachImage calls do for images 0 to images-1, each worker (numbered from 0, of
// poolSize) with a search of its own. The error is that of the first image that
// has one: the queue hands out images in order, so whoever fails has left none
// before it untried.
func eachImage(ctx context.Context, m *Model, opt NBestOptions, images, workers int, do func(worker int, n *NBest, i int) error) error {
	first, err := NewNBest(m, opt)
	if err != nil {
		return err
	}
	chunks := (images + chunk - 1) / chunk
	workers = poolSize(workers, images)
	at, errs := make([]int, workers), make([]error, workers)
	var next queue
	var wg sync.WaitGroup
	for w := range workers {
		n := first
		if w > 0 {
			n = first.Fork()
		}
		wg.Go(func() {
			for c := next.take(); c < chunks && errs[w] == nil; c = next.take() {
				for i := c * chunk; i < min((c+1)*chunk, images) && errs[w] == nil; i++ {
					if errs[w] = ctx.Err(); errs[w] == nil {
						at[w], errs[w] = i, do(w, n, i)
					}
				}
			}
		})
	}
	wg.Wait()
	return firstError(ctx, at, errs)
}

// poolSize is how many of the workers wanted find work in so many images.
func poolSize(workers, images int) int { return max(1, min(workers, (images+chunk-1)/chunk)) }

// firstError is the context's error, or the one of the lowest image.
func firstError(ctx context.Context, at []int, errs []error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	lowest := -1
	for w, err := range errs {
		if err != nil && (lowest < 0 || at[w] < at[lowest]) {
			lowest = w
		}
	}
	if lowest < 0 {
		return nil
	}
	return fmt.Errorf("image %d: %w", at[lowest], errs[lowest])
}
