package blocks

import (
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/pose"
)

// DescriptionLength returns the nats that describe a table of n rows and d columns by
// blocks, of which wrong cells are wrong: which rows and columns every block has, how many,
// and which cells are wrong. Of an exact cover that is all there is to say.
func DescriptionLength(n, d int, blocks []Block, wrong int) float64 {
	total := describe(int64(n), d, blocks, func(int) int64 { return 1 })
	if wrong > 0 {
		cells := float64(float64(n) * float64(d))
		total += elem.LogChoose(cells, float64(wrong)) + elem.Log(cells+1)
	}
	return total
}

// describe returns the nats that describe blocks of n rows, which count by weight, and d columns.
func describe(n int64, d int, blocks []Block, weight func(i int) int64) float64 {
	total := 0.0
	for _, b := range blocks {
		rows := int64(0)
		for _, i := range b.Rows {
			rows += weight(int(i))
		}
		total += elem.LogChoose(n, rows) + elem.LogChoose(d, len(b.Columns)) +
			elem.Log(float64(n+1)) + elem.Log(float64(d+1))
	}
	return total
}

// leastQ keeps the background of a model away from 0 and 1, where one new row could
// be impossible.
const leastQ = 1e-4

// Model returns the blocks as a model under the max rule: a part for each, which votes
// for its columns, (rows + q) / (rows + 1) as after one look at each of its rows, and
// abstains on others; q of a column is how often it is on where no block covers it, with
// its marginal as one row more. Rows count by their weights; nil is 1 each. Usage is the
// share of the rows in the block. The rows are images of a height, 1 for tables.
func (c *Cover) Model(m *Matrix, height int, weights []int64) (*patchwork.Model, error) {
	weight := func(i int32) int64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	total := int64(0)
	for i := range int32(m.Rows()) {
		total += weight(i)
	}
	cfg := patchwork.NewConfig(patchwork.RuleMax, height, m.Columns/height, pose.Grid{})
	cfg.QMap = c.background(m, weight, total)
	var templates [][]float64
	extras := patchwork.Extras{Record: patchwork.Record{Method: "exact", Rows: total,
		DescriptionLength: DescriptionLength(m.Rows(), m.Columns, c.Blocks, len(c.Left)+len(c.Added))}}
	for _, b := range c.Blocks {
		rows := int64(0)
		for _, i := range b.Rows {
			rows += weight(i)
		}
		t := slices.Clone(cfg.QMap)
		for _, d := range b.Columns {
			t[d] = (float64(rows) + t[d]) / float64(rows+1)
		}
		templates = append(templates, t)
		extras.Usage = append(extras.Usage, float64(rows)/float64(max(total, 1)))
	}
	if len(templates) == 0 { // a model has one part at least; this one never speaks
		templates, extras.Usage = [][]float64{slices.Clone(cfg.QMap)}, []float64{0}
	}
	model, err := patchwork.NewModel(cfg, templates)
	if err != nil {
		return nil, err
	}
	return model.WithExtras(extras)
}

// background returns the abstention value of every column.
func (c *Cover) background(m *Matrix, weight func(int32) int64, total int64) []float64 {
	on, seen, ones := make([]float64, m.Columns), make([]float64, m.Columns), make([]float64, m.Columns)
	for d := range seen {
		seen[d] = float64(total)
	}
	for i := range int32(m.Rows()) {
		for _, d := range m.either(int(i)) {
			seen[d] -= float64(weight(i))
		}
		for _, d := range m.Ones[i] {
			ones[d] += float64(weight(i))
		}
	}
	q := make([]float64, m.Columns)
	for d := range q {
		q[d] = ones[d] / max(seen[d], 1) // the marginal
	}
	for d, v := range ones {
		seen[d] -= v // of those that no block covers: zeros, and what is left over
	}
	for _, cell := range c.Left {
		on[cell.Column] += float64(weight(cell.Row))
		seen[cell.Column] += float64(weight(cell.Row))
	}
	for _, cell := range c.Added {
		seen[cell.Column] -= float64(weight(cell.Row))
	}
	for d := range q {
		q[d] = min(max((on[d]+q[d])/(max(seen[d], 0)+1), leastQ), 1-leastQ)
	}
	return q
}
