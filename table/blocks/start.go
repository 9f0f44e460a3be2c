package blocks

import (
	"context"

	"example.com/patchwork"
)

// The work that learners may spend on blocks, and how many blocks they take: a table with
// noise has a great many, and is not for exact blocks.
const (
	startFewest   = 20_000_000
	startCheapest = 10_000_000
	startBlocks   = 128
)

// Start returns the cheapest blocks of a table as a model under the max rule, for a learner
// to compare with its own, and the nats that describe the table by them; see
// [DescriptionLength]. It returns nil if the data have unknown bits, if the blocks are no
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
	c, err := Find(ctx, m, Options{Cheapest: true, Seed: seed, Steps: startCheapest, Workers: workers, fewestSteps: startFewest, fewestBlocks: startBlocks})
	if err != nil || c == nil || ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	length := describe(rows, m.Columns, c.Blocks, data.Weight)
	if alone := logChoose(float64(rows)*float64(m.Columns), float64(ink)); length >= alone {
		return nil, 0, nil
	}
	weights := make([]int64, len(data.Images))
	for i := range weights {
		weights[i] = data.Weight(i)
	}
	model, err := c.Model(m, data.Images[0].Height(), weights)
	return model, length, err
}
