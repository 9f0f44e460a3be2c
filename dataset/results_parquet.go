//go:build !js

package dataset

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/klauspost/compress/s2"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

// parquetResults writes a table as Parquet, a row group at a time.
type parquetResults struct {
	out     io.Writer
	w       *parquet.GenericWriter[any]
	columns []TableColumn
	per     int // rows of a group, by the columns only
	held    int // rows of the last group so far
	scratch []parquet.Value
}

func newParquetTable(w io.Writer) *parquetResults { return &parquetResults{out: w} }

// quickSnappy is Snappy in half the time of the library's way, which looks longer for
// repetitions and saves a twentieth.
type quickSnappy struct{ compress.Codec }

func (quickSnappy) Encode(dst, src []byte) ([]byte, error) { return s2.EncodeSnappy(dst, src), nil }

// orderedGroup is a group of columns in their own order; [parquet.Group] sorts
// them by name.
type orderedGroup struct {
	parquet.Group
	fields []parquet.Field
}

func (g orderedGroup) Fields() []parquet.Field { return g.fields }

// GoType returns a type without fields, since no rows are written as Go values:
// names of columns need not be possible names of Go.
func (g orderedGroup) GoType() reflect.Type { return reflect.TypeFor[struct{}]() }

// namedNode is a column.
type namedNode struct {
	parquet.Node
	name string
}

func (n namedNode) Name() string                          { return n.name }
func (n namedNode) Value(reflect.Value) (v reflect.Value) { return v }

func (t *parquetResults) begin(columns []TableColumn) error {
	t.columns = columns
	var g orderedGroup
	for _, c := range columns {
		node := map[ColumnType]parquet.Node{
			ColumnText:  parquet.Encoded(parquet.String(), &parquet.RLEDictionary),
			ColumnInt:   parquet.Encoded(parquet.Leaf(parquet.Int64Type), &parquet.DeltaBinaryPacked),
			ColumnFloat: parquet.Leaf(parquet.DoubleType),
			ColumnByte:  parquet.Encoded(parquet.Leaf(parquet.Int32Type), &parquet.DeltaBinaryPacked),
		}[c.Type]
		for _, name := range c.names() {
			g.fields = append(g.fields, namedNode{node, name})
		}
	}
	if len(g.fields) == 0 {
		return &FormatError{Msg: "a Parquet table needs a column"}
	}
	bytes := 1
	for _, c := range columns {
		bytes += c.width() * [...]int{ColumnText: 32, ColumnInt: 8, ColumnFloat: 8, ColumnByte: 4}[c.Type]
	}
	t.per = min(max(groupBytes/bytes, 1024), 1<<16)
	// A column of a group is one page, wherever the chunks end: it has 8 bytes a row at the most.
	t.w = parquet.NewGenericWriter[any](t.out, parquet.NewSchema("table", g), parquet.PageBufferSize(9*t.per),
		parquet.Compression(quickSnappy{&parquet.Snappy}),
		parquet.CreatedBy("patchwork", "1", ""), parquet.DataPageStatistics(false))
	return nil
}

// groupBytes is about the memory of a group; parquetBlock is how many rows are taken apart into columns at a time, few
// enough for the caches of a processor.
const (
	groupBytes   = 8 << 20
	parquetBlock = 1024
)

func (t *parquetResults) write(values []any, rows int) error {
	writers := t.w.ColumnWriters()
	for from := 0; from < rows; {
		to := min(from+parquetBlock, from+t.per-t.held, rows)
		at := 0
		for k, c := range t.columns {
			for x := range c.width() {
				t.fill(values[k], from*c.width()+x, to*c.width(), c.width())
				if n, err := writers[at].WriteRowValues(t.scratch); err != nil || n != to-from {
					return cmp.Or(err, fmt.Errorf("column %q of the table: %d of %d values written", c.Name, n, to-from))
				}
				at++
			}
		}
		t.held += to - from
		if from = to; t.held < t.per {
			continue
		}
		t.held = 0
		if err := t.w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// fill sets the scratch space to every width-th of values [x, end). Columns that must
// not be null need no levels.
func (t *parquetResults) fill(values any, x, end, width int) {
	out := slices.Grow(t.scratch[:0], parquetBlock)
	switch v := values.(type) {
	case []string:
		for _, s := range v[x:end] {
			out = append(out, parquet.ByteArrayValue([]byte(s)))
		}
	case []int64:
		for ; x < end; x += width {
			out = append(out, parquet.Int64Value(v[x]))
		}
	case []float64:
		for ; x < end; x += width {
			out = append(out, parquet.DoubleValue(v[x]))
		}
	case []uint8:
		for ; x < end; x += width {
			out = append(out, byteValues[v[x]])
		}
	}
	t.scratch = out
}

// byteValues holds the numbers that a byte can be.
var byteValues = func() (v [256]parquet.Value) {
	for i := range v {
		v[i] = parquet.Int32Value(int32(i))
	}
	return v
}()

func (t *parquetResults) end() error { return t.w.Close() }
