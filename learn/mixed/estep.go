package mixed

import (
	"context"
	"iter"

	"example.com/patchwork/internal/pool"
)

// Source yields data in blocks, any number of times, all of the same fields. A block is used until the next is asked
// for.
type Source interface {
	Blocks(ctx context.Context) iter.Seq2[*Data, error]
}

// Blocks yields the data, as one block.
func (d *Data) Blocks(context.Context) iter.Seq2[*Data, error] {
	return func(yield func(*Data, error) bool) { yield(d, nil) }
}

// EStep explains data by a model and returns the counts: the same for any number of workers and any blocks, and those
// of parts of the data add up to those of all. The error is the source's or the context's, or names a cell.
func EStep(ctx context.Context, m *Model, src Source, workers int) (*Tally, error) {
	c := newCounter(m, nil, 1, workers)
	for data, err := range src.Blocks(ctx) {
		if err == nil {
			err = data.check()
		}
		if err != nil {
			return nil, err
		}
		codes := make([][]float64, len(data.Rows))
		for i, row := range data.Rows {
			codes[i] = m.Code(row)
		}
		c.weights, c.unit = data.Weights, data.unit()
		if _, err := c.count(ctx, codes); err != nil {
			return nil, err
		}
	}
	return c.tally()
}

// counter explains and counts rows by one model.
type counter struct {
	bank    *bank
	hands   []*hand
	weights []int64 // of the rows, nil if each is 1
	unit    int64
}

// hand is what one worker needs.
type hand struct {
	p  *pursuit
	t  *Tally
	in *presence
}

func newCounter(m *Model, weights []int64, unit int64, workers int) *counter {
	return &counter{newBank(m), make([]*hand, max(workers, 1)), weights, unit}
}

// count counts rows of codes, and returns the best set of each.
func (c *counter) count(ctx context.Context, codes [][]float64) (best []uint64, err error) {
	best = make([]uint64, len(codes))
	_, err = pool.Run(ctx, len(codes), len(c.hands), pool.Chunk, func(w, i int) error {
		if c.hands[w] == nil {
			c.hands[w] = &hand{newPursuit(c.bank), NewTally(c.bank.m), newPresence(len(c.bank.m.Parts))}
			c.hands[w].t.Unit = c.unit
		}
		h := c.hands[w]
		sets, evidence := h.p.explain(codes[i])
		weight := int64(1)
		if c.weights != nil {
			weight = c.weights[i]
		}
		h.t.row(c.bank, codes[i], weight, sets, evidence, h.in)
		best[i] = sets[0].set
		return nil
	})
	return best, err
}

// tally returns the counts so far.
func (c *counter) tally() (*Tally, error) {
	out := NewTally(c.bank.m)
	for _, h := range c.hands {
		if h == nil {
			continue
		}
		if err := out.Merge(h.t); err != nil {
			return nil, err
		}
	}
	return out, nil
}
