package real

import (
	"context"

	"example.com/patchwork/internal/recall"
	"example.com/patchwork/internal/wire"
)

// Memory keeps what the steps of a run came to, so that a run that was interrupted need not take them again. Recall
// returns the value of a key; ok is false where it was not kept. Keep keeps the value of a key. Both are called
// by one goroutine.
type Memory = recall.Memory

// step is what errors of a memory call a step.
const step = "a step"

// key names a result of explaining data, by all of a model that it depends on, and more values.
func key(m *Model, more ...any) string {
	return recall.Key(m.Height, m.Width, m.FrameHeight, m.FrameWidth, m.Rule, m.Tau, m.Poses, m.Reuse, m.Background,
		m.Scales, m.Experts, m.Pi, more)
}

// estep is EStep for a valid model and the learner's data.
func (l *learner) estep(m *Model) (*explained, error) {
	name := func() string { return key(m, "explain", l.stream != nil) }
	if l.stream != nil {
		t, err := recall.Or(l.o.Memory, step, name, func(c *wire.Codec, t *Tally) {
			t.code(c)
			c.Check(t.fits(m), "a tally of another model")
		}, func() (*Tally, error) {
			return EStep(l.ctx, m, l.stream, l.o.Workers)
		})
		return &explained{tally: t}, err
	}
	out, err := recall.Or(l.o.Memory, step, name, func(c *wire.Codec, out *explained) { l.codePicks(c, out, m) },
		func() (*explained, error) { return estep(l.ctx, m, l.data, l.o.Workers) })
	if err == nil && out.tally == nil {
		return l.replay(m, out.picks)
	}
	return out, err
}

// estep explains and counts data in memory.
func estep(ctx context.Context, m *Model, data *Data, workers int) (*explained, error) {
	c := newCounter(m, workers)
	out := &explained{bank: c.bank, picks: make([][]int, len(data.Rows))}
	err := c.count(ctx, data, func(i int, picks []int) { out.picks[i] = picks })
	if err != nil {
		return nil, err
	}
	out.tally, err = c.tally()
	return out, err
}

// replay counts the data by picks that were kept.
func (l *learner) replay(m *Model, picks [][]int) (*explained, error) {
	c := newCounter(m, 1)
	h := &hand{newPursuit(c.bank), NewTally(m), make([]int64, m.D())}
	for i := range picks {
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		h.again(l.data, i, picks[i])
	}
	return &explained{c.bank, picks, h.t}, nil
}

// codePicks writes the picks of all rows, or reads those of a model.
func (l *learner) codePicks(c *wire.Codec, out *explained, m *Model) {
	wire.List(c, &out.picks, len(l.data.Rows))
	for i := range out.picks {
		row := &out.picks[i]
		n := len(*row)
		wire.Count(c, &n, uint64(m.K()*m.Poses.Len()))
		wire.List(c, row, n)
		wire.Counts(c, *row, uint64(m.K()*m.Poses.Len()-1))
	}
}

// grown is an expert that a grower found; its entries are nil if none pays.
type grown struct {
	entries []Entry
	pi      float64
}

// code writes it, or reads one of that many entries or none.
func (g *grown) code(c *wire.Codec, entries int) {
	c.Float(&g.pi)
	if c.Reading() && c.Left() > 0 {
		wire.List(c, &g.entries, entries)
	}
	for i := range g.entries {
		e := &g.entries[i]
		wire.Fixed(c, &e.Vote, 1)
		c.Float(&e.Mean)
		c.Float(&e.Var)
	}
	c.Check(g.pi >= 0 && g.pi <= 1 && (g.entries != nil || g.pi == 0), "a part of no model")
}
