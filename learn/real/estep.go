package real

import (
	"context"
	"fmt"
	"iter"
	"math"

	"example.com/patchwork/internal/exact"
	"example.com/patchwork/internal/pool"
)

// Source yields data in blocks, any number of times, all of one size and with the same scales: [Data], or a [Stream].
// A block is used until the next one is asked for.
type Source interface {
	Blocks(ctx context.Context) iter.Seq2[*Data, error]
}

// Blocks yields the data, as one block.
func (d *Data) Blocks(context.Context) iter.Seq2[*Data, error] {
	return func(yield func(*Data, error) bool) { yield(d, nil) }
}

// explained is what an E-step finds: the counts, and of data in memory the picks of each row as candidates.
type explained struct {
	bank  *bank
	picks [][]int
	tally *Tally
}

// EStep explains data by a model and returns the counts. They are the same for any number of workers and any blocks,
// and those of parts of the data add up to those of all. The error is the source's or the context's, or says what does
// not fit.
func EStep(ctx context.Context, m *Model, src Source, workers int) (*Tally, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	c, rows := newCounter(m, workers), 0
	for data, err := range src.Blocks(ctx) {
		if err != nil {
			return nil, err
		}
		if err := m.checkData(data, rows); err != nil {
			return nil, err
		}
		if err := c.count(ctx, data, nil); err != nil {
			return nil, err
		}
		rows += len(data.Rows)
	}
	return c.tally()
}

// checkData returns an error that names a row, of those after the first ones, that does not fit a model, or nil.
func (m *Model) checkData(data *Data, first int) error {
	if data.Height != m.Height || data.Width != m.Width || len(data.Scales) != m.D() {
		return fmt.Errorf("real: data of %d x %d values with %d scales, the model has %d x %d pixels", data.Height,
			data.Width, len(data.Scales), m.Height, m.Width)
	}
	for i, row := range data.Rows {
		err := m.CheckImage(row)
		for d := 0; d < len(row) && err == nil; d++ {
			err = data.Scales[d].check(d, row[d])
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", first+i+1, err)
		}
	}
	return nil
}

// counter explains and counts data by one model, block by block.
type counter struct {
	bank  *bank
	hands []*hand
}

// newCounter returns a counter for a valid model.
func newCounter(m *Model, workers int) *counter {
	c := &counter{bank: newBank(m)}
	for range max(workers, 1) {
		c.hands = append(c.hands, nil)
	}
	return c
}

// count counts data that fit the model. If each is not nil, it is called for every row, in no order, with its picks.
func (c *counter) count(ctx context.Context, data *Data, each func(i int, picks []int)) error {
	_, err := pool.Run(ctx, len(data.Rows), len(c.hands), pool.Chunk, func(w, i int) error {
		if c.hands[w] == nil {
			m := c.bank.m
			c.hands[w] = &hand{newPursuit(c.bank), NewTally(m), make([]int64, m.D())}
		}
		picks := c.hands[w].explain(data, i)
		if each != nil {
			each(i, picks)
		}
		return nil
	})
	return err
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

// hand is what one worker needs.
type hand struct {
	p       *Pursuit
	t       *Tally
	numbers []int64
}

// explain explains and counts row i, and returns its picks.
func (h *hand) explain(data *Data, i int) (picks []int) {
	row := data.Rows[i]
	h.begin(data, row)
	e, _ := h.p.Explain(row) // the row was checked
	h.t.credit(h.p.f, h.numbers, Unit)
	h.t.LogJoint += nats(e.LogJoint)
	return append(picks, h.p.f.picks...)
}

// begin counts a row itself.
func (h *hand) begin(data *Data, row []float64) {
	h.t.Images++
	for d, x := range row {
		h.numbers[d] = data.Scales[d].number(x)
		if !math.IsNaN(x) {
			h.t.All[d].add(h.numbers[d], Unit)
		}
	}
}

// again counts row i by picks that were found before.
func (h *hand) again(data *Data, i int, picks []int) {
	row := data.Rows[i]
	h.begin(data, row)
	f := h.p.f
	f.load(row)
	for _, c := range picks {
		f.add(c, false)
	}
	h.t.credit(f, h.numbers, Unit)
	h.t.LogJoint += nats(h.p.result(nil).LogJoint)
}

// nats returns a log-likelihood in fixed point.
func nats(joint float64) int64 { return int64(math.Round(joint * exact.NatsUnit)) }
