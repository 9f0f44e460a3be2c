package blocks

import (
	"context"
	"math"

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

// Describe returns the nats that describe data by what a model makes of them: the blocks of
// rows with a part and columns that it votes for, as far as it says more than 1/2, and the
// cells that are wrong then. Active lists the parts of each row's best explanation. It
// compares a learned model with the one of Start.
func Describe(data patchwork.Data, m *patchwork.Model, active func(i int) []int) float64 {
	parts := make([][]int32, m.K()) // columns
	for k := range parts {
		for d, v := range m.Template(k) {
			if v > 0.5 && v > m.Abstention(d) {
				parts[k] = append(parts[k], int32(d))
			}
		}
	}
	taken := make([]Block, m.K())
	rows, wrong := int64(0), int64(0)
	width := m.Height() * m.Width()
	for i, img := range data.Images {
		p := make([]bool, width)
		for d := range p {
			p[d] = m.Abstention(d) > 0.5
		}
		for _, k := range active(i) {
			taken[k].Rows = append(taken[k].Rows, int32(i))
			for _, d := range parts[k] {
				p[d] = true
			}
		}
		for d, on := range img.AppendBytes(nil) {
			if p[d] != (on != 0) {
				wrong += data.Weight(i)
			}
		}
		rows += data.Weight(i)
	}
	var all []Block
	for k, b := range taken {
		if len(b.Rows) > 0 && len(parts[k]) > 0 {
			all = append(all, Block{b.Rows, parts[k]})
		}
	}
	length := describe(rows, width, all, data.Weight)
	if wrong > 0 {
		cells := float64(rows) * float64(width)
		length += logChoose(cells, float64(wrong)) + math.Log(cells+1)
	}
	return length
}
