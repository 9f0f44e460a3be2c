package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"sync"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
)

// chunk holds consecutive images of a set, their explanations, and what was made of
// them for the output. Its memory is used again.
type chunk struct {
	patchwork.Explanations
	set      *dataset.Set
	from, to int

	text  []byte // of outputs that are text
	table codes  // of outputs that are tables
	err   error
}

// at returns the explanation of image i of the set.
func (c *chunk) at(i int) patchwork.Explanation { return c.At(i - c.from) }

// inOrder explains images on several goroutines and yields them in the order of the
// input, a chunk at a time. The pursuits serve one part of a task after the other.
type inOrder struct {
	pursuits []*patchwork.Pursuit // one for each worker
	most     int                  // images of a chunk
}

// Bounds of a chunk: where parts do not move, as many images as the pursuit explains
// together, and fewer where few are to be divided among workers or there are many
// parts; else so few that an interruption need not wait.
const (
	chunkMost, chunkLeast = 8192, 16
	chunkCells            = 1 << 20 // images times parts
)

func newInOrder(t *task) (*inOrder, error) {
	first, err := patchwork.NewPursuit(t.model, t.opt)
	if err != nil {
		return nil, request(err)
	}
	o := &inOrder{pursuits: []*patchwork.Pursuit{first}, most: chunkLeast}
	if c := t.model.Config(); !c.Scene && c.Poses.Len() == 1 {
		o.most = max(chunkLeast, min(chunkMost, chunkCells/t.model.K()))
	}
	for range t.workers - 1 {
		o.pursuits = append(o.pursuits, first.Fork())
	}
	return o, nil
}

// chunks yields the images of a set, explained. The workers call finish with every
// chunk, to prepare the output. A chunk is valid until the next one. At most two
// chunks for each worker are in memory.
func (o *inOrder) chunks(ctx context.Context, set *dataset.Set, finish func(*chunk)) iter.Seq2[*chunk, error] {
	return func(yield func(*chunk, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		size := min(max(chunkLeast, set.Len()/64), o.most)
		most := 2 * len(o.pursuits)
		spare, order := make(chan *chunk, most), make(chan chan *chunk, most)
		for range most {
			spare <- new(chunk)
		}
		idle := make(chan *patchwork.Pursuit, len(o.pursuits))
		for _, p := range o.pursuits {
			idle <- p
		}
		var team sync.WaitGroup
		team.Go(func() {
			defer close(order)
			for from := 0; from < set.Len() && ctx.Err() == nil; from += size {
				select {
				case c := <-spare:
					c.set, c.from, c.to = set, from, min(from+size, set.Len())
					p, done := <-idle, make(chan *chunk, 1)
					order <- done // there is room for as many as there are chunks
					team.Go(func() {
						if c.err = p.ExplainAll(set.Images[c.from:c.to], &c.Explanations); c.err == nil {
							finish(c)
						}
						idle <- p
						done <- c
					})
				case <-ctx.Done():
				}
			}
		})
		defer team.Wait()
		defer cancel()
		for done := range order {
			c := <-done
			switch {
			case ctx.Err() != nil:
			case c.err != nil:
				yield(nil, request(fmt.Errorf("%s: %w", set.Source, c.err)))
				return
			case !yield(c, nil):
				return
			}
			spare <- c
		}
		if ctx.Err() != nil {
			yield(nil, context.Cause(ctx))
		}
	}
}

// eachChunk explains a task and calls do with every chunk in turn, after finish. The
// gallery gets what it shows. It returns the number of images.
func (a *app) eachChunk(ctx context.Context, t *task, o *inOrder, g *gallery, finish func(*chunk),
	do func(*chunk) error) (int, error) {
	return a.inParts(ctx, t, func(part *task) error {
		for c, err := range o.chunks(ctx, part.set, finish) {
			if err != nil {
				return err
			}
			g.putAll(part.first, c)
			if err := do(c); err != nil {
				return err
			}
			part.bar.add(c.to - c.from)
		}
		return nil
	})
}

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
	t.codes = append(t.codes[:0], make([]uint8, n*k)...)
	t.gain = append(t.gain[:0], make([]float64, n*k)...)
	for i := range n {
		for pick := c.From[i]; pick < c.From[i+1]; pick++ {
			at := i*k + int(c.Experts[pick])
			t.codes[at] = min(t.codes[at], math.MaxUint8-1) + 1
			t.gain[at] += c.Gains[pick]
		}
	}
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
	out := dataset.Table{Format: table.format, Columns: columns, Rows: t.rows()}
	err = out.Write(w, pushed(func(push func([]any) error) (err error) {
		n, err = a.eachChunk(ctx, t, o, g, table.finish, func(c *chunk) error { return push(table.answers(c).values) })
		return err
	}))
	return n, err
}
