//go:build !js

package dataset

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// arrowResults writes a table as an Arrow IPC file, a record batch at a time.
type arrowResults struct {
	out     io.Writer
	w       *ipc.FileWriter
	columns []TableColumn
	schema  *arrow.Schema
}

func newArrowTable(w io.Writer) *arrowResults { return &arrowResults{out: w} }

func (t *arrowResults) begin(columns []TableColumn) error {
	t.columns = columns
	var fields []arrow.Field
	for _, c := range columns {
		kind := map[ColumnType]arrow.DataType{ColumnText: arrow.BinaryTypes.String, ColumnInt: arrow.PrimitiveTypes.Int64,
			ColumnFloat: arrow.PrimitiveTypes.Float64, ColumnByte: arrow.PrimitiveTypes.Uint8}[c.Type]
		for _, name := range c.names() {
			fields = append(fields, arrow.Field{Name: name, Type: kind})
		}
	}
	t.schema = arrow.NewSchema(fields, nil)
	var err error
	t.w, err = ipc.NewFileWriter(t.out, ipc.WithSchema(t.schema))
	return err
}

func (t *arrowResults) encode(values []any, _ int) (write func() error, err error) {
	batch := array.NewRecordBuilder(memory.DefaultAllocator, t.schema)
	defer batch.Release()
	at := 0
	for k, c := range t.columns {
		w := c.width()
		for x := range w {
			b := batch.Field(at)
			switch v := values[k].(type) {
			case []string:
				b.(*array.StringBuilder).AppendValues(v, nil)
			case []int64:
				b.(*array.Int64Builder).AppendValues(every(v, x, w), nil)
			case []float64:
				b.(*array.Float64Builder).AppendValues(every(v, x, w), nil)
			case []uint8:
				b.(*array.Uint8Builder).AppendValues(every(v, x, w), nil)
			}
			at++
		}
	}
	record := batch.NewRecordBatch()
	return func() error {
		defer record.Release()
		return t.w.Write(record)
	}, nil
}

// every returns every width-th value from x on.
func every[T any](v []T, x, width int) []T {
	if width == 1 {
		return v
	}
	out := make([]T, 0, len(v)/width)
	for ; x < len(v); x += width {
		out = append(out, v[x])
	}
	return out
}

func (t *arrowResults) end() error   { return t.w.Close() }
func (t *arrowResults) close() error { return nil }
