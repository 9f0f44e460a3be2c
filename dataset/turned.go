package dataset

import (
	"io"
	"slices"
	"strings"
)

// turned is a table whose rows are columns in the file, such as one with a line for every species.
type turned struct{ rows [][]string }

// turns reports whether the rows of tables are columns in the file.
func (in *input) turns() bool {
	like := in.opts.like()
	return in.opts.Height == 0 && (in.opts.Transpose || like.Transpose && like.Size == nil)
}

// turn reads a table as a whole and swaps its rows and columns: what named the columns names the rows.
func (in *input) turn(src cells, names []string) (*turned, error) {
	r, err := src.records()
	if err != nil {
		return nil, err
	}
	t := new(turned)
	add := func(cells []string, k int) error {
		for i, cell := range cells {
			if i == len(t.rows) {
				t.rows = append(t.rows, make([]string, k))
			}
			t.rows[i] = append(t.rows[i], strings.Clone(cell))
			if err := in.budget.spendBytes(len(cell)); err != nil {
				return err
			}
		}
		for i := len(cells); i < len(t.rows); i++ {
			t.rows[i] = append(t.rows[i], "")
		}
		return nil
	}
	n := 0
	if names != nil {
		n, err = 1, add(names, 0)
	}
	for ; err == nil; n++ {
		var cells []string
		if cells, _, err = r.read(); err == nil {
			err = add(cells, n)
		}
	}
	if err != io.EOF {
		return nil, err
	}
	return t, nil
}

func (t *turned) unit() string              { return "row" }
func (t *turned) count() int                { return -1 }
func (t *turned) complete() bool            { return true }
func (t *turned) sample() records           { return &turnedRows{t.rows, 0} }
func (t *turned) records() (records, error) { return t.sample(), nil }

// turnedRows are the records of such a table.
type turnedRows struct {
	rows [][]string
	at   int
}

func (r *turnedRows) read() ([]string, int, error) {
	if r.at == len(r.rows) {
		return nil, 0, io.EOF
	}
	r.at++
	return slices.Clone(r.rows[r.at-1]), r.at, nil
}
