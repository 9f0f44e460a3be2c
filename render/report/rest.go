package report

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
)

const (
	surpriseBelow = 0.2 // a cell is a surprise if the model gave it less
	surprisesRow  = 6   // kept of each row
)

// rest computes what the parts leave unexplained, by row and by column. Every cell is
// compared with what the parts of its row's explanation compose, which have seen it.
func (b *builder) rest(ctx context.Context) error {
	n := b.r.Width
	var composed patchwork.Composition
	b.r.ByRow, b.r.ByColumn = make([]Row, b.set.Len()), []Column{}
	lost := make([]float64, n)
	step := b.counter("comparing", b.set.Len())
	var err error
	b.cells(func(i int, on, known []uint8) {
		step()
		if i%1024 == 0 && err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return
		}
		b.r.ByRow[i] = b.rowOf(i, b.set.Images[i].CountKnown())
		r := &b.r.ByRow[i]
		img := b.set.Images[i]
		composed.Join(b.m, img.Height(), img.Width(), b.found[i].Picks)
		q, sum := 0.0, 0.0
		for j := range on {
			if known[j] == 0 {
				continue
			}
			q = b.m.Abstention(j)
			p := min(max(composed.High[j]+composed.Low[j]-q, 0), 1)
			l := loss(on[j] != 0, p)
			sum += l
			if b.set.Table {
				lost[j] += float64(float64(b.set.Weight(i)) * l)
				b.surprise(r, j, on[j] != 0, p)
			}
		}
		r.Loss = Number(sum / float64(r.Known))
	})
	if err != nil || !b.set.Table {
		return err
	}
	for j := range n {
		c := Column{Number: j + 1, Name: b.names[j], Known: b.seen[j], On: b.on[j],
			Loss: Number(lost[j] / float64(b.seen[j])), ByShare: Number(entropy(float64(b.on[j]) / float64(b.seen[j])))}
		b.r.ByColumn = append(b.r.ByColumn, c)
	}
	return nil
}

// rowOf returns a row of so many known cells with its parts.
func (b *builder) rowOf(i, known int) Row {
	r := Row{Row: b.row(i), Name: b.rowName(i), Known: known, Parts: []int{}, Gains: []Number{}}
	for _, p := range b.found[i].Picks {
		r.Parts, r.Gains = append(r.Parts, p.Expert), append(r.Gains, Number(p.Gain))
	}
	return r
}

// surprise keeps a cell that the model did not expect, if few of the row are odder.
func (b *builder) surprise(r *Row, column int, on bool, p float64) {
	if !on {
		p = 1 - p
	}
	if p >= surpriseBelow {
		return
	}
	r.Surprises = append(r.Surprises, Surprise{b.names[column], on, Number(p)})
	if len(r.Surprises) > surprisesRow {
		slices.SortStableFunc(r.Surprises, func(x, y Surprise) int { return cmp.Compare(x.Probability, y.Probability) })
		r.Surprises = r.Surprises[:surprisesRow]
	}
}

// entropy returns the mean loss of predicting bits by their share p, in nats.
func entropy(p float64) float64 {
	h := 0.0
	for _, v := range []float64{p, 1 - p} {
		if v > 0 {
			h -= float64(v * elem.Log(v))
		}
	}
	return h
}

// Left returns the nats per row that the parts leave unexplained of the column.
func (c Column) Left(rows int64) float64 {
	if c.Known == 0 {
		return 0
	}
	return float64(c.Loss) * float64(c.Known) / float64(rows)
}

// Explained returns the share of the column's uncertainty that the parts take away,
// at least 0.
func (c Column) Explained() float64 {
	if !(c.ByShare > 0) {
		return 0
	}
	return max(0, 1-float64(c.Loss)/float64(c.ByShare))
}

// Unusual returns the indices of the rows, those with the largest loss per cell first.
// Rows of which nothing is known come last.
func (r *Report) Unusual() []int {
	order := make([]int, len(r.ByRow))
	for i := range order {
		order[i] = i
	}
	key := func(i int) float64 {
		if r.ByRow[i].Known == 0 {
			return math.Inf(-1)
		}
		return float64(r.ByRow[i].Loss)
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(key(y), key(x)) })
	return order
}
