//go:build !js

package dataset

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/testenv"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"
)

// results is a table whose columns have every type and are hard to name.
var resultColumns = []TableColumn{
	{Name: "site, of \"moor\"", Type: ColumnText}, {Name: "index", Type: ColumnInt},
	{Name: "codes", Type: ColumnByte, Block: []string{"part 0", "b.c", "a"}},
	{Name: "gain", Type: ColumnFloat, Block: []string{"gain: 0", "gain: b.c"}}, {Name: "score", Type: ColumnFloat},
}

// drawResults returns the values of n rows for resultColumns.
func drawResults(t *rapid.T, n int) []any {
	text := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "longer, with a comma", "\"", " x", "line\nend", "ä"}), n,
		n).Draw(t, "text")
	ints := rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "ints")
	codes := rapid.SliceOfN(rapid.Uint8(), 3*n, 3*n).Draw(t, "codes")
	value := rapid.OneOf(rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), -0.5}), rapid.Float64())
	return []any{text, ints, codes, rapid.SliceOfN(value, 2*n, 2*n).Draw(t, "gain"),
		rapid.SliceOfN(value, n, n).Draw(t, "score")}
}

// cutResults yields the values of n rows in pieces that end at the given rows.
func cutResults(values []any, n int, ends []int) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		from := 0
		for _, to := range append(ends, n) {
			to = max(from, min(to, n))
			var chunk []any
			for i, c := range resultColumns {
				w := c.width()
				chunk = append(chunk, reflect.ValueOf(values[i]).Slice(from*w, to*w).Interface())
			}
			if from = to; !yield(chunk, nil) {
				return
			}
		}
	}
}

// TestWriteTable: every format gives the values back, and its bytes do not
// depend on the chunks.
func TestWriteTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "rows")
		values := drawResults(t, n)
		ends := rapid.SliceOfN(rapid.IntRange(0, n), 0, 3).Draw(t, "ends")
		for _, f := range []TableFormat{TableCSV, TableNPZ, TableParquet} {
			b := writeResults(t, f, resultColumns, cutResults(values, n, nil))
			if !bytes.Equal(b, writeResults(t, f, resultColumns, cutResults(values, n, ends))) {
				t.Fatalf("%s: other bytes when cut at %v", f, ends)
			}
			got := map[TableFormat]func(rapid.TB, []byte) []any{TableCSV: csvResults, TableNPZ: npzResults,
				TableParquet: parquetValues}[f](t, b)
			if diff := cmp.Diff(values, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s: %s", f, diff)
			}
		}
	})
}

func csvResults(t rapid.TB, b []byte) []any {
	records, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"site, of \"moor\"", "index", "part 0", "b.c", "a", "gain: 0", "gain: b.c",
		"score"}; !cmp.Equal(records[0], want) {
		t.Fatalf("header %q", records[0])
	}
	return fromCells(records[1:])
}

// fromCells turns rows of text into the columns of results.
func fromCells(records [][]string) []any {
	text, ints, codes, gain, score := []string{}, []int64{}, []uint8{}, []float64{}, []float64{}
	number := func(s string) float64 {
		if s == "" {
			return math.NaN()
		}
		v, _ := strconv.ParseFloat(s, 64)
		return v
	}
	for _, r := range records {
		text = append(text, r[0])
		v, _ := strconv.ParseInt(r[1], 10, 64)
		ints = append(ints, v)
		for _, s := range r[2:5] {
			v, _ := strconv.Atoi(s)
			codes = append(codes, uint8(v))
		}
		gain = append(gain, number(r[5]), number(r[6]))
		score = append(score, number(r[7]))
	}
	return []any{text, ints, codes, gain, score}
}

