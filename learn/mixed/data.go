package mixed

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Kind is what the cells of a column are.
type Kind uint8

const (
	// Number is anything with an order: 0 and 1, steps of a scale, counts, measurements.
	Number Kind = iota
	// Category is one of some words, 0, 1, 2 and so on, that have no order.
	Category
)

// Field is a column as it is given.
type Field struct {
	Name string
	Kind Kind
}

// Data are the rows of a table: a value for each field, NaN where it is unknown. They are not changed. A row of weight
// w counts as w/Unit rows that are equal.
type Data struct {
	Fields  []Field
	Rows    [][]float64
	Weights []int64 // nil if each is 1
	Unit    int64   // 0 means 1
}

// weight returns that of row i.
func (d *Data) weight(i int) int64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[i]
}

// unit returns the weight of a row that counts once.
func (d *Data) unit() int64 { return max(d.Unit, 1) }

// check returns an error that names a cell that cannot be, or nil.
func (d *Data) check() error {
	if len(d.Rows) == 0 || len(d.Fields) == 0 {
		return fmt.Errorf("mixed: %d rows of %d columns: nothing to learn from", len(d.Rows), len(d.Fields))
	}
	if d.Weights != nil && len(d.Weights) != len(d.Rows) || d.Unit < 0 || d.Unit > mostUnit {
		return fmt.Errorf("mixed: %d weights of %d rows, in units of %d; each row has one, the unit is at most %d",
			len(d.Weights), len(d.Rows), d.Unit, mostUnit)
	}
	sum := int64(0)
	for i, row := range d.Rows {
		w := d.weight(i)
		if sum += w; w < 0 || w > MostRows || sum > MostRows {
			return fmt.Errorf("mixed: row %d has the weight %d; it is not below 0, and all together are at most %d", i+1, w,
				int64(MostRows))
		}
		if len(row) != len(d.Fields) {
			return fmt.Errorf("mixed: row %d has %d values, there are %d columns", i+1, len(row), len(d.Fields))
		}
		for j, x := range row {
			f := &d.Fields[j]
			if math.IsInf(x, 0) {
				return fmt.Errorf("mixed: row %d, column %s is infinite", i+1, f.Name)
			}
			if f.Kind == Category && !math.IsNaN(x) && (x < 0 || x >= mostWords || x != math.Floor(x)) {
				return fmt.Errorf("mixed: row %d, column %s has the word %v; words are numbered from 0 to %d", i+1, f.Name, x,
					mostWords-1)
			}
		}
	}
	if sum == 0 {
		return errors.New("mixed: all rows have the weight 0")
	}
	return nil
}

// mostUnit is the largest unit of weights.
const mostUnit = 1000

// mostWords is how many words a category may have.
const mostWords = 1 << 12

// column returns the different values of a column, in order, and how often they come, in units.
func (d *Data) column(j int) (out []run) {
	var all []run
	for i, row := range d.Rows {
		if x := row[j]; !math.IsNaN(x) && d.weight(i) > 0 {
			all = append(all, run{x, x, 0, d.weight(i)})
		}
	}
	slices.SortFunc(all, func(a, b run) int { return cmp.Compare(a.low, b.low) })
	for _, r := range all {
		if len(out) == 0 || out[len(out)-1].high != r.low {
			out = append(out, run{low: r.low, high: r.high})
		}
		out[len(out)-1].n += r.n
	}
	for i := range out {
		out[i].sum = float64(out[i].low * float64(out[i].n))
	}
	return out
}
