package main

import (
	"context"
	"io"
	"math"

	"example.com/patchwork/dataset"
)

// codes holds the explanations of a chunk as a table: a row per image, a column per
// part.
type codes struct {
	codes []uint8   // how many picks a part has in a row, at most 255
	gain  []float64 // of these picks together, in nats; 0 for none
	score []float64 // log-likelihoods
}

// fill sets the codes to the explanations of a chunk by k parts.
func (t *codes) fill(c *chunk, k int) {
	n := c.to - c.from
	t.score = append(t.score[:0], c.LogLik...)
	t.codes = resized(t.codes, n*k)
	clear(t.codes)
	t.gain = resized(t.gain, n*k)
	clear(t.gain)
	for i := range n {
		for pick := c.From[i]; pick < c.From[i+1]; pick++ {
			at := i*k + int(c.Experts[pick])
			t.codes[at] = min(t.codes[at], math.MaxUint8-1) + 1
			t.gain[at] += c.Gains[pick]
		}
	}
}

// resized returns a slice of length n, with the memory of s if it is enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// codeTable makes tables of explanations.
type codeTable struct {
	format       dataset.TableFormat
	codes, gains []string // the names of the columns
	namesArray   string   // of the parts, in an .npz; "" for none
	weights      bool
}

// newCodeTable returns a table of explanations by parts of these names.
func newCodeTable(format dataset.TableFormat, parts []string, weights bool) *codeTable {
	gains := valuesBy(len(parts), func(k int) string { return parts[k] + " gain" })
	return &codeTable{format: format, codes: parts, gains: gains, weights: weights}
}

// finish prepares the rows of a chunk. Workers call it.
func (t *codeTable) finish(c *chunk) {
	c.table.fill(c, len(t.codes))
	if t.format == dataset.TableCSV {
		roundAll(c.table.gain, c.table.score)
	}
}

// answers returns the table of a chunk: the labels, the row, its weight if there are
// weights, the codes, their gains, and the log-likelihood.
func (t *codeTable) answers(c *chunk) *answers {
	out := rowAnswers(c.set, t.weights, c.from, c.to)
	if len(t.codes) > 0 {
		out.add("codes", c.table.codes, t.codes...)
		out.columns[len(out.columns)-1].BlockNames = t.namesArray
		out.add("gain", c.table.gain, t.gains...)
	}
	out.add("log_lik", c.table.score)
	return out
}

// explainTable writes a table, a row per image.
func (a *app) explainTable(ctx context.Context, w io.Writer, t *task, o *inOrder, g *gallery, table *codeTable) (n int,
	err error) {
	columns := table.answers(&chunk{set: t.head()}).distinct(table.format)
	out := dataset.Table{Format: table.format, Columns: columns, Rows: t.rows(), Workers: t.workers}
	err = out.Write(w, pushed(func(push func([]any) error) (err error) {
		n, err = a.eachChunk(ctx, t, o, g, table.finish, func(c *chunk) error { return push(table.answers(c).values) })
		return err
	}))
	return n, err
}
