package posterior

import (
	"context"
	"fmt"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/score"
)

// Predict finds the best explanations of one image from its known pixels, and
// returns them with the probability that they give to each pixel being on,
// averaged by their posterior weights: Height*Width numbers in [0, 1], row-major,
// for known and unknown pixels alike (Fill puts the known values back). The
// average predicts better than the best explanation alone. If the model has a predictor
// (patchwork.Extras), unknown pixels are predicted by that. The error is a *SizeError.
func (n *Searcher) Predict(img *bitmap.Image) ([]float64, *Posterior, error) {
	post, err := n.Explain(img)
	if err != nil {
		return nil, nil, err
	}
	p := n.average(img.Height(), img.Width(), post.Alternatives)
	if by := n.model.Extras().Predictor; by != nil {
		p = by.Predict(img, p)
	}
	return p, post, nil
}

// average sums what each alternative says beyond abstention, so that a pixel of
// which none says anything is predicted at exactly its abstention value.
func (n *Searcher) average(height, width int, alternatives []Alternative) []float64 {
	m, c := n.model, &n.extremes
	out := make([]float64, height*width)
	for i := range out {
		out[i] = m.Abstention(i)
	}
	for _, a := range alternatives {
		if a.Weight == 0 {
			continue
		}
		if n.joint != nil {
			for i, p := range m.Compose(height, width, a.Picks).P {
				out[i] += float64(a.Weight * (p - m.Abstention(i)))
			}
			continue
		}
		c.Join(m, height, width, a.Picks)
		for i := range out {
			q := m.Abstention(i)
			out[i] += float64(a.Weight * (score.Compose(c.High[i], c.Low[i], q) - q))
		}
	}
	for i, p := range out {
		out[i] = max(0, min(p, 1)) // the weights add up to 1 but for rounding
	}
	return out
}

// Fill returns a copy of the predictions p (row-major) with 0 or 1 where the
// image is known. It panics unless there is one prediction per pixel.
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

// Predict predicts every image as Searcher.Predict does, on the given number of
// workers (0 means 1). It calls each once per image, in no order, and with more
// than one worker concurrently; what each receives does not depend on their
// number. The error is the context's, an option's, or names the first image that
// does not fit.
func Predict(ctx context.Context, m *patchwork.Model, images []*bitmap.Image, opt Options, workers int,
	each func(i int, p []float64, post *Posterior)) error {
	return forEach(ctx, m, opt, len(images), workers, func(s *Searcher, i int) error {
		p, post, err := s.Predict(images[i])
		if err == nil {
			each(i, p, post)
		}
		return err
	})
}

// Explain finds the best explanations of every image as Searcher.Explain does;
// otherwise it is like Predict.
func Explain(ctx context.Context, m *patchwork.Model, images []*bitmap.Image, opt Options, workers int,
	each func(i int, post *Posterior)) error {
	return forEach(ctx, m, opt, len(images), workers, func(s *Searcher, i int) error {
		post, err := s.Explain(images[i])
		if err == nil {
			each(i, post)
		}
		return err
	})
}

// forEach calls do for images 0 to images-1, each worker with a Searcher of its
// own. The error is the context's, or that of the first image that has one.
func forEach(ctx context.Context, m *patchwork.Model, opt Options, images, workers int,
	do func(s *Searcher, i int) error) error {
	first, err := NewSearcher(m, opt)
	if err != nil {
		return err
	}
	searchers := make([]*Searcher, pool.Size(images, workers, pool.Chunk))
	for w := range searchers {
		if searchers[w] = first; w > 0 {
			searchers[w] = first.Fork()
		}
	}
	i, err := pool.Run(ctx, images, workers, pool.Chunk, func(w, i int) error { return do(searchers[w], i) })
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("image %d: %w", i, err)
	}
	return err
}
