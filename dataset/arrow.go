//go:build !js

package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// arrow reads an Arrow IPC file or stream: booleans and numbers are data, null is
// unknown, and text is judged as in a CSV file.
func (in *input) arrow(r io.Reader, again func() (io.Reader, error)) (decoder, error) {
	s := &arrowSource{in: in, first: r, again: again}
	if again == nil {
		if err := s.hold(); err != nil {
			return nil, err
		}
	}
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, &FormatError{Msg: "a table without columns"}
	}
	return in.table(s, names)
}

// arrowValues reads real values in Arrow IPC.
func (in *input) arrowValues(r io.Reader, again func() (io.Reader, error)) (*valueFile, error) {
	s := &arrowSource{in: in, first: r, again: again}
	if err := s.hold(); err != nil {
		return nil, err
	}
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	return in.tableValues(s, names)
}

// arrowSource is a table in Arrow IPC.
type arrowSource struct {
	in    *input
	first io.Reader // until it is held
	again func() (io.Reader, error)
}

// names returns the names of the columns.
func (s *arrowSource) names() ([]string, error) {
	rows, err := s.records()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range rows.(*arrowRecords).r.Schema().Fields() {
		names = append(names, f.Name)
	}
	return names, nil
}

func (s *arrowSource) unit() string             { return "row" }
func (s *arrowSource) once() bool               { return s.again == nil }
func (s *arrowSource) leastRows() int64         { return 0 }
func (s *arrowSource) repeat() (records, error) { return s.records() }

// hold reads the table into memory if it can be read only once.
func (s *arrowSource) hold() error {
	if s.again != nil {
		return nil
	}
	data, err := s.in.slurp(s.first)
	s.again = func() (io.Reader, error) { return bytes.NewReader(data), nil }
	return err
}

func (s *arrowSource) records() (records, error) {
	r, err := s.again()
	if err != nil {
		return nil, err
	}
	return s.in.arrowRecords(r)
}

// sampleRows is how many rows are examined before a table is read that is not text.
const sampleRows = 1000

func (s *arrowSource) sample() (records, bool, error) {
	r, err := s.records()
	if err != nil {
		return nil, false, err
	}
	// Whether the table ends there is not known before it is read.
	return &firstRecords{records: r, left: sampleRows}, false, nil
}

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

// arrowRecords yields the rows of the batches of a table.
type arrowRecords struct {
	in    *input
	guard *arrowGuard
	r     *ipc.Reader
	batch arrow.RecordBatch
	cells []func(int) string // of the columns of the batch
	row   int                // of the batch
	at    int                // rows before it
	out   []string
}

func (in *input) arrowRecords(r io.Reader) (a *arrowRecords, err error) {
	defer recoverArrow(&err)
	guard := newArrowGuard(r, in.budget.max)
	reader, err := ipc.NewReaderFromMessageReader(guard, ipc.WithAllocator(guard))
	if err != nil {
		return nil, guard.worded(err)
	}
	return &arrowRecords{in: in, guard: guard, r: reader}, nil
}

func (a *arrowRecords) read() (cells []string, row int, err error) {
	defer recoverArrow(&err)
	for a.batch == nil || a.row == int(a.batch.NumRows()) {
		if a.batch != nil {
			a.at += a.row
		}
		if a.batch, err = a.r.Read(); err == io.EOF {
			if err := drain(a.guard.r); err != nil { // beyond the last batch of a packed file
				return nil, 0, a.guard.worded(err)
			}
			return nil, 0, io.EOF
		} else if err != nil {
			return nil, 0, a.guard.worded(err)
		}
		if n := a.batch.NumRows(); n < 0 || n > a.in.budget.max/imageOverhead {
			return nil, 0, &FormatError{Msg: fmt.Sprintf("a batch of %d rows, more than fit in %d bytes of memory", n, a.in.budget.max), memory: true}
		}
		a.row, a.cells = 0, a.cells[:0]
		for i, c := range a.batch.Columns() {
			cell, err := arrowCell(c)
			if err != nil {
				return nil, 0, onColumn(err, a.batch.ColumnName(i))
			}
			if int64(c.Len()) != a.batch.NumRows() {
				return nil, 0, damagedArrow(fmt.Errorf("column %q has %d rows, not %d", a.batch.ColumnName(i), c.Len(), a.batch.NumRows()))
			}
			a.cells = append(a.cells, cell)
		}
	}
	a.out = a.out[:0]
	for _, cell := range a.cells {
		a.out = append(a.out, cell(a.row))
	}
	a.row++
	return a.out, a.at + a.row, nil
}

