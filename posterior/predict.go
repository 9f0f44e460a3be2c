package posterior

import (
	"context"
	"fmt"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/pool"
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
	return average(&n.extremes, n.model, img.Height(), img.Width(), post.Alternatives), post, nil
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
func Predictions(ctx context.Context, m *patchwork.Model, images []*bitmap.Image, opt NBestOptions, workers int,
	each func(i int, p []float64, post *Posterior)) error {
	return ForEach(ctx, m, opt, len(images), workers, func(_ int, n *NBest, i int) error {
		p, post, err := n.Predict(images[i])
		if err == nil {
			each(i, p, post)
		}
		return err
	})
}

// Posteriors runs NBest.Explain on every image; otherwise it is like
// Predictions.
func Posteriors(ctx context.Context, m *patchwork.Model, images []*bitmap.Image, opt NBestOptions, workers int,
	each func(i int, post *Posterior)) error {
	return ForEach(ctx, m, opt, len(images), workers, func(_ int, n *NBest, i int) error {
		post, err := n.Explain(images[i])
		if err == nil {
			each(i, post)
		}
		return err
	})
}

// ForEach calls do for images 0 to images-1, each worker (numbered from 0, of
// poolSize) with a search of its own. The error is the context's, or that of the
// first image that has one.
func ForEach(ctx context.Context, m *patchwork.Model, opt NBestOptions, images, workers int, do func(worker int, n *NBest, i int) error) error {
	first, err := NewNBest(m, opt)
	if err != nil {
		return err
	}
	searches := make([]*NBest, pool.Size(images, workers, pool.Chunk))
	for w := range searches {
		if searches[w] = first; w > 0 {
			searches[w] = first.Fork()
		}
	}
	i, err := pool.Run(ctx, images, workers, pool.Chunk, func(w, i int) error { return do(w, searches[w], i) })
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("image %d: %w", i, err)
	}
	return err
}
