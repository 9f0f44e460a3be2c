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

	"example.com/patchwork/bitmap"
)

// parquet reads a table of flat columns: booleans and numbers are data, text is
// metadata, null is unknown.
func (in *input) parquet(ra io.ReaderAt, size int64) (d decoder, err error) {
	defer recoverParquet(&err)
	t, names, err := in.openParquet(ra, size)
	if err != nil {
		return nil, err
	}
	if in.real {
		return in.table(parquetByRow{t}, names)
	}
	var auto []int
	for i, c := range t.columns {
		if flat(c) && isText(c) {
			auto = append(auto, i)
		}
	}
	byRow := in.plan != nil || len(in.opts.Categories) > 0
	if !byRow {
		words, err := t.wordsAmong(auto)
		if err != nil {
			return nil, err
		}
		byRow = len(words) > 0
	}
	if byRow {
		return in.table(parquetByRow{t}, names)
	}
	if t.roles, err = in.rolesOf(names, len(names), auto); err != nil {
		return nil, err
	}
	roles := &t.roles
	t.noteLabels()
	if t.used, err = t.checkTypes(); err == nil && !in.stream && t.file.NumRows() > in.budget.left/imageCost(1,
		len(roles.data)) {
		err = in.budget.spend(int(min(t.file.NumRows(), math.MaxInt32)), 1, len(roles.data)) // before it is read
	}
	return t, err
}

// openParquet opens a table in Parquet, whose footer is checked before, and returns the
// names of its columns.
func (in *input) openParquet(ra io.ReaderAt, size int64) (*parquetTable, []string, error) {
	if err := checkFooter(ra, size); err != nil {
		return nil, nil, err
	}
	f, err := parquet.OpenFile(ra, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, nil, damagedParquet(err)
	}
	t := &parquetTable{in: in, ra: ra, size: size, file: f, columns: f.Root().Columns(), checked: map[[2]int]bool{}}
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.Name()
	}
	return t, names, nil
}

func (t *parquetTable) count() int { return int(t.file.NumRows()) }

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

func isText(c *parquet.Column) bool {
	k := c.Type().Kind()
	return k == parquet.ByteArray || k == parquet.FixedLenByteArray
}

// parquetTable builds a set column by column, a row group at a time.
type parquetTable struct {
	in      *input
	ra      io.ReaderAt
	size    int64
	file    *parquet.File
	columns []*parquet.Column
	roles   roles
	used    []int // columns to be read
	group   int   // the next row group
	at      int   // rows before it
	set     *Set
	meta    []rawText
	notes   []string

	checked map[[2]int]bool // row groups and columns whose pages are checked
}

// noteLabels says which columns of text are labels, unless they were named.
func (t *parquetTable) noteLabels() {
	var names []string
	for k, i := range t.roles.meta {
		if t.roles.auto[k] {
			names = append(names, t.roles.name(i))
		}
	}
	if len(names) > 0 {
		t.notes = []string{labelNote(names)}
	}
	t.notes = append(t.notes, foreignNotes(t.roles.foreign)...)
}

// checkPages checks the pages of some columns of a row group before the library reads
// them first: to check them is to unpack them.
func (t *parquetTable) checkPages(group int, columns []int) error {
	var leaves []int
	for _, i := range columns {
		if !t.checked[[2]int{group, i}] {
			leaves = append(leaves, t.columns[i].Index())
		}
	}
	if err := checkPages(t.ra, t.size, &t.file.Metadata().RowGroups[group], leaves, t.in.budget.max); err != nil {
		return err
	}
	for _, i := range columns {
		t.checked[[2]int{group, i}] = true
	}
	return nil
}

