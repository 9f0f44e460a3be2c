package mixed

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/internal/draw"
)

const (
	streamSample = 20000
	streamSeed   = 5 << 32
)

// LearnStream learns a model of rows that need not fit in memory: as [Learn] of a uniform sample of at most so many of
// them, 0 for the usual number, and then all of them shape it, as by [Refine]. If the sample has all, the model is that
// of Learn. If the context ends, the best model so far stands beside its error.
func LearnStream(ctx context.Context, src Source, most int, o Options) (*Model, error) {
	sample, rows, err := drawn(ctx, src, cmp.Or(most, streamSample), o.Seed)
	if err != nil {
		return nil, err
	}
	m, err := Learn(ctx, sample, o)
	if err != nil || rows == len(sample.Rows) {
		return m, err
	}
	m.Record.Sample = cmp.Or(m.Record.Sample, len(sample.Rows))
	all, err := Refine(ctx, m, src, lastSteps, o.Workers)
	if err != nil {
		return m, err
	}
	return all, nil
}

// drawn reads rows once, and returns a uniform sample of them, in their order, and how many there are.
func drawn(ctx context.Context, src Source, most int, seed uint64) (out *Data, rows int, err error) {
	type row struct {
		values []float64
		weight int64
	}
	out = new(Data)
	sample := draw.NewSample[row](most, rand.New(rand.NewPCG(seed, streamSeed)))
	for block, err := range src.Blocks(ctx) {
		if err != nil {
			return nil, 0, err
		}
		out.Fields, out.Unit = block.Fields, block.Unit
		for i, values := range block.Rows {
			sample.Add(func() row { return row{slices.Clone(values), block.weight(i)} })
		}
	}
	for _, r := range sample.Items() {
		out.Rows, out.Weights = append(out.Rows, r.values), append(out.Weights, r.weight)
	}
	return out, sample.Seen(), ctx.Err()
}
