package report

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
)

// Missing is what the model predicts for the cells that are unknown.
type Missing struct {
	Cells int64 `json:"cells"` // that are unknown; rows of weight above 1 counted once
	Rows  int   `json:"rows"`  // that have one
	// rows of these whose cells were predicted, drawn at random; as many if they are few
	Sample   int      `json:"sample"`
	Sampled  int64    `json:"predicted"` // cells in them
	Bins     [10]int  `json:"bins"`      // predictions from 0 to 0.1, 0.1 to 0.2, ...
	Likely   []Cell   `json:"likely"`
	Doubtful []Cell   `json:"doubtful"`
	By       []Filled `json:"by_column"`

	all []Cell // by row
}

// Cell is an unknown cell and the probability that it is on.
type Cell struct {
	Row         int     `json:"row"`
	Name        string  `json:"row_name"`
	Column      string  `json:"column"`
	Probability float64 `json:"probability"`

	at, column int
}

// Filled is a column with unknown cells: how many there are, how many of them are
// expected to be on, and the share of the known ones that are.
type Filled struct {
	Column   string  `json:"column"`
	Missing  int     `json:"missing"`
	Expected float64 `json:"expected_on"`
	Share    Number  `json:"share_of_known"`
}

const (
	listedCells   = 10     // shown of each kind
	predictedRows = 20_000 // at most
)

// missing predicts the unknown cells of a table from the other cells of their rows.
func (b *builder) missing(ctx context.Context) error {
	if !b.set.Table || b.r.Unknown == 0 {
		return nil
	}
	var gaps []int
	for i, img := range b.set.Images {
		if img.CountKnown() < img.Len() {
			gaps = append(gaps, i)
		}
	}
	all, most := len(gaps), min(max(workOfMissing/(b.m.Width()*b.m.K()), fewestRefitRows), predictedRows)
	if all > most {
		rng := source(b.opt.Seed, "missing", 0)
		rng.Shuffle(all, func(i, j int) { gaps[i], gaps[j] = gaps[j], gaps[i] })
		gaps = gaps[:most]
		slices.Sort(gaps)
	}
	images := rows.Part(b.set.Data, gaps).Images
	found := make([][]Cell, len(gaps))
	step := b.counter("predicting", len(gaps))
	groups := posterior.Exclusive(b.set.Exclusive())
	err := posterior.Predict(ctx, b.m, images, posterior.Options{}, b.opt.Workers,
		func(i int, p []float64, _ *posterior.Posterior) {
			groups.Normalize(p, images[i])
			for j, known := range images[i].AppendKnown(nil) {
				if known == 0 {
					found[i] = append(found[i], Cell{Row: b.row(gaps[i]), Column: b.names[j], Probability: p[j], at: gaps[i],
						column: j})
				}
			}
			step()
		})
	if err != nil {
		return err
	}
	b.r.Missing = b.fill(slices.Concat(found...))
	b.r.Missing.Rows, b.r.Missing.Sample = all, len(gaps)
	return nil
}

// fill sorts the predictions.
func (b *builder) fill(cells []Cell) *Missing {
	m := &Missing{Cells: b.r.Unknown, Sampled: int64(len(cells))}
	by := make([]Filled, b.r.Width)
	for _, c := range cells {
		m.Bins[min(int(c.Probability*10), 9)]++
		by[c.column].Missing++
		by[c.column].Expected += c.Probability
	}
	for j, f := range by {
		if f.Missing > 0 {
			f.Column, f.Share = b.names[j], ratio(b.on[j], b.seen[j])
			m.By = append(m.By, f)
		}
	}
	m.Likely = b.first(cells, func(c Cell) float64 { return -c.Probability })
	m.Doubtful = b.first(cells, func(c Cell) float64 { return math.Abs(c.Probability - 0.5) })
	m.all = cells
	for i := range m.all {
		m.all[i].Name = b.rowName(m.all[i].at)
	}
	return m
}

// first returns the cells with the smallest keys, the earliest of equals.
func (b *builder) first(cells []Cell, key func(Cell) float64) []Cell {
	order := slices.Clone(cells)
	slices.SortStableFunc(order, func(x, y Cell) int { return cmp.Compare(key(x), key(y)) })
	order = slices.Clone(order[:min(len(order), listedCells)])
	for i := range order {
		order[i].Name = b.rowName(order[i].at)
	}
	return order
}
