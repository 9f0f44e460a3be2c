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

// rowScoreColumns returns the columns of a table of scores: the labels, the row, its
// weight if there are weights, its log-likelihood, picks and known pixels.
func rowScoreColumns(s *source) []dataset.TableColumn {
	out, labels := rowColumns(s)
	out = append(out, dataset.TableColumn{Name: "log_lik", Type: dataset.ColumnFloat},
		dataset.TableColumn{Name: "picks", Type: dataset.ColumnInt},
		dataset.TableColumn{Name: "pixels", Type: dataset.ColumnInt})
	distinctNames(out, 0, labels, false)
	return out
}

// values returns the columns for a set.
func (s *rowScores) values(set *dataset.Set, rounds bool) []any {
	var out []any
	for _, c := range set.Meta {
		out = append(out, valuesOf(c, 0, set.Len()))
	}
	rows := make([]int64, set.Len())
	for i := range rows {
		rows[i] = int64(row(set, i)) + 1
	}
	out = append(out, rows)
	if set.Weights != nil {
		out = append(out, set.Weights)
	}
	if rounds {
		for i, v := range s.logLik {
			s.logLik[i] = rounded(v)
		}
	}
	return append(out, s.logLik, s.picks, s.pixels)
}

// scoreTo scores a task, and unless path is empty writes a table, a row per image.
func (a *app) scoreTo(ctx context.Context, t *task, path, format string) (*scoreReport, error) {
	if path == "" {
		return a.score(ctx, t, nil)
	}
	rounds := isRounded(format)
	var r *scoreReport
	chunks := pushed(func(push func([]any) error) (err error) {
		r, err = a.score(ctx, t, func(part *task, s *rowScores) error { return push(s.values(part.set, rounds)) })
		return err
	})
	err := a.outputTable(path, format, rowScoreColumns(&t.source), chunks)
	if err != nil {
		return nil, err
	}
	a.carried = true // what score reports is data, and stdout is for that alone
	return r, a.wrote(path, "scores of %s", describe(r.Images, t.head()))
}