func onColumn(err error, name string) error {
	var fe *FormatError
	if errors.As(err, &fe) && fe.Column == "" {
		fe.Column = name
	}
	return err
}

// arrowCell returns what the rows of a column are as text; null is empty.
func arrowCell(c arrow.Array) (func(int) string, error) {
	value, err := arrowValue(c)
	if err != nil || c.NullN() == 0 && c.DataType().ID() != arrow.NULL {
		return value, err
	}
	return func(i int) string {
		if c.IsNull(i) {
			return ""
		}
		return value(i)
	}, nil
}

func arrowValue(c arrow.Array) (func(int) string, error) {
	switch c := c.(type) {
	case *array.Null:
		return func(int) string { return "" }, nil
	case *array.Boolean:
		return func(i int) string {
			if c.Value(i) {
				return "1"
			}
			return "0"
		}, nil
	case *array.Uint8:
		return integers(c.Values()), nil
	case *array.Int8:
		return integers(c.Values()), nil
	case *array.Int16:
		return integers(c.Values()), nil
	case *array.Uint16:
		return integers(c.Values()), nil
	case *array.Int32:
		return integers(c.Values()), nil
	case *array.Uint32:
		return integers(c.Values()), nil
	case *array.Int64:
		return integers(c.Values()), nil
	case *array.Uint64:
		return func(i int) string { return strconv.FormatUint(c.Value(i), 10) }, nil
	case *array.Float32:
		return func(i int) string { return strconv.FormatFloat(float64(c.Value(i)), 'g', -1, 32) }, nil
	case *array.Float64:
		return func(i int) string { return strconv.FormatFloat(c.Value(i), 'g', -1, 64) }, nil
	case *array.String:
		return c.Value, nil
	case *array.LargeString:
		return c.Value, nil
	case *array.StringView:
		return c.Value, nil
	case *array.Dictionary:
		value, err := arrowCell(c.Dictionary())
		n := c.Dictionary().Len()
		return func(i int) string {
			k := c.GetValueIndex(i)
			if k < 0 || k >= n {
				panic(fmt.Sprintf("value %d of a dictionary of %d", k, n))
			}
			return value(k)
		}, err
	}
	const digits = 76 // of the widest decimal; the library writes as many as a type claims
	if d, ok := c.DataType().(arrow.DecimalType); ok && (d.GetPrecision() < 1 || d.GetPrecision() > digits || d.GetScale() < -digits || d.GetScale() > digits) {
		return nil, damagedArrow(fmt.Errorf("decimals of %d digits, %d of them behind the point", d.GetPrecision(), d.GetScale()))
	}
	if _, nested := c.DataType().(arrow.NestedType); nested || c.DataType().ID() == arrow.EXTENSION {
		return nil, &FormatError{Msg: "a nested column, of type " + c.DataType().Name(), Hint: "flatten it, or write the table without it"}
	}
	return c.ValueStr, nil // dates, times, decimals
}

func integers[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64](v []T) func(int) string {
	return func(i int) string { return strconv.FormatInt(int64(v[i]), 10) } // no allocation for small ones
}

// recoverArrow converts a panic to an error: the library panics on what does not fit
// together. No goroutine is started that could panic elsewhere.
func recoverArrow(err *error) {
	if p := recover(); p != nil {
		broken, ok := p.(error)
		if !ok {
			broken = fmt.Errorf("%v", p)
		}
		*err = damagedArrow(broken)
	}
}

// damagedArrow wraps an error of the library as damage; errors of the file system,
// and ours, stay unchanged.
func damagedArrow(err error) error {
	var pe *fs.PathError
	var fe *FormatError
	switch {
	case errors.As(err, &pe):
		return pe
	case errors.As(err, &fe):
		return fe
	}
	return &FormatError{Msg: "damaged Arrow table", Hint: "copy or write the file again", Err: plainPanic(err)}
}
