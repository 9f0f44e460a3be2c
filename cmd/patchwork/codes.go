package main

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
)

// codes holds the explanations of a chunk as a table: a row per image, a column per
// part.
type codes struct {
	rows  []int64   // number of each row in the input, from 1
	codes []uint8   // how many picks a part has in a row, at most 255
	gain  []float64 // of these picks together, in nats; 0 for none
	score []float64 // log-likelihoods
}

// fill sets the codes to the explanations of a chunk by k parts.
func (t *codes) fill(c *chunk, k int) {
	n := c.to - c.from
	t.score = append(t.score[:0], c.LogLik...)
	t.rows = resized(t.rows, n)
	t.codes = resized(t.codes, n*k)
	clear(t.codes)
	t.gain = resized(t.gain, n*k)
	clear(t.gain)
	for i := range n {
		t.rows[i] = int64(row(c.set, c.from+i)) + 1
		for pick := c.From[i]; pick < c.From[i+1]; pick++ {
			at := i*k + int(c.Experts[pick])
			t.codes[at] = min(t.codes[at], math.MaxUint8-1) + 1
			t.gain[at] += c.Gains[pick]
		}
	}
}

// round rounds all numbers as people read them.
func (t *codes) round() {
	for _, list := range [][]float64{t.gain, t.score} {
		for i, v := range list {
			if v != 0 {
				list[i] = rounded(v)
			}
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

// codeTable says which columns a table of explanations has.
type codeTable struct {
	format  dataset.TableFormat
	parts   int
	weights bool
	columns []dataset.TableColumn
}

// partsArray is the array of the names of the parts in an .npz.
const partsArray = "parts"

// newCodeTable returns the columns: the labels, the row, its weight if there are
// weights, the codes, their gains, and the log-likelihood.
func newCodeTable(format dataset.TableFormat, m *patchwork.Model, s *source) *codeTable {
	t := &codeTable{format: format, parts: m.K(), weights: s.weighted()}
	parts := partNames(m)
	columns, labels := rowColumns(s)
	columns = append(columns,
		dataset.TableColumn{Name: "codes", Type: dataset.ColumnByte, Block: parts, BlockNames: partsArray},
		dataset.TableColumn{Name: "gain", Type: dataset.ColumnFloat, Block: suffixed(parts, " gain")})
	t.columns = append(columns, dataset.TableColumn{Name: "log_lik", Type: dataset.ColumnFloat})
	distinctNames(t.columns, 0, labels, format == dataset.TableNPZ)
	return t
}

// rowColumns returns the columns that say which row of the input a row of a table is
// of: its labels, of which it returns the number, then its number, and its weight if
// there are weights.
func rowColumns(s *source) (columns []dataset.TableColumn, labels int) {
	for _, c := range s.head().Meta {
		columns = append(columns, c.TableColumn())
	}
	labels = len(columns)
	columns = append(columns, dataset.TableColumn{Name: "row", Type: dataset.ColumnInt})
	if s.weighted() {
		columns = append(columns, dataset.TableColumn{Name: "weight", Type: dataset.ColumnInt})
	}
	return columns, labels
}

// partNames returns what the parts are called: their names, else part 1, part 2, ...
func partNames(m *patchwork.Model) []string {
	names := make([]string, m.K())
	for k := range names {
		names[k] = words.Name(m, k)
	}
	return names
}

func suffixed(names []string, suffix string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = name + suffix
	}
	return out
}

// distinctNames makes the names of columns distinct by underscores at their end. Names
// that programs rely on stay; then come the labels, columns [from, to), of which anything
// can be the name, then the parts. Arrays says that a block is one array, as in an .npz,
// where its columns have no names.
func distinctNames(columns []dataset.TableColumn, from, to int, arrays bool) {
	taken := map[string]bool{}
	free := func(name string) string {
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		return name
	}
	for i, c := range columns {
		if (i < from || i >= to) && (c.Block == nil || arrays) {
			taken[c.Name] = true
			if c.BlockNames != "" {
				taken[c.BlockNames] = true
			}
		}
	}
	for i := from; i < to; i++ {
		columns[i].Name = free(columns[i].Name)
	}
	if arrays {
		return
	}
	for _, c := range columns {
		for k, name := range c.Block {
			c.Block[k] = free(name)
		}
	}
}

// finish prepares the rows of a chunk. Workers call it.
func (t *codeTable) finish(c *chunk) {
	c.table.fill(c, t.parts)
	if t.format == dataset.TableCSV {
		c.table.round()
	}
}

// values returns the columns of a chunk.
func (t *codeTable) values(c *chunk) []any {
	var out []any
	for _, m := range c.set.Meta {
		out = append(out, valuesOf(m, c.from, c.to))
	}
	out = append(out, c.table.rows)
	if t.weights {
		out = append(out, c.set.Weights[c.from:c.to])
	}
	return append(out, c.table.codes, c.table.gain, c.table.score)
}

// valuesOf returns values [from, to) of a metadata column.
func valuesOf(c dataset.Column, from, to int) any {
	switch v := c.Values.(type) {
	case []int64:
		return v[from:to]
	case []float64:
		return v[from:to]
	}
	return c.Values.([]string)[from:to]
}

// explainTable writes a table, a row per image.
func (a *app) explainTable(ctx context.Context, w io.Writer, t *task, o *inOrder, g *gallery, table *codeTable) (n int,
	err error) {
	out := dataset.Table{Format: table.format, Columns: table.columns, Rows: t.rows(), Workers: t.workers}
	err = out.Write(w, pushed(func(push func([]any) error) (err error) {
		n, err = a.eachChunk(ctx, t, o, g, table.finish, func(c *chunk) error { return push(table.values(c)) })
		return err
	}))
	return n, err
}

// pushed turns a function that pushes chunks of a table into a sequence of them. Its
// push returns an error if no more are wanted.
func pushed(produce func(push func([]any) error) error) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		err := produce(func(chunk []any) error {
			if !yield(chunk, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

// errStopped says that a writer wants no more rows; it has an error of its own.
var errStopped = errors.New("stopped")

// outputTable writes a table of answers without blocks in a format of outputFormats:
// lines of JSON, or one that package dataset writes.
func (a *app) outputTable(path, format string, columns []dataset.TableColumn, chunks iter.Seq2[[]any, error]) error {
	return a.output(path, func(w io.Writer) error {
		if kind, ok := isTable(format); ok {
			return dataset.WriteTable(w, kind, columns, chunks)
		}
		return writeRows(w, columns, chunks)
	})
}

// isRounded reports whether a format is one of text, whose numbers are rounded.
func isRounded(format string) bool {
	kind, ok := isTable(format)
	return !ok || kind == dataset.TableCSV
}

// isTable reports whether a format of outputFormats is that of a table, and which.
func isTable(format string) (dataset.TableFormat, bool) {
	f, err := dataset.TableFormatOf("x" + format)
	return f, err == nil
}
