package main

import (
	"context"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
)

// rowScores holds the score of every image of a part of a task, in its order.
type rowScores struct {
	logLik           []float64 // under the untruncated composition, and the noise
	missing, clutter []float64 // the noise that it was found to have
	picks, pixels    []int64   // how many picks, and how many known pixels
}

// newRowScores returns room for n images.
func newRowScores(n int) *rowScores {
	return &rowScores{make([]float64, n), make([]float64, n), make([]float64, n), make([]int64, n), make([]int64, n)}
}

// put keeps the score of image i. Workers call it with different i.
func (s *rowScores) put(i int, m *patchwork.Model, img *bitmap.Image, e *patchwork.Explanation) {
	s.logLik[i], s.picks[i], s.pixels[i] = e.NoisyLogLik(m, img), int64(len(e.Picks)), int64(img.CountKnown())
	s.missing[i], s.clutter[i] = e.Missing, e.Clutter
}

// noiseSums are the sums over images of which some were found to have noise.
type noiseSums struct {
	any                      bool
	logLik, missing, clutter float64 // weights counted
}

// add adds the scores of a part of the images.
func (n *noiseSums) add(s *rowScores, d patchwork.Data) {
	for i, v := range s.logLik {
		w := float64(d.Weight(i))
		if w == 0 { // even if it is impossible
			continue
		}
		n.any = n.any || s.missing[i] != 0 || s.clutter[i] != 0
		n.logLik, n.missing, n.clutter = n.logLik+float64(w*v), n.missing+float64(w*s.missing[i]),
			n.clutter+float64(w*s.clutter[i])
	}
}

// answers returns the table of the scores of rows [from, to) of a set: the labels, the row, its
// weight if there are weights, its log-likelihood, picks and known pixels.
func (s *rowScores) answers(set *dataset.Set, weighted bool, from, to int) *answers {
	out := rowAnswers(set, weighted, from, to)
	out.add("log_lik", s.logLik)
	out.add("picks", s.picks)
	out.add("pixels", s.pixels)
	return out
}

// scoreTo scores a task, and unless path is empty writes a table, a row per image.
func (a *app) scoreTo(ctx context.Context, t *task, path, format string) (*scoreReport, error) {
	if path == "" {
		return a.score(ctx, t, nil)
	}
	var r *scoreReport
	head := newRowScores(0).answers(t.head(), t.weighted(), 0, 0)
	err := a.outputAnswers(path, format, head, pushed(func(push func(*answers) error) (err error) {
		r, err = a.score(ctx, t, func(part *task, s *rowScores) error {
			if isRounded(format) {
				roundAll(s.logLik)
			}
			return push(s.answers(part.set, t.weighted(), 0, part.set.Len()))
		})
		return err
	}))
	if err != nil {
		return nil, err
	}
	a.carried = true // what score reports is data, and stdout is for that alone
	return r, a.wrote(path, "scores of %s", describe(r.Images, t.head()))
}
