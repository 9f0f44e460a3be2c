//go:build !js

package dataset

import (
	"fmt"
	"io"
	"reflect"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

// parquetResults writes a table as Parquet, a row group at a time.
type parquetResults struct {
	out     io.Writer
	w       *parquet.GenericWriter[any]
	columns []TableColumn

	mu   sync.Mutex
	idle []*parquetGroup
}

// parquetGroup encodes a row group.
type parquetGroup struct {
	*parquet.ConcurrentRowGroupWriter
	scratch []parquet.Value
}

func newParquetTable(w io.Writer) *parquetResults { return &parquetResults{out: w} }

// take returns the memory for a row group.
func (t *parquetResults) take() *parquetGroup {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := len(t.idle) - 1
	if last < 0 {
		return &parquetGroup{t.w.BeginRowGroup(), make([]parquet.Value, 0, parquetBlock)}
	}
	g := t.idle[last]
	t.idle = t.idle[:last]
	return g
}

func (t *parquetResults) give(g *parquetGroup) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle = append(t.idle, g)
}

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
	t.w = parquet.NewGenericWriter[any](t.out, parquet.NewSchema("table", g),
		parquet.Compression(quickSnappy{&parquet.Snappy}),
		parquet.CreatedBy("patchwork", "1", ""), parquet.DataPageStatistics(false))
	return nil
}

// parquetBlock is how many rows are taken apart into columns at a time, few enough
// for the caches of a processor.
const parquetBlock = 1024

func (t *parquetResults) encode(values []any, rows int) (write func() error, err error) {
	g := t.take()
	writers := g.ColumnWriters()
	for from := 0; from < rows; from += parquetBlock {
		to := min(from+parquetBlock, rows)
		at := 0
		for k, c := range t.columns {
			for x := range c.width() {
				g.fill(values[k], from*c.width()+x, to*c.width(), c.width())
				if n, err := writers[at].WriteRowValues(g.scratch); err != nil || n != to-from {
					return nil, firstError(err, fmt.Errorf("column %q of the table: %d of %d values written", c.Name, n, to-from))
				}
				at++
			}
		}
	}
	if err := g.Flush(); err != nil {
		return nil, err
	}
	return func() error {
		_, err := g.Commit()
		t.give(g)
		return err
	}, nil
}

// fill sets the scratch space to every width-th of values [x, end). Columns that must
// not be null need no levels.
func (g *parquetGroup) fill(values any, x, end, width int) {
	out := g.scratch[:0]
	switch v := values.(type) {
	case []string:
		for _, s := range v[x:end] {
			out = append(out, parquet.ByteArrayValue([]byte(s)))
		}
	case []int64:
		out = out[:(end-x+width-1)/width]
		for i := range out {
			out[i] = parquet.Int64Value(v[x+i*width])
		}
	case []float64:
		out = out[:(end-x+width-1)/width]
		for i := range out {
			out[i] = parquet.DoubleValue(v[x+i*width])
		}
	case []uint8:
		out = out[:(end-x+width-1)/width]
		for i := range out {
			out[i] = byteValues[v[x+i*width]]
		}
	}
	g.scratch = out
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
