package learn

import (
	"context"

	"example.com/patchwork"

	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
)

// leaveOneOut estimates from the training images how well a model explains new
// ones. It returns the log-likelihood of each image, in nats, under its own
// explanation by m, with templates read off the explanations of the other images
// (by step; entries that only this image determined return to the prior), summed
// over the images with their weights. It penalises experts that few images use,
// or that are made for one of them; the training log-likelihood does not.
//
// m should come from these images. Explanations are not made again without the
// image, so the estimate is still slightly optimistic. It is -Inf if an image
// becomes impossible. The result is the same for any number of workers (0 means
// 1). Errors are those of Explain.
//
// leaveOneOut also returns the tally of the explanations.
func leaveOneOut(ctx context.Context, m *patchwork.Model, data patchwork.Data, opt patchwork.PursuitOptions,
	step patchwork.MStep, workers int) (float64, *patchwork.Tally, error) {
	explanations := make([]*patchwork.Explanation, len(data.Images))
	all, err := patchwork.EStep(ctx, m, data, opt, workers, func(i int, e *patchwork.Explanation) { explanations[i] = e })
	if err != nil {
		return 0, nil, err
	}
	logLiks := make([]float64, len(data.Images))
	_, err = pool.Run(ctx, len(data.Images), workers, 1, func(_, i int) error {
		if data.Weight(i) == 0 {
			return nil
		}
		img, e := data.Images[i], explanations[i]
		without := leftOut(m, without(all, m, data, i, e), all, step)
		logLiks[i] = float64(data.Weight(i)) * patchwork.LogLik(img, without.Compose(img.Height(), img.Width(), e.Picks).P)
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	sum := 0.0
	for _, l := range logLiks {
		sum += l
	}
	return sum, all, nil
}

// byLeavingOut reports whether leaveOneOut judges the starts of a run.
func (o Options) byLeavingOut(c patchwork.Config) bool {
	return !o.Paper && o.Starts > 1 && rows.Moves(c)
}

// without returns a tally whose counts of pixels lack those of one image, of
// weight 1, and its explanation.
func without(t *patchwork.Tally, m *patchwork.Model, data patchwork.Data, i int,
	e *patchwork.Explanation) *patchwork.Tally {
	own := patchwork.NewTally(m)
	own.Add(m, data.Images[i], e, 1)
	rest := t.Clone(0)
	left, gone := rest.Counts(), own.Counts()
	for _, p := range [][2][]int64{
		{left.On, gone.On}, {left.Seen, gone.Seen}, {left.LostOn, gone.LostOn}, {left.LostSeen, gone.LostSeen},
	} {
		for j, v := range p[1] {
			p[0][j] -= v
		}
	}
	return rest
}

// leftOut makes the M-step of a tally without an image: entries that no image
// determined keep their value, those that only this image determined return to
// the prior.
func leftOut(m *patchwork.Model, t, all *patchwork.Tally, step patchwork.MStep) *patchwork.Model {
	step.KeepUnseen = false
	next := t.MStep(m, step)
	c, n := all.Counts(), m.Height()*m.Width()
	experts := next.Templates()
	for k, template := range experts {
		for i := range template {
			if c.Seen[k*n+i]+c.LostSeen[k*n+i] == 0 {
				template[i] = m.Template(k)[i]
			}
		}
	}
	return next.WithTemplates(experts, patchwork.Extras{})
}