// next reads the next row group that has rows.
func (t *parquetTable) next() (s *Set, err error) {
	defer recoverParquet(&err)
	groups := t.file.RowGroups()
	for t.group < len(groups) {
		t.set, t.meta = t.roles.set(), make([]rawText, len(t.roles.meta))
		t.set.Notes = t.notes
		if err := t.checkPages(t.group, t.used); err != nil {
			return nil, err
		}
		if err := t.add(groups[t.group].ColumnChunks()); err != nil {
			return nil, err
		}
		t.group++
		if t.set.Len() == 0 {
			continue
		}
		t.at += t.set.Len()
		for k, values := range t.meta {
			t.set.Meta = append(t.set.Meta, Labels{t.roles.called[k], values})
		}
		return t.set, nil
	}
	if t.at == 0 {
		return nil, &FormatError{Msg: "the table has no rows"}
	}
	return nil, io.EOF
}

// checkTypes rejects columns that do not fit their role, and returns all columns to
// read.
func (t *parquetTable) checkTypes() (used []int, err error) {
	used = append(append([]int(nil), t.roles.data...), t.roles.meta...)
	if t.roles.weight >= 0 {
		used = append(used, t.roles.weight)
	}
	for _, i := range used {
		c := t.columns[i]
		if !flat(c) || c.Type().Kind() == parquet.Int96 {
			return nil, refuseColumn(c)
		}
	}
	for _, i := range t.roles.data {
		if c := t.columns[i]; isText(c) {
			return nil, &FormatError{Column: c.Name(), Msg: "a column of text is not data",
				Hint: "write it as boolean or integer"}
		}
	}
	return used, nil
}

// refuseColumn returns the error for a column of a kind that is not read.
func refuseColumn(c *parquet.Column) error {
	if flat(c) {
		return &FormatError{Column: c.Name(), Msg: "an INT96 time stamp",
			Hint: "write it as INT64, or choose other columns with --columns"}
	}
	return &FormatError{Column: c.Name(), Msg: "a nested or repeated column",
		Hint: "flatten it, or choose other columns with --columns"}
}

// add reads a row group. It creates the images once the first column has shown
// how many rows there are.
func (t *parquetTable) add(chunks []parquet.ColumnChunk) error {
	width := len(t.roles.data)
	var states []uint8
	for x, i := range t.roles.data {
		var err error
		if states, err = t.states(chunks, i, states[:0], x == 0); err == errNotBit {
			return t.offending(chunks)
		} else if err != nil {
			return t.onRow(err, len(states), i)
		}
		if x == 0 {
			if err := t.in.budget.spend(len(states), 1, width); err != nil {
				return err
			}
			t.set.Images = bitmap.NewBlock(len(states), 1, width)
		}
		if len(states) != t.set.Len() {
			return t.uneven(i, len(states), t.set.Len())
		}
		for k, state := range states {
			switch state {
			case on:
				t.set.Images[k].Set(0, x, true)
			case unknown:
				t.set.Images[k].SetUnknown(0, x)
			}
		}
	}
	return t.addRest(chunks, t.set.Len())
}

// states appends the pixels of column i to dst: for the first column as many
// as the budget allows, for others as many as there are new images.
func (t *parquetTable) states(chunks []parquet.ColumnChunk, i int, dst []uint8, first bool) ([]uint8, error) {
	width := len(t.roles.data)
	most := int(min(t.in.budget.left/imageCost(1, width), 1<<40))
	err := t.column(chunks, i, func(v parquet.Value) error {
		switch n := len(dst); {
		case first && n == most:
			return t.in.budget.spend(most+1, 1, width) // returns the error
		case !first && n == t.set.Len():
			return t.uneven(i, n+1, n)
		}
		state, err := t.state(v)
		dst = append(dst, state)
		return err
	})
	return dst, err
}

// addRest appends weights and metadata for the n rows of a row group.
func (t *parquetTable) addRest(chunks []parquet.ColumnChunk, n int) error {
	if w := t.roles.weight; w >= 0 {
		err := t.column(chunks, w, func(v parquet.Value) error {
			weight, err := weightOf(valueText(v))
			if err != nil {
				return err
			}
			t.set.Weights = append(t.set.Weights, weight)
			if len(t.set.Weights) > n {
				return t.uneven(w, n+1, n)
			}
			return nil
		})
		if err != nil {
			return t.onRow(err, len(t.set.Weights)+1, w)
		}
		if got := len(t.set.Weights); got != n {
			return t.uneven(w, got, n)
		}
	}
	for k, i := range t.roles.meta {
		err := t.column(chunks, i, func(v parquet.Value) error {
			s := valueText(v)
			t.meta[k] = append(t.meta[k], s)
			if len(t.meta[k]) > n {
				return t.uneven(i, n+1, n)
			}
			return t.in.budget.spendBytes(len(s) + 16)
		})
		if err != nil {
			return t.onRow(err, len(t.meta[k]), i)
		}
		if got := len(t.meta[k]); got != n {
			return t.uneven(i, got, n)
		}
	}
	return nil
}

