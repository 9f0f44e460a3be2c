package mixed

import (
	"fmt"
	"math"
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

// Data are the rows of a table: a value for each field, NaN where it is unknown. They are not changed.
type Data struct {
	Fields []Field
	Rows   [][]float64
}

// check returns an error that names a cell that cannot be, or nil.
func (d *Data) check() error {
	if len(d.Rows) == 0 || len(d.Fields) == 0 {
		return fmt.Errorf("mixed: %d rows of %d columns: nothing to learn from", len(d.Rows), len(d.Fields))
	}
	for i, row := range d.Rows {
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
	return nil
}

// mostWords is how many words a category may have.
const mostWords = 1 << 12

// column returns the known values of a column.
func (d *Data) column(j int) []float64 {
	var out []float64
	for _, row := range d.Rows {
		if !math.IsNaN(row[j]) {
			out = append(out, row[j])
		}
	}
	return out
}
