package blocks

import (
	"context"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
)

// The work that learners may spend on blocks, and how many blocks they take: a table with
// noise has a great many, and is not for exact blocks.
const (
	startFewest   = 20_000_000
	startCheapest = 10_000_000
	startBlocks   = 128

	// cellSteps is how much of this work a cell is worth: rows by the dozen are covered at once.
	cellSteps = 2_000
	// hopeless is how much longer than the ones alone the fewest blocks may be, for the
	// cheapest to be looked for: these are rarely shorter, and then by up to 6 % (10 to
	// 150 rows of 12 and 24 columns, none to 20 % of the cells flipped).
	hopeless = 1.1
)

// Start returns the fewest or the cheapest blocks of a table, whichever describe it more
// briefly, as a model under the max rule, for a learner to compare with its own, and the
// nats that describe the table by them; see [DescriptionLength]. It returns nil if the data have unknown bits, if the
// blocks are no
// shorter than the ones alone, or if there are too many of them. The work is bounded, and
// the result is the same for any number of workers; it ends early with the context's error.
func Start(ctx context.Context, data patchwork.Data, seed uint64, workers int) (*patchwork.Model, float64, error) {
	rows, ink := int64(0), int64(0)
	for i, img := range data.Images {
		if !img.Complete() {
			return nil, 0, ctx.Err()
		}
		rows, ink = rows+data.Weight(i), ink+data.Weight(i)*int64(img.CountOn())
	}
	if ink == 0 || len(data.Images) == 0 {
		return nil, 0, ctx.Err()
	}
	m := Of(data.Images)
	c, length, err := briefest(ctx, m, data, Options{Seed: seed, Workers: workers, fewestSteps: startFewest,
		fewestBlocks: startBlocks},
		elem.LogChoose(float64(rows)*float64(m.Columns), float64(ink)))
	if err != nil || c == nil || ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	weights := make([]int64, len(data.Images))
	for i := range weights {
		weights[i] = data.Weight(i)
	}
	model, err := c.Model(m, data.Images[0].Height(), weights)
	return model, length, err
}

// briefest returns the fewest or the cheapest blocks of a table that data have, whichever
// describe it more briefly, and the nats of that; nil if the ones alone, at the given nats,
// are no longer, or if there are too many blocks.
func briefest(ctx context.Context, m *Matrix, data patchwork.Data, opt Options, alone float64) (*Cover, float64,
	error) {
	rows := int64(0)
	for i := range data.Images {
		rows += data.Weight(i)
	}
	c, err := Find(ctx, m, opt)
	if err != nil || c == nil {
		return nil, 0, err
	}
	length := describe(rows, m.Columns, c.Blocks, data.Weight)
	if length >= hopeless*alone || ctx.Err() != nil {
		return nil, 0, nil
	}
	opt.Cheapest, opt.Steps = true, min(startCheapest, cellSteps*int64(len(data.Images))*int64(m.Columns))
	cheapest, err := Find(ctx, m, opt)
	if err != nil {
		return nil, 0, err
	}
	if l := describe(rows, m.Columns, cheapest.Blocks, data.Weight); l < length {
		c, length = cheapest, l
	}
	if length >= alone {
		return nil, 0, nil
	}
	return c, length, nil
}
