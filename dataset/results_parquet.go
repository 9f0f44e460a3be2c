package dataset

import (
	"fmt"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// parquetResults writes a table as Parquet, a row group at a time.
type parquetResults struct {
	out     io.Writer
	w       *parquet.GenericWriter[any]
	columns []TableColumn
	scratch []parquet.Value
}

func newParquetTable(w io.Writer) *parquetResults { return &parquetResults{out: w} }

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
	t.w = parquet.NewGenericWriter[any](t.out, parquet.NewSchema("table", g), parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.CreatedBy("patchwork", "1", ""), parquet.DataPageStatistics(false))
	return nil
}

func (t *parquetResults) write(values []any, rows int) error {
	writers := t.w.ColumnWriters()
	at := 0
	for k, c := range t.columns {
		for x := range c.width() {
			t.fill(values[k], x, c.width())
			if n, err := writers[at].WriteRowValues(t.scratch); err != nil || n != rows {
				return firstError(err, fmt.Errorf("column %q of the table: %d of %d values written", c.Name, n, rows))
			}
			at++
		}
	}
	return t.w.Flush()
}

// fill sets the scratch space to every width-th value from x on. Columns that must
// not be null need no levels.
func (t *parquetResults) fill(values any, x, width int) {
	t.scratch = t.scratch[:0]
	switch v := values.(type) {
	case []string:
		for _, s := range v {
			t.scratch = append(t.scratch, parquet.ByteArrayValue([]byte(s)))
		}
	case []int64:
		for ; x < len(v); x += width {
			t.scratch = append(t.scratch, parquet.Int64Value(v[x]))
		}
	case []float64:
		for ; x < len(v); x += width {
			t.scratch = append(t.scratch, parquet.DoubleValue(v[x]))
		}
	case []uint8:
		for ; x < len(v); x += width {
			t.scratch = append(t.scratch, byteValues[v[x]])
		}
	}
}

// byteValues holds the numbers that a byte can be.
var byteValues = func() (v [256]parquet.Value) {
	for i := range v {
		v[i] = parquet.Int32Value(int32(i))
	}
	return v
}()

func (t *parquetResults) end() error   { return t.w.Close() }
func (t *parquetResults) close() error { return nil }
