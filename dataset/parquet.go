//go:build !js

package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// parquet reads a table of flat columns, whose cells are judged as those of a text are; null is an empty cell.
func (in *input) parquet(c *content) (d parts, err error) {
	defer recoverParquet(&err)
	ra, size, err := in.random(c)
	if err != nil {
		return nil, err
	}
	if err := checkFooter(ra, size); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(ra, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, damagedParquet(err)
	}
	t := &parquetTable{in: in, ra: ra, size: size, file: f, columns: f.Root().Columns(), checked: map[int]bool{}}
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.Name()
	}
	rows, err := in.table(t, names)
	if err != nil {
		return nil, err
	}
	for _, i := range rows.table.plan.used() {
		if c := t.columns[i]; !flat(c) {
			return nil, &FormatError{Column: c.Name(), Msg: "a nested or repeated column",
				Hint: "flatten it, or choose other columns with --columns"}
		} else if c.Type().Kind() == parquet.Int96 {
			return nil, &FormatError{Column: c.Name(), Msg: "an INT96 time stamp",
				Hint: "write it as INT64, or choose other columns with --columns"}
		}
	}
	return rows, nil
}

// recoverParquet converts a panic to an error: the library panics on some
// damaged files (slice bounds from headers that it does not check, for
// example), so a panic in a call into it means damage. No goroutine is started
// that could panic elsewhere, and no state outlives the call.
func recoverParquet(err *error) {
	if p := recover(); p != nil {
		*err = damagedParquet(fmt.Errorf("%v", p))
	}
}

// damagedParquet wraps an error of the library as damage; file-system errors
// stay unchanged.
func damagedParquet(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return err
	}
	return &FormatError{Msg: "damaged Parquet file", Hint: "copy or write the file again", Err: plainPanic(err)}
}

func flat(c *parquet.Column) bool { return c.Leaf() && !c.Repeated() && c.MaxRepetitionLevel() == 0 }

// parquetTable is a table in Parquet.
type parquetTable struct {
	in      *input
	ra      io.ReaderAt
	size    int64
	file    *parquet.File
	columns []*parquet.Column
	checked map[int]bool // row groups whose pages are checked
}

func (t *parquetTable) unit() string   { return "row" }
func (t *parquetTable) count() int     { return int(t.file.NumRows()) }
func (t *parquetTable) complete() bool { return t.file.NumRows() <= sampleRows }

func (t *parquetTable) records() (records, error) {
	return &parquetRecords{t: t, cells: make([]string, len(t.columns)), most: math.MaxInt}, nil
}

func (t *parquetTable) sample() records {
	return &parquetRecords{t: t, cells: make([]string, len(t.columns)), most: sampleRows}
}

// sampleRows is how many rows are examined before a table is read that is not text.
const sampleRows = 1000

// parquetRecords yields the rows of the row groups.
type parquetRecords struct {
	t       *parquetTable
	group   int             // the next one
	columns []*parquetCells // of the one before it; those that cannot be read are left out
	at      int             // rows read before
	most    int             // to read
	cells   []string
}

func (r *parquetRecords) read() (cells []string, row int, err error) {
	defer recoverParquet(&err)
	if r.at == r.most {
		return nil, 0, io.EOF
	}
	for {
		ended := 0
		for _, c := range r.columns {
			if r.cells[c.column], err = c.next(); err == io.EOF {
				ended++
			} else if err != nil {
				return nil, 0, damagedParquet(err)
			}
		}
		switch {
		case ended < len(r.columns) && ended > 0:
			return nil, 0, &FormatError{Row: r.at + 1, Msg: "damaged Parquet file: some columns end before others"}
		case ended < len(r.columns):
			r.at++
			return r.cells, r.at, nil
		}
		if err := r.begin(); err != nil {
			return nil, 0, err
		}
	}
}

// begin begins the next row group. Its pages are checked before the library reads them first: to check them is to
// unpack them.
func (r *parquetRecords) begin() error {
	groups := r.t.file.RowGroups()
	if r.group == len(groups) {
		return io.EOF
	}
	var leaves []int
	r.columns = nil
	for i, c := range r.t.columns {
		if flat(c) && c.Type().Kind() != parquet.Int96 {
			leaves = append(leaves, c.Index())
			r.columns = append(r.columns, &parquetCells{column: i, pages: groups[r.group].ColumnChunks()[c.Index()].Pages()})
		}
	}
	if !r.t.checked[r.group] {
		group := &r.t.file.Metadata().RowGroups[r.group]
		if err := checkPages(r.t.ra, r.t.size, group, leaves, r.t.in.budget.max); err != nil {
			return err
		}
		r.t.checked[r.group] = true
	}
	r.group++
	return nil
}

// parquetCells are the cells of a column of a row group.
type parquetCells struct {
	column int
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader // of the page
	batch  [256]parquet.Value
	n, at  int // values in the batch, and of them read
}

// next returns the next cell; then io.EOF.
func (c *parquetCells) next() (string, error) {
	for c.at == c.n {
		if c.values == nil {
			page, err := c.pages.ReadPage()
			if err != nil {
				c.pages.Close()
				return "", err
			}
			c.page, c.values = page, page.Values()
		}
		n, err := c.values.ReadValues(c.batch[:])
		if c.n, c.at = n, 0; n > 0 {
			break
		}
		switch {
		case err == io.EOF:
			parquet.Release(c.page)
			c.values = nil
		case err == nil:
			return "", io.ErrNoProgress
		default:
			return "", err
		}
	}
	v := c.batch[c.at]
	c.at++
	return valueText(v), nil
}

// valueText returns a value as text; null is empty.
func valueText(v parquet.Value) string {
	if v.IsNull() {
		return ""
	}
	switch v.Kind() {
	case parquet.Boolean:
		return bitTexts[btoi(v.Boolean())]
	case parquet.Int32:
		return strconv.FormatInt(int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10)
	case parquet.Float:
		return floatText(float64(v.Float()), 32)
	case parquet.Double:
		return floatText(v.Double(), 64)
	}
	return string(v.ByteArray())
}

var bitTexts = [...]string{"0", "1"}

func floatText(v float64, bits int) string {
	if v == 0 || v == 1 {
		return bitTexts[int(v)]
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}
