package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// arrowTable has columns of many types and two batches, the first of three rows.
func arrowTable(t testing.TB) (*arrow.Schema, []arrow.RecordBatch) {
	t.Helper()
	soil := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "site", Type: arrow.BinaryTypes.String}, {Name: "a", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "b", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "c", Type: arrow.PrimitiveTypes.Float32}, {Name: "d", Type: arrow.PrimitiveTypes.Uint8},
		{Name: "wet", Type: arrow.BinaryTypes.LargeString}, {Name: "soil", Type: soil, Nullable: true}, {Name: "day", Type: arrow.FixedWidthTypes.Date32}, {Name: "none", Type: arrow.Null},
	}, nil)
	var out []arrow.RecordBatch
	for _, n := range []int{3, 2} {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for i := range n {
			b.Field(0).(*array.StringBuilder).Append("site " + string(rune('a'+i)))
			b.Field(2).(*array.Int64Builder).Append(int64(i % 2))
			b.Field(3).(*array.Float32Builder).Append([]float32{1, 0, float32(math.NaN())}[i])
			b.Field(4).(*array.Uint8Builder).Append(1)
			b.Field(5).(*array.LargeStringBuilder).Append([]string{"yes", "no", "?"}[i])
			b.Field(7).(*array.Date32Builder).Append(arrow.Date32(19000 + i))
			b.Field(8).AppendNull()
			if i == 2 {
				b.Field(1).AppendNull()
				b.Field(6).AppendNull()
			} else {
				b.Field(1).(*array.BooleanBuilder).Append(i == 0)
				if err := b.Field(6).(*array.BinaryDictionaryBuilder).AppendString([]string{"clay", "peat"}[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		out = append(out, b.NewRecordBatch())
	}
	return schema, out
}

// arrowFile writes batches in the form for files, or for streams.
func arrowFile(t testing.TB, schema *arrow.Schema, batches []arrow.RecordBatch, stream bool, options ...ipc.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	options = append(options, ipc.WithSchema(schema))
	if stream {
		w = ipc.NewWriter(&b, options...)
	} else {
		var err error
		if w, err = ipc.NewFileWriter(&b, options...); err != nil {
			t.Fatal(err)
		}
	}
	for _, batch := range batches {
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArrow(t *testing.T) {
	schema, batches := arrowTable(t)
	for name, content := range map[string][]byte{
		"file": arrowFile(t, schema, batches[:1], false), "stream": arrowFile(t, schema, batches[:1], true),
		"zstd": arrowFile(t, schema, batches[:1], true, ipc.WithZstd()), "lz4": arrowFile(t, schema, batches[:1], false, ipc.WithLZ4()),
		"gzip": zipped(arrowFile(t, schema, batches[:1], true)),
	} {
		s, err := readBytes(content, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := pixels(s); got != "#.###?\n.#.#.?\n?.?#??\n" || !cmp.Equal(s.Columns, []string{"a", "b", "c", "d", "wet", "none"}) {
			t.Errorf("%s: columns %q\n%s", name, s.Columns, got)
		}
		want := []Column{{"site", []string{"site a", "site b", "site c"}}, {"soil", []string{"clay", "peat", ""}}, {"day", []string{"2022-01-08", "2022-01-09", "2022-01-10"}}}
		if diff := cmp.Diff(want, s.Meta); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	path := write(t, "t.arrow", arrowFile(t, schema, batches, true, ipc.WithDictionaryDeltas(true)))
	opts := Options{Columns: []string{"soil", "b"}, Categories: []Category{{Name: "soil"}}, partBytes: 1}
	s, err := gather(t.Context(), []string{path}, opts, 0, -1)
	if err != nil || pixels(s) != "#..\n.##\n??.\n#..\n.##\n" || !cmp.Equal(s.Columns, []string{"soil=clay", "soil=peat", "b"}) {
		t.Errorf("categories: %v, %v", s, err)
	}
	refused(t, "t.arrow", arrowFile(t, schema, batches, false), Options{Columns: []string{"site", "a"}}, "row 1", `column "site"`, "--categories site")
	refused(t, "t.arrow", arrowFile(t, schema, nil, false), Options{}, "no rows")
	refused(t, "t.arrow", arrowFile(t, schema, batches, false)[:500], Options{}, "cut off")
	list := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, list)
	b.Field(0).AppendEmptyValue()
	refused(t, "l.arrow", arrowFile(t, list, []arrow.RecordBatch{b.NewRecordBatch()}, true), Options{}, `column "l"`, "nested", "flatten")
}

// TestArrowNumbers: all columns with numbers beyond bits are listed, with rows.
func TestArrowNumbers(t *testing.T) {
	b := writeResults(t, TableArrow, []TableColumn{{Name: "a", Type: ColumnInt}, {Name: "n", Type: ColumnFloat}, {Name: "m", Type: ColumnByte}}, func(yield func([]any, error) bool) {
		yield([]any{[]int64{0, 1}, []float64{0, 2.5}, []uint8{7, 0}}, nil)
	})
	refused(t, "t.arrow", b, Options{}, "row 2", "2 columns", `"n" (2.5 on row 2), "m" (7 on row 1)`, "--threshold", "--meta n,m")
	s := mustRead(t, "t.arrow", b, Options{Threshold: threshold(0)})
	if got := pixels(s); got != "..#\n##.\n" {
		t.Error(got)
	}
}

// TestArrowDamage flips every byte in turn: reading gives a set or a FormatError.
func TestArrowDamage(t *testing.T) {
	schema, batches := arrowTable(t)
	good := 0
	content := arrowFile(t, schema, batches, true, ipc.WithZstd())
	for i := range content {
		b := bytes.Clone(content)
		b[i] ^= []byte{0x01, 0x80, 0xff}[i%3]
		s, err := readBytes(b, Options{MaxMemory: 1 << 20})
		checkOutcome(t, s, err)
		if err == nil {
			good++
		}
	}
	if good == 0 || good == len(content) {
		t.Errorf("%d of %d damaged files read", good, len(content))
	}
}

// TestArrowHostile: numbers that determine allocations are checked before the
// library sees them.
func TestArrowHostile(t *testing.T) {
	schema, batches := arrowTable(t)
	plain, packed := arrowFile(t, schema, batches[:1], true), arrowFile(t, schema, batches[:1], true, ipc.WithZstd())
	le := binary.LittleEndian
	at := func(b []byte, v uint64) int { return bytes.Index(b, le.AppendUint64(nil, v)) }
	message := 8 + int(le.Uint32(plain[4:])) // where the schema ends
	change := func(b []byte, at int, v uint64, n int) []byte {
		b = bytes.Clone(b)
		copy(b[at:], le.AppendUint64(nil, v)[:n])
		return b
	}
	fields := bytes.Index(plain, le.AppendUint32(nil, uint32(schema.NumFields()))) // the length of the list
	bomb := bytes.LastIndex(packed, []byte("\x28\xb5\x2f\xfd")) - 8                // what a buffer says it holds
	for name, b := range map[string][]byte{
		"metadata": change(plain, 4, 0x7ffffff8, 4), "columns": change(plain, fields, 0x7fffffff, 4), "negative": change(plain, 4, 0x80000000, 4),
		"message": change(plain, message+4, 0x0ffffff8, 4), "buffer": change(packed, bomb, 1<<50, 8), "buffer below 0": change(packed, bomb, 1<<63, 8),
	} {
		if fields < 0 || bomb < 0 || at(b, 3) < 0 {
			t.Fatalf("%s: nothing to change", name)
		}
		before := allocated()
		_, err := readBytes(b, Options{})
		used := allocated() - before
		var fe *FormatError
		if !errors.As(err, &fe) {
			t.Errorf("%s: %v", name, err)
		}
		if used > 2<<20 {
			t.Errorf("%s: %d bytes allocated, %v", name, used, err)
		}
	}
}

// arrowViews returns a stream with two columns of views, the second of bytes.
func arrowViews(t testing.TB, options ...ipc.Option) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "long", Type: arrow.BinaryTypes.StringView}, {Name: "bytes", Type: arrow.BinaryTypes.BinaryView}, {Name: "a", Type: arrow.PrimitiveTypes.Int8}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i, v := range []string{"yes", "a text that needs a buffer of its own", "no"} {
		b.Field(0).(*array.StringViewBuilder).Append(v)
		b.Field(1).(*array.BinaryViewBuilder).Append([]byte(v))
		b.Field(2).(*array.Int8Builder).Append(int8(i % 2))
	}
	return arrowFile(t, schema, []arrow.RecordBatch{b.NewRecordBatch()}, true, options...)
}

// TestArrowViews: a column of views has as many buffers as a batch says, for each a place in memory.
func TestArrowViews(t *testing.T) {
	content := arrowViews(t)
	s := mustRead(t, "t.arrow", content, Options{Meta: []string{"long"}, Columns: []string{"a"}})
	if got := pixels(s); got != ".\n#\n.\n" || s.Meta[0].Values.([]string)[1] != "a text that needs a buffer of its own" {
		t.Errorf("%q, %v", got, s.Meta)
	}
	le := binary.LittleEndian
	counts := bytes.Index(content, le.AppendUint64(le.AppendUint64(le.AppendUint32(nil, 2), 1), 1))
	if counts < 0 {
		t.Fatal("there is no list of two counts")
	}
	for name, change := range map[string]func(b []byte){
		"many": func(b []byte) { le.PutUint64(b[counts+4:], 1<<40) }, "too many": func(b []byte) { le.PutUint64(b[counts+12:], 1<<62) },
		"below 0": func(b []byte) { le.PutUint64(b[counts+4:], 1<<63) }, "fewer": func(b []byte) { le.PutUint32(b[counts:], 1) },
		"none": func(b []byte) { le.PutUint32(b[counts:], 0) },
	} {
		b := bytes.Clone(content)
		change(b)
		before := allocated()
		_, err := readBytes(b, Options{})
		var fe *FormatError
		if used := allocated() - before; !errors.As(err, &fe) || used > 2<<20 {
			t.Errorf("%s: %v, %d bytes allocated", name, err, used)
		}
	}
}

// TestArrowDecimals: a type says how many digits decimals have, and the library would write them.
func TestArrowDecimals(t *testing.T) {
	for _, c := range []struct {
		precision, scale int32
		want             string
	}{{76, 2, ""}, {20, -3, ""}, {1 << 30, 2, "1073741824 digits"}, {20, 1 << 30, "1073741824 of them behind the point"}, {20, math.MinInt32, "behind the point"}, {0, 0, "0 digits"}} {
		kind := &arrow.Decimal256Type{Precision: c.precision, Scale: c.scale}
		schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: kind}}, nil)
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		b.Field(0).AppendEmptyValue()
		content := arrowFile(t, schema, []arrow.RecordBatch{b.NewRecordBatch()}, true)
		if c.want != "" {
			refused(t, "t.arrow", content, Options{}, "damaged", c.want)
		} else if got := pixels(mustRead(t, "t.arrow", content, Options{})); got != ".\n" {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestArrowDictionariesThatGrow: what is added to a dictionary costs as much as all of it.
func TestArrowDictionariesThatGrow(t *testing.T) {
	g := newArrowGuard(nil, 1<<30)
	for i, c := range []struct {
		id, length int64
		more, bad  bool
	}{{1, mostCopied - 10, false, false}, {2, 10, false, false}, {2, 10, true, false}, {1, 1, false, false}, {1, mostCopied - 30, true, false}, {2, 1, true, true}} {
		if err := g.grow(c.id, c.length, c.more); (err != nil) != c.bad {
			t.Errorf("step %d: %v", i, err)
		}
	}
}

// TestArrowViewsInDictionaries: views of a dictionary are counted in its messages, not in those of rows.
func TestArrowViewsInDictionaries(t *testing.T) {
	words := array.NewStringViewBuilder(memory.DefaultAllocator)
	words.AppendValues([]string{"yes", "no", "a text that needs a buffer of its own"}, nil)
	index := array.NewInt8Builder(memory.DefaultAllocator)
	index.AppendValues([]int8{0, 1, 0}, nil)
	kind := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.StringView}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: kind}}, nil)
	batch := array.NewRecordBatch(schema, []arrow.Array{array.NewDictionaryArray(kind, index.NewArray(), words.NewArray())}, 3)
	if got := pixels(mustRead(t, "t.arrow", arrowFile(t, schema, []arrow.RecordBatch{batch}, true), Options{})); got != "#\n.\n#\n" {
		t.Error(got)
	}
}