func (t *parquetTable) uneven(i, got, want int) error {
	return &FormatError{Column: t.roles.name(i),
		Msg: fmt.Sprintf("damaged Parquet file: %d rows where other columns have %d", got, want)}
}

// onRow adds the position in the file to an error; row counts within the row
// group, from 1.
func (t *parquetTable) onRow(err error, row, i int) error {
	if fe, ok := err.(*FormatError); ok && fe.Column == "" && fe.Row == 0 {
		fe.Row, fe.Column = t.at+row, t.roles.name(i)
	}
	return err
}

// column calls use for each value of column i, read in batches.
func (t *parquetTable) column(chunks []parquet.ColumnChunk, i int, use func(parquet.Value) error) error {
	pages := chunks[t.columns[i].Index()].Pages()
	defer pages.Close()
	var batch [512]parquet.Value
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return damagedParquet(err)
		}
		values := page.Values()
		for err == nil {
			var n int
			n, err = values.ReadValues(batch[:])
			for _, v := range batch[:n] {
				if err := use(v); err != nil {
					return err
				}
			}
			if n == 0 && err == nil {
				err = io.ErrNoProgress
			}
		}
		parquet.Release(page)
		if err != io.EOF {
			return damagedParquet(err)
		}
	}
}

// errNotBit says that a value is no bit; offending says which.
var errNotBit = errors.New("not a bit")

// state returns the pixel state of a value of a column of data.
func (t *parquetTable) state(v parquet.Value) (uint8, error) {
	switch {
	case v.IsNull():
		return unknown, nil
	case v.Kind() == parquet.Boolean:
		if v.Boolean() {
			return t.in.rule.bit(on), nil
		}
		return t.in.rule.bit(off), nil
	}
	state := t.in.rule.of(valueNumber(v))
	if state == notBinary {
		return state, errNotBit
	}
	return state, nil
}

// offending returns the error that lists the data columns with values in a row group
// that are no bits.
func (t *parquetTable) offending(chunks []parquet.ColumnChunk) error {
	var all offenders
	for _, i := range t.roles.data {
		row, o := t.at, offender{name: t.roles.name(i), kind: numberToken}
		err := t.column(chunks, i, func(v parquet.Value) error {
			row++
			if _, err := t.state(v); err == nil {
				return nil
			}
			if o.place.line == 0 {
				o.place = cellPlace{line: row, text: valueText(v)}
			}
			o.span.widen(valueNumber(v))
			return nil
		})
		if err != nil {
			return err
		}
		if o.place.line > 0 {
			all.add(o)
		}
	}
	return inUnit(all.numberError("row", 0), "row")
}

// valueNumber returns a number.
func valueNumber(v parquet.Value) float64 {
	switch v.Kind() {
	case parquet.Int32:
		return float64(v.Int32())
	case parquet.Int64:
		return float64(v.Int64())
	case parquet.Float:
		return float64(v.Float())
	}
	return v.Double()
}

// valueText returns a value as metadata; null is empty.
func valueText(v parquet.Value) string {
	if v.IsNull() {
		return ""
	}
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return "1"
		}
		return "0"
	case parquet.Int32:
		return strconv.FormatInt(int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10)
	case parquet.Float:
		return strconv.FormatFloat(float64(v.Float()), 'g', -1, 32)
	case parquet.Double:
		return strconv.FormatFloat(v.Double(), 'g', -1, 64)
	}
	return string(v.ByteArray())
}
