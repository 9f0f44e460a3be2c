package dataset

import (
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
)

// TableFormat is a format in which [WriteTable] writes.
type TableFormat string

// The formats of tables.
const (
	TableCSV     TableFormat = "csv"     // comma-separated, with a header
	TableNPZ     TableFormat = "npz"     // an array per column or block of columns
	TableParquet TableFormat = "parquet" // compressed with Snappy
)

// tableSuffixes lists the suffixes of file names, and what they stand for.
var tableSuffixes = []struct {
	suffix string
	format TableFormat
}{
	{".csv", TableCSV}, {".npz", TableNPZ}, {".parquet", TableParquet},
}

// TableFormatOf returns the format that the suffix of a path stands for: .csv,
// .npz or .parquet. The error lists them.
func TableFormatOf(path string) (TableFormat, error) {
	var all []string
	for _, s := range tableSuffixes {
		if strings.HasSuffix(strings.ToLower(path), s.suffix) {
			return s.format, nil
		}
		all = append(all, s.suffix)
	}
	return "", &FormatError{Path: path, Msg: fmt.Sprintf("a table cannot be written to a file that ends in %q",
		filepath.Ext(path)), Hint: "choose one of " + strings.Join(all, ", ")}
}

// ColumnType is the type of the values of a [TableColumn].
type ColumnType uint8

// The types of columns, and the slices that hold their values.
const (
	ColumnText  ColumnType = iota // []string
	ColumnInt                     // []int64
	ColumnFloat                   // []float64; NaN is empty in CSV
	ColumnByte                    // []uint8: small counts and bits; a 32-bit integer in Parquet
)

// TableColumn describes a column of a table to be written, or a block of
// columns of one type that belong together.
type TableColumn struct {
	Name string // of the column; of a block it is the name of its array in an .npz
	Type ColumnType
	// Block, if not nil, names the columns of a block. In an .npz a block is one
	// array of two dimensions, elsewhere each of its columns is a column. Text
	// has no blocks.
	Block []string
	// BlockNames, if not "", is the name of an array of text in an .npz that holds the
	// names of the columns of a block.
	BlockNames string
}

// TableColumn returns the description of a metadata column, whose Values can be
// given to [WriteTable] as they are.
func (c Column) TableColumn() TableColumn {
	return TableColumn{Name: c.Name, Type: [...]ColumnType{intKind: ColumnInt, floatKind: ColumnFloat,
		textKind: ColumnText}[kindOf(c.Values)]}
}

// width returns the number of columns.
func (c *TableColumn) width() int {
	if c.Block == nil {
		return 1
	}
	return len(c.Block)
}

// names returns the names of the columns, in a format without blocks.
func (c *TableColumn) names() []string {
	if c.Block == nil {
		return []string{c.Name}
	}
	return c.Block
}

// Table describes a table of results to be written.
type Table struct {
	Format  TableFormat
	Columns []TableColumn
	// Rows is the number of rows if it is known beforehand, else 0. An .npz of known
	// length needs less room in temporary files; the bytes are the same.
	Rows int
	// Workers is how many goroutines encode rows beside the one that calls Write; 0
	// means 1. The bytes are the same for any number.
	Workers int

	group int // rows of a group, for tests; 0 means as many as suit the columns
}

// WriteTable writes a table whose number of rows is not known beforehand; see
// [Table.Write].
func WriteTable(w io.Writer, format TableFormat, columns []TableColumn, chunks iter.Seq2[[]any, error]) error {
	return Table{Format: format, Columns: columns}.Write(w, chunks)
}

// Write writes a table of results. Each chunk has the values of some rows: a slice
// for each element of the columns, of the type that it states, with one value per
// row, or for a block as many values per row as it has columns, row by row. Write
// does not keep the slices. An error among the chunks ends it and is returned as
// it is.
//
// The bytes depend on the values only, not on how they are divided into chunks,
// and on the libraries that compress them. Memory does not grow with the number
// of rows, except for text in an .npz, whose longest value stands before the
// first. An .npz is not compressed; its arrays stand one after the other, so they
// wait in temporary files (of TMPDIR) once they are large, but for the first,
// which is the widest, if the number of rows is known.
//
// Two columns of one name are an error, as is text that a format cannot hold, and
// another number of rows than stated; Write panics if a chunk does not fit the
// columns (misuse).
func (t Table) Write(w io.Writer, chunks iter.Seq2[[]any, error]) (err error) {
	if err := checkTable(t.Format, t.Columns); err != nil {
		return err
	}
	var out tableWriter
	switch t.Format {
	case TableCSV:
		out = newCSVTable(w)
	case TableNPZ:
		out = newNPZTable(w, t.Rows)
	case TableParquet:
		out = newParquetTable(w)
	default:
		return &FormatError{Msg: fmt.Sprintf("there is no format %q of tables", t.Format)}
	}
	defer func() { err = firstError(err, out.close()) }()
	if err := out.begin(t.Columns); err != nil {
		return err
	}
	if err := t.writeRows(out, chunks); err != nil {
		return err
	}
	return out.end()
}

