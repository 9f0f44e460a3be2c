package main

import (
	"context"
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn"
	"example.com/patchwork/posterior"
)

// allRows is what is found out about all rows of a table of which a sample was learned.
type allRows struct {
	rows   int64   // weights counted
	logLik float64 // under the model, by the best explanations
	pixels float64 // known ones
}

// sampleRows puts a uniform sample of the rows of a stream, as many as fit in the
// memory, in the place of the data.
func (a *app) sampleRows(ctx context.Context, f *learnFlags, s *source, l *learning) error {
	n := f.Recipe.Fitting(s.head().Size())
	a.sayStreaming(s, f.data.memory,
		fmt.Sprintf("learning from a uniform sample of %d rows at most, and judging the parts by all", n))
	src := &feed{stream: s.stream, bar: a.progress("row", 0)}
	defer src.bar.stop()
	data, of, err := learn.Sample(ctx, src, n, f.Seed)
	if err != nil {
		return err
	}
	l.data, l.images, l.pixels, l.sampled = data, len(data.Images), knownPixels(data, false), of
	return nil
}

// judgeAll explains all rows of a stream by the model that was learned from a sample.
func (a *app) judgeAll(ctx context.Context, f *learnFlags, s *source, l *learning) error {
	src := &feed{stream: s.stream, bar: a.progress("row", 0)}
	defer src.bar.stop()
	tally, err := patchwork.EStep(ctx, l.model, src, patchwork.PursuitOptions{Costs: posterior.PickCosts(l.model)},
		f.Workers, nil)
	if err != nil {
		return request(err)
	}
	l.all = &allRows{tally.Rows(), tally.LogLik(), src.pixels}
	return nil
}

// allLines says how well all rows are explained, beside those of the sample.
func (l *learning) allLines() []string {
	if l.sampled <= l.images {
		return nil
	}
	out := []string{fmt.Sprintf("learned from a uniform sample of %s of %d, as many as --memory allows",
		words.Count(l.images, "row"), l.sampled)}
	if l.all != nil && l.all.rows > 0 {
		logLik := l.all.logLik
		if math.IsInf(logLik, -1) {
			return append(out, "some of the other rows are impossible under the model; patchwork score says how many")
		}
		out = append(out, fmt.Sprintf(
			"all %d rows: log-likelihood %.3f per row, %.5f per cell, by the best explanations (nats)",
			l.all.rows, logLik/float64(l.all.rows), logLik/l.all.pixels))
	}
	return out
}