func npzResults(t rapid.TB, b []byte) []any {
	z, err := npy.ReadZip(bytes.NewReader(b), int64(len(b)), 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []any
	for _, c := range resultColumns {
		a := readArray(t, z, c.Name)
		if len(a.Shape) != 1+min(1, len(c.Block)) || c.Block != nil && a.Shape[1] != len(c.Block) {
			t.Fatalf("%s of shape %v", c.Name, a.Shape)
		}
		out = append(out, a.Data)
	}
	return out
}

func readArray(t rapid.TB, z *npy.Zip, name string) *npy.Array {
	a, err := z.Array(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func parquetValues(t rapid.TB, b []byte) []any {
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var records [][]string
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		for buf := make([]parquet.Row, 10); ; {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				var r []string
				for _, v := range row {
					r = append(r, valueText(v))
				}
				records = append(records, r)
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		rows.Close()
	}
	return fromCells(records)
}

// TestWriteTableGroups: tables of many row groups, and arrays too large for
// memory, come back whole.
func TestWriteTableGroups(t *testing.T) {
	columns := []TableColumn{{Name: "n", Type: ColumnInt}, {Name: "x", Type: ColumnFloat, Block: make([]string, 90)}}
	for i := range columns[1].Block {
		columns[1].Block[i] = fmt.Sprint("x", i)
	}
	const rows = 40000
	chunks := func(yield func([]any, error) bool) {
		seed := uint64(1)
		for i := range rows {
			x := make([]float64, 90)
			for k := range x { // does not compress
				seed = seed*6364136223846793005 + 1442695040888963407
				x[k] = math.Float64frombits(seed>>12 | 1023<<52)
			}
			if !yield([]any{[]int64{int64(i)}, x}, nil) {
				return
			}
		}
	}
	t.Setenv("TMPDIR", t.TempDir())
	b := writeResults(t, TableNPZ, columns, chunks)
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %v, %v", left, err)
	}
	z, err := npy.ReadZip(bytes.NewReader(b), int64(len(b)), 0)
	if err != nil {
		t.Fatal(err)
	}
	if x := readArray(t, z, "x"); !cmp.Equal(x.Shape, []int{rows, 90}) {
		t.Fatalf("shape %v", x.Shape)
	}
	if testing.Short() {
		return
	}
	for _, f := range []TableFormat{TableParquet} {
		s, err := Decode(context.Background(), "t", writeResults(t, f, columns[:1], func(yield func([]any, error) bool) {
			for chunk := range chunks {
				if !yield(chunk[:1], nil) {
					return
				}
			}
		}), Options{Threshold: threshold(rows / 2)})
		if err != nil || s.Len() != rows || s.Images[0].At(0, 0) || !s.Images[rows-1].At(0, 0) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// TestWriteTableRefuses: what cannot be written is an error.
func TestWriteTableRefuses(t *testing.T) {
	one := func(values ...any) iter.Seq2[[]any, error] {
		return func(yield func([]any, error) bool) { yield(values, nil) }
	}
	twice := []TableColumn{{Name: "a", Type: ColumnInt}, {Name: "b", Type: ColumnByte, Block: []string{"c", "a"}}}
	err := WriteTable(io.Discard, TableCSV, twice, one([]int64{}, []uint8{}))
	if err == nil || !testenv.Said(t, err.Error()) {
		t.Error(err)
	}
	if err := WriteTable(io.Discard, TableNPZ, twice, one([]int64{}, []uint8{})); err != nil {
		t.Error(err) // in an archive the block is one array, b
	}
	if err := WriteTable(io.Discard, TableNPZ, []TableColumn{{Name: "a"}}, one([]string{"x\x00"})); err == nil ||
		!testenv.Said(t, err.Error()) {
		t.Error(err)
	}
	if err := WriteTable(io.Discard, "xlsx", nil, one()); err == nil || !testenv.Said(t, err.Error()) {
		t.Error(err)
	}
	failed := errors.New("no more")
	for _, f := range []TableFormat{TableCSV, TableNPZ, TableParquet} {
		if err := WriteTable(io.Discard, f, []TableColumn{{Name: "a"}},
			func(yield func([]any, error) bool) { yield(nil, failed) }); err != failed {
			t.Errorf("%s: %v", f, err)
		}
		for n := range 3 { // a writer that fails at once, or after some bytes
			w := &failingWriter{left: 40 * n, err: failed}
			if err := WriteTable(w, f, []TableColumn{{Name: "a"}}, one([]string{strings.Repeat("x", 100)})); !errors.Is(err,
				failed) {
				t.Errorf("%s after %d bytes: %v", f, 40*n, err)
			}
		}
	}
}

// failingWriter fails after some bytes.
type failingWriter struct {
	left int
	err  error
}

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, w.err
	}
	return len(b), nil
}

func TestTableFormatOf(t *testing.T) {
	for path, want := range map[string]TableFormat{"a.csv": TableCSV, "a/b.NPZ": TableNPZ, "x.parquet": TableParquet} {
		if got, err := TableFormatOf(path); err != nil || got != want {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
	if _, err := TableFormatOf("codes.jpg"); err == nil || !testenv.Said(t, err.Error()) {
		t.Error(err)
	}
}

func BenchmarkWriteTable(b *testing.B) {
	columns := []TableColumn{{Name: "row", Type: ColumnInt}, {Name: "codes", Type: ColumnByte, Block: make([]string, 100)}}
	for i := range columns[1].Block {
		columns[1].Block[i] = fmt.Sprint("part ", i)
	}
	codes, row := make([]uint8, 100*1000), make([]int64, 1000)
	for i := range codes {
		if i*i*7919%31 == 3 {
			codes[i] = 1
		}
	}
	for _, f := range []TableFormat{TableCSV, TableNPZ, TableParquet} {
		b.Run(string(f), func(b *testing.B) {
			b.SetBytes(int64(len(codes)) * 100)
			for b.Loop() {
				err := WriteTable(io.Discard, f, columns, func(yield func([]any, error) bool) {
					for range 100 {
						if !yield([]any{row, codes}, nil) {
							return
						}
					}
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestParquetIsCSV: the same table as text and as Parquet is the same set.
func TestParquetIsCSV(t *testing.T) {
	columns := []TableColumn{{Name: "site"}, {Name: "a", Type: ColumnByte, Block: []string{"x", "y"}},
		{Name: "z", Type: ColumnFloat}}
	chunks := func(yield func([]any, error) bool) {
		yield([]any{[]string{"u", "v"}, []uint8{1, 0, 0, 1}, []float64{math.NaN(), 1}}, nil)
	}
	want := mustRead(t, "t.csv", writeResults(t, TableCSV, columns, chunks), Options{})
	got := mustRead(t, "t", writeResults(t, TableParquet, columns, chunks), Options{})
	if diff := cmp.Diff(want, got, sameSets, cmpopts.IgnoreFields(Set{}, "Source", "Notes")); diff != "" ||
		!strings.Contains(pixels(got), "#.?") {
		t.Error(diff)
	}
}

// TestSpool: what was written to a spool, in pieces of any size, is what is read from it.
func TestSpool(t *testing.T) {
	var s spool
	var want, got bytes.Buffer
	for i, size := range []int{0, 1, 1 << 16, 3, spoolMemory - 1<<17, 1 << 16, 1 << 17, 9} {
		piece := bytes.Repeat([]byte{byte(i + 1)}, size)
		want.Write(piece)
		if n, err := s.Write(piece); n != size || err != nil {
			t.Fatal(n, err)
		}
	}
	defer s.close()
	if s.file == nil || s.size > spoolMemory {
		t.Errorf("%d bytes in memory", s.size)
	}
	if err := s.copyTo(&got); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%d bytes of %d, %v", got.Len(), want.Len(), err)
	}
}
