//go:build !js

package dataset

import (
	"io"

	"github.com/parquet-go/parquet-go"
)

// wordsAmong returns the columns of text that hold bits in words (yes and no, say),
// judged by their first values.
func (t *parquetTable) wordsAmong(texts []int) (words []int, err error) {
	groups := t.file.RowGroups()
	if len(groups) == 0 {
		return nil, nil
	}
	if err := t.checkPages(0, texts); err != nil {
		return nil, err
	}
	columns := make([]columnStats, len(texts))
	for k, i := range texts {
		n := 0
		err := t.column(groups[0].ColumnChunks(), i, func(v parquet.Value) error {
			if n++; n > sampleRows {
				return io.EOF
			}
			columns[k].add(valueText(v), n, levelLimit{leastLevels, levelBytes / len(texts)})
			return nil
		})
		if err != nil && err != io.EOF {
			return nil, err
		}
	}
	v := vocabulariesOf(columns)
	for k, i := range texts {
		yes, _ := columns[k].bitWords(v)
		if class, _ := columns[k].classOf(v); (class != labelClass || yes != "") && columns[k].known() > 0 {
			words = append(words, i)
		}
	}
	return words, nil
}

// parquetByRow is a table in Parquet whose cells are judged as text: because some are
// words for bits, or categories. It is slower than to read column by column.
type parquetByRow struct{ *parquetTable }

func (s parquetByRow) unit() string             { return "row" }
func (s parquetByRow) once() bool               { return false }
func (s parquetByRow) hold() error              { return nil }
func (s parquetByRow) leastRows() int64         { return s.file.NumRows() }
func (s parquetByRow) repeat() (records, error) { return s.records() }

func (s parquetByRow) records() (records, error) {
	for _, c := range s.columns {
		if !flat(c) || c.Type().Kind() == parquet.Int96 {
			return nil, refuseColumn(c)
		}
	}
	return &parquetRecords{t: s.parquetTable, cells: make([]string, len(s.columns))}, nil
}

func (s parquetByRow) sample() (records, bool, error) {
	r, err := s.records()
	return &firstRecords{records: r, left: sampleRows}, false, err
}

// sampleRows is how many rows are examined before a table is read that is not text.
const sampleRows = 1000

// firstRecords ends after some rows.
type firstRecords struct {
	records
	left int
}

func (f *firstRecords) read() ([]string, int, error) {
	if f.left == 0 {
		return nil, 0, io.EOF
	}
	f.left--
	return f.records.read()
}

// parquetRecords yields the rows of the row groups.
type parquetRecords struct {
	t     *parquetTable
	group int // the next one
	rows  parquet.Rows
	batch [64]parquet.Row
	n, i  int // rows in the batch, and of them read
	at    int // rows read before
	end   bool
	cells []string
}

func (r *parquetRecords) read() (cells []string, row int, err error) {
	defer recoverParquet(&err)
	for r.i == r.n {
		if err := r.fill(); err != nil {
			return nil, 0, err
		}
	}
	values := r.batch[r.i]
	clear(r.cells)
	for _, v := range values {
		if k := v.Column(); k >= 0 && k < len(r.cells) {
			r.cells[k] = valueText(v)
		}
	}
	r.i++
	r.at++
	return r.cells, r.at, nil
}

// fill reads the next batch.
func (r *parquetRecords) fill() error {
	if r.rows == nil || r.end {
		if r.rows != nil {
			r.rows.Close()
			r.rows = nil
		}
		groups := r.t.file.RowGroups()
		if r.group == len(groups) {
			return io.EOF
		}
		all := identity(len(r.t.columns))
		if err := r.t.checkPages(r.group, all); err != nil {
			return err
		}
		r.rows, r.end = groups[r.group].Rows(), false
		r.group++
	}
	n, err := r.rows.ReadRows(r.batch[:])
	r.n, r.i = n, 0
	if err == io.EOF {
		r.end = true
	} else if err != nil {
		return damagedParquet(err)
	} else if n == 0 {
		return damagedParquet(io.ErrNoProgress)
	}
	return nil
}