func FuzzArrow(f *testing.F) {
	schema, batches := arrowTable(f)
	fuzzFormat(f, arrowViews(f), arrowViews(f, ipc.WithZstd()), arrowFile(f, schema, batches, true), arrowFile(f, schema, batches, false), arrowFile(f, schema, batches[:1], true, ipc.WithLZ4()),
		arrowFile(f, schema, batches, true, ipc.WithZstd(), ipc.WithDictionaryDeltas(true)))
}

// TestArrowIsCSV: the same table as text and as Arrow is the same set.
func TestArrowIsCSV(t *testing.T) {
	columns := []TableColumn{{Name: "site"}, {Name: "a", Type: ColumnByte, Block: []string{"x", "y"}}, {Name: "z", Type: ColumnFloat}}
	chunks := func(yield func([]any, error) bool) {
		yield([]any{[]string{"u", "v"}, []uint8{1, 0, 0, 1}, []float64{math.NaN(), 1}}, nil)
	}
	want := mustRead(t, "t.csv", writeResults(t, TableCSV, columns, chunks), Options{})
	for _, f := range []TableFormat{TableArrow, TableParquet} {
		got := mustRead(t, "t", writeResults(t, f, columns, chunks), Options{})
		if diff := cmp.Diff(want, got, sameSets, cmpopts.IgnoreFields(Set{}, "Source", "Notes")); diff != "" || !strings.Contains(pixels(got), "#.?") {
			t.Errorf("%s: %s", f, diff)
		}
	}
}
