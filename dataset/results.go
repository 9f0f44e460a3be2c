package dataset

import (
	"archive/zip"
	"cmp"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"reflect"
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

// TableFormatOf returns the format that the suffix of a path stands for: .csv,
// .npz or .parquet. The error lists them.
func TableFormatOf(path string) (TableFormat, error) {
	suffix := strings.ToLower(filepath.Ext(path))
	for _, f := range []TableFormat{TableCSV, TableNPZ, TableParquet} {
		if suffix == "."+string(f) {
			return f, nil
		}
	}
	return "", &FormatError{Path: path, Msg: fmt.Sprintf("a table cannot be written to a file that ends in %q",
		filepath.Ext(path)), Hint: "choose one of .csv, .npz, .parquet"}
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
func (c Labels) TableColumn() TableColumn { return TableColumn{Name: c.Name, Type: c.Type} }

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

// WriteTable writes a table of results. Each chunk has the values of some rows: a slice
// for each element of the columns, of the type that it states, with one value per
// row, or for a block as many values per row as it has columns, row by row. It
// does not keep the slices. An error among the chunks ends it and is returned as
// it is.
//
// The bytes depend on the values only, not on how they are divided into chunks,
// and on the libraries that compress them. Memory does not grow with the number
// of rows, except for text in an .npz, whose longest value stands before the
// first. An .npz is not compressed; its arrays stand one after the other, so they
// wait in temporary files (of TMPDIR) once they are large.
//
// Two columns of one name are an error, as is text that a format cannot hold.
func WriteTable(w io.Writer, format TableFormat, columns []TableColumn,
	chunks iter.Seq2[[]any, error]) (err error) {
	if err := checkTable(format, columns); err != nil {
		return err
	}
	var out tableWriter
	switch format {
	case TableCSV:
		out = &csvTable{w: w}
	case TableNPZ:
		out = &npzTable{zip: zip.NewWriter(w)}
	case TableParquet:
		out = newParquetTable(w)
	default:
		return &FormatError{Msg: fmt.Sprintf("there is no format %q of tables", format)}
	}
	if held, ok := out.(io.Closer); ok {
		defer func() { err = cmp.Or(err, held.Close()) }()
	}
	if err := out.begin(columns); err != nil {
		return err
	}
	for chunk, err := range chunks {
		if err == nil {
			err = out.write(chunk, rowsOf(columns, chunk))
		}
		if err != nil {
			return err
		}
	}
	return out.end()
}

// tableWriter writes a table in one format. One that is an [io.Closer] holds something, in any state.
type tableWriter interface {
	begin(columns []TableColumn) error
	write(values []any, rows int) error
	end() error
}

// checkTable rejects columns that cannot be told apart.
func checkTable(format TableFormat, columns []TableColumn) error {
	seen := map[string]bool{}
	for _, c := range columns {
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

// rowsOf returns the number of rows of a chunk.
func rowsOf(columns []TableColumn, chunk []any) int {
	for i, c := range columns {
		if w := c.width(); w > 0 {
			return reflect.ValueOf(chunk[i]).Len() / w
		}
	}
	return 0
}