// writeRows gives the rows to a writer: in groups, which are encoded side by side and
// written in their order, or for an .npz, which has neither groups nor anything to
// encode, as they come.
func (t Table) writeRows(out tableWriter, chunks iter.Seq2[[]any, error]) error {
	rows := t.Rows
	if t.Format == TableNPZ {
		rows = 0
	}
	g := newRowGroups(t.Columns, t.group, rows)
	q := &encoders{encode: out.encode, most: max(1, t.Workers)}
	defer q.wait()
	for chunk, err := range chunks {
		if err != nil {
			return err
		}
		if t.Format == TableNPZ {
			err = now(out.encode(chunk, g.rowsOf(chunk)))
		} else {
			err = g.add(chunk, q.put)
		}
		if err != nil {
			return err
		}
	}
	if err := g.rest(q.put); err != nil {
		return err
	}
	return q.finish()
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// tableWriter writes a table in one format.
type tableWriter interface {
	begin(columns []TableColumn) error
	// encode prepares a group of rows and returns what appends it to the table. Calls
	// may run at the same time; what they return is called in the order of the groups,
	// once at a time, also while others encode, and before end. Formats with groups:
	// all but the last have the same number of rows.
	encode(values []any, rows int) (write func() error, err error)
	end() error
	close() error // releases what it holds, in any state
}

// checkTable rejects columns that cannot be told apart.
func checkTable(format TableFormat, columns []TableColumn) error {
	seen := map[string]bool{}
	for _, c := range columns {
		if c.Block != nil && c.Type == ColumnText {
			panic("dataset: a block of text")
		}
		names := c.names()
		if format == TableNPZ {
			names = []string{c.Name}
		}
		for _, name := range names {
			if seen[name] {
				return &FormatError{Column: name, Msg: "two columns of the table to be written have this name",
					Hint: "rename one of them"}
			}
			seen[name] = true
		}
	}
	return nil
}

// rowGroups divides rows into groups of a size that depends on the columns only.
type rowGroups struct {
	columns []TableColumn
	per     int // rows of a group
	room    int // rows for which there is room from the beginning
	n       int // rows held
	held    []any
}

// groupBytes is about the memory of a group.
const groupBytes = 8 << 20

// newRowGroups divides about so many rows into groups of per, or 0: as many as suit.
func newRowGroups(columns []TableColumn, per, rows int) *rowGroups {
	if per > 0 {
		return &rowGroups{columns: columns, per: per, held: newGroup(columns, 0)}
	}
	bytes := 1
	for _, c := range columns {
		bytes += c.width() * [...]int{ColumnText: 32, ColumnInt: 8, ColumnFloat: 8, ColumnByte: 1}[c.Type]
	}
	per = min(max(groupBytes/bytes, 1024), 1<<16)
	room := min(per, rows)
	return &rowGroups{columns: columns, per: per, room: room, held: newGroup(columns, room)}
}

// newGroup returns an empty group with room for some rows.
func newGroup(columns []TableColumn, rows int) []any {
	var out []any
	for _, c := range columns {
		n := rows * c.width()
		switch c.Type {
		case ColumnText:
			out = append(out, make([]string, 0, n))
		case ColumnInt:
			out = append(out, make([]int64, 0, n))
		case ColumnFloat:
			out = append(out, make([]float64, 0, n))
		case ColumnByte:
			out = append(out, make([]uint8, 0, n))
		}
	}
	return out
}

// add appends the rows of a chunk and puts the groups that are complete, for which it
// gets other memory if there is some.
func (g *rowGroups) add(chunk []any, put func([]any, int) ([]any, error)) error {
	rows := g.rowsOf(chunk)
	for at := 0; at < rows; {
		n := min(g.per-g.n, rows-at)
		for i, c := range g.columns {
			g.held[i] = appendRows(g.held[i], chunk[i], at*c.width(), (at+n)*c.width())
		}
		g.n += n
		at += n
		if g.n == g.per {
			if err := g.rest(put); err != nil {
				return err
			}
		}
	}
	return nil
}

// rowsOf returns the number of rows of a chunk that fits the columns.
func (g *rowGroups) rowsOf(chunk []any) int {
	if len(chunk) != len(g.columns) {
		panic(fmt.Sprintf("dataset: a chunk of %d columns for a table of %d", len(chunk), len(g.columns)))
	}
	rows := -1
	for i, c := range g.columns {
		n, ok := lengthAs(chunk[i], c.Type)
		if w := c.width(); w == 0 && ok && n == 0 {
			continue
		} else if !ok || n%max(w, 1) != 0 || rows >= 0 && n/max(w, 1) != rows {
			panic(fmt.Sprintf("dataset: %d values of type %T for column %q of a table, and %d rows", n, chunk[i], c.Name, rows))
		} else {
			rows = n / w
		}
	}
	return max(rows, 0)
}

// lengthAs returns the length of a slice, and whether it is of the stated type.
func lengthAs(values any, t ColumnType) (int, bool) {
	switch v := values.(type) {
	case []string:
		return len(v), t == ColumnText
	case []int64:
		return len(v), t == ColumnInt
	case []float64:
		return len(v), t == ColumnFloat
	case []uint8:
		return len(v), t == ColumnByte
	}
	return 0, false
}

// rest puts the rows held, if any.
func (g *rowGroups) rest(put func([]any, int) ([]any, error)) error {
	if g.n == 0 {
		return nil
	}
	spare, err := put(g.held, g.n)
	if spare == nil {
		spare = newGroup(g.columns, g.room)
	}
	for i := range spare {
		spare[i] = appendRows(spare[i], spare[i], -1, 0)
	}
	g.held, g.n = spare, 0
	return err
}

// appendRows appends from[a:b] to to; with a below 0 it empties to.
func appendRows(to, from any, a, b int) any {
	switch v := to.(type) {
	case []string:
		return appendPart(v, from.([]string), a, b)
	case []int64:
		return appendPart(v, from.([]int64), a, b)
	case []float64:
		return appendPart(v, from.([]float64), a, b)
	}
	return appendPart(to.([]uint8), from.([]uint8), a, b)
}

func appendPart[T any](to, from []T, a, b int) []T {
	if a < 0 {
		clear(to) // text may be freed
		return to[:0]
	}
	return append(slices.Grow(to, b-a), from[a:b]...)
}
