package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/testenv"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
)

func TestCSV(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		opts    Options
		want    string // pixels
		columns []string
	}{
		"plain":           {"0,1\n1,0\n", Options{}, ".#\n#.\n", nil},
		"no last newline": {"0,1\r\n1,0", Options{}, ".#\n#.\n", nil},
		"line ends of CR": {"a,b\r0,1\r1,0", Options{}, ".#\n#.\n", []string{"a", "b"}},
		"byte-order mark": {"\xef\xbb\xbf0,1\n", Options{}, ".#\n", nil},
		"words":           {"y,N,true,FALSE\nT,f,Yes,no\n", Options{Header: HeaderAbsent}, "#.#.\n#.#.\n", nil},
		"unknown":         {"1,?,NA,,nan,#N/A,\\N,<NA>\n", Options{}, "#???????\n", nil},
		"floats":          {"0.0,1.0\n", Options{}, ".#\n", nil},
		"header":          {"a, b\n0,1\n", Options{}, ".#\n", []string{"a", "b"}},
		"mixed header":    {"outcome,0,1\n1,0,1\n", Options{}, "#.#\n", []string{"outcome", "0", "1"}},
		"counting header": {"0,1,2\n1,1,1\n", Options{}, "###\n", []string{"0", "1", "2"}},
		"forced header":   {"t,f\n1,1\n", Options{Header: HeaderPresent}, "##\n", []string{"t", "f"}},
		"tabs":            {"a\tb\tc\n\t1\t0\n", Options{}, "?#.\n", []string{"a", "b", "c"}},
		"semicolons":      {"a;b\n 1 ; 0\n", Options{}, "#.\n", []string{"a", "b"}},
		"other delimiter": {"1|0\n", Options{Delimiter: '|'}, "#.\n", nil},
		"quotes":          {"\"a,b\",c\n\"1\",0\n", Options{}, "#.\n", []string{"a,b", "c"}},
		"threshold":       {"0,7,9\n3,?,8\n", Options{Threshold: threshold(7)}, "..#\n.?#\n", nil},
		"words stay":      {"y,n\n", Options{Header: HeaderAbsent, Threshold: threshold(7)}, "#.\n", nil},
		"invert":          {"0,1,?\n", Options{Invert: true}, "#.?\n", nil},
		"columns":         {"a,b,c\n0,1,zzz\n", Options{Columns: []string{"b", "a"}}, "#.\n", []string{"b", "a"}},
		"by number": {"x,0,1\nz,1,1\n", Options{Columns: []string{"3", "2"}}, "#.\n##\n",
			[]string{"column 3", "column 2"}},
		"image": {"0,1,1,0\n", Options{Height: 2, Width: 2}, ".#\n#.\n", nil},
	} {
		for _, packed := range []bool{false, true} {
			content := []byte(c.text)
			if packed {
				content = zipped(content)
			}
			s := mustRead(t, "t.csv", content, c.opts)
			if got := pixels(s); got != c.want || !cmp.Equal(s.Columns, c.columns) {
				t.Errorf("%s: columns %q, pixels\n%s", name, s.Columns, got)
			}
		}
	}
}

func TestCSVRoles(t *testing.T) {
	const text = "id,party,crime,n,age,tax\n007,rep,1,3,40.5,0\n008,dem,?,0,,1\n"
	s := mustRead(t, "v.csv", []byte(text), Options{Edits: []Edit{{Column: "n", Want: "weight"}, {Column: "id", Want: "label"}, {Column: "age", Want: "label"}},
		Where: conditions(t, "party=rep,dem")})
	if got := pixels(s); got != "#.\n?#\n" || !cmp.Equal(s.Columns, []string{"crime", "tax"}) {
		t.Errorf("columns %v:\n%s", s.Columns, got)
	}
	want := []Labels{LabelsOf("id", []string{"007", "008"}), LabelsOf("age", []float64{40.5, math.NaN()}),
		LabelsOf("party", []string{"rep", "dem"})}
	if diff := cmp.Diff(want, s.Meta, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	if !cmp.Equal(s.Weights, []int64{3, 0}) {
		t.Errorf("weights %v", s.Weights)
	}
	// A column may be both: chosen as data and used to select.
	s = mustRead(t, "v.csv", []byte(text), Options{Columns: []string{"crime", "tax"}, Where: conditions(t, "tax=1")})
	if got := pixels(s); got != "?#\n" || !cmp.Equal(s.Index, []int{1}) {
		t.Errorf("rows %v:\n%s", s.Index, got)
	}
	// Without names, columns go by number.
	s = mustRead(t, "h.csv", []byte("rep,1,0\ndem,0,0\n"), Options{Where: conditions(t, "1=dem")})
	if got := pixels(s); got != "..\n" {
		t.Errorf("by number:\n%s", got)
	}
}

func TestCSVRefusals(t *testing.T) {
	for _, c := range []struct {
		text string
		opts Options
	}{
		{"a,b\n0,1\n0,2\n", Options{}},
		{"0,2,1\n0,0,1\n", Options{}},
		{"a,b,c\n0,1,2\n1,7,0\n", Options{}},
		{"a;b\n0;0,5\n1;0,25\n", Options{}},
		{"Class,a\nrepublican,4\n", Options{}},
		{"0,1\n0,1\n0\n", Options{}},
		{"a,b\n0,1,1\n", Options{}},
		{"0,\"1\n", Options{}},
		{"a,b\n1,0\n\"0,1\n1,1\n", Options{}},
		{"a,\"b\n1,0\n0,1\n", Options{}},
		{"a,\"b\n1,0\n0,1\"\n", Options{}},
		{"\"a,b\n1,0\n0,1\"\n", Options{}},
		{"0,1\n0,1\"\n", Options{}},
		{"a,b\n", Options{Header: HeaderPresent}},
		{"\n\n", Options{}},
		{"a,b\n0,1\n", Options{Columns: []string{"c"}}},
		{"0,1\n", Options{Columns: []string{"c"}}},
		{"0,1\n", Options{Columns: []string{"3"}}},
		{"a,b\n0,1\n", Options{Where: conditions(t, "z=1")}},
		{"a,b\n0,1\n", Options{Edits: []Edit{{Column: "a", Want: "label"}, {Column: "b", Want: "label"}}}},
		{"a,w\n0,-1\n", Options{Edits: []Edit{{Column: "w", Want: "weight"}}}},
		{"a,b\n0,1\n", Options{Delimiter: '"'}},
		{"a,b\n" + strings.Repeat("0,1\n", 1000), Options{MaxMemory: 5000}},
		{"hello world\n", Options{}},
		{"a,b\nu,v\nw,x\n", Options{}},
	} {
		refused(t, "bad.csv", []byte(c.text), c.opts)
	}
	fe := refused(t, "bad.csv", []byte("a,b\n0,1\n0,2\n"), Options{})
	if fe.Line != 3 || fe.Column != "b" {
		t.Errorf("facts: line %d, column %q", fe.Line, fe.Column)
	}
}

// endless is a table with a single line that never ends.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	e.n += len(p)
	return len(p), nil
}

func TestEndlessLine(t *testing.T) {
	e := &endless{}
	_, err := newInput(Options{}).file(&content{path: "pipe", open: func() (io.Reader, error) { return e, nil }})
	if err == nil || !testenv.Said(t, err.Error()) || e.n > 2*maxRecord {
		t.Fatalf("%v after %d bytes", err, e.n)
	}
}

type parquetRow struct {
	A     bool     `parquet:"a"`
	B     *int32   `parquet:"b,optional"`
	C     int64    `parquet:"c"`
	F     *float64 `parquet:"f,optional"`
	N     int32    `parquet:"n"`
	Label string   `parquet:"label,dict"`
	Group *int64   `parquet:"group,optional"`
}

func ptr[T any](v T) *T { return &v }

func parquetFile[T any](t testing.TB, groups [][]T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := parquet.NewGenericWriter[T](&buf, options...)
	for _, rows := range groups {
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func parquetRows() [][]parquetRow {
	return [][]parquetRow{
		{{true, ptr(int32(0)), 1, ptr(1.0), 5, "T", ptr(int64(1))}, {false, nil, 0, nil, 0, "L", nil}},
		{{true, ptr(int32(1)), 0, ptr(math.NaN()), 2, "T", ptr(int64(3))}},
	}
}

func TestParquet(t *testing.T) {
	for name, options := range map[string][]parquet.WriterOption{
		"plain": nil, "zstd": {parquet.Compression(&parquet.Zstd)}, "snappy": {parquet.Compression(&parquet.Snappy)},
		"pages 1": {parquet.DataPageVersion(1)}, "pages 2": {parquet.DataPageVersion(2)},
	} {
		content := parquetFile(t, parquetRows(), options...)
		s := mustRead(t, "t.parquet", content, Options{Edits: []Edit{{Column: "n", Want: "weight"}, {Column: "group", Want: "label"}}})
		if got := pixels(s); got != "#.##\n.?.?\n##.?\n" {
			t.Errorf("%s:\n%s", name, got)
		}
		want := []Labels{LabelsOf("group", []float64{1, math.NaN(), 3}), LabelsOf("label", []string{"T", "L", "T"})}
		if diff := cmp.Diff(want, s.Meta, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if !cmp.Equal(s.Weights, []int64{5, 0, 2}) || !cmp.Equal(s.Columns, []string{"a", "b", "c", "f"}) {
			t.Errorf("%s: weights %v, columns %v", name, s.Weights, s.Columns)
		}
		s = mustRead(t, "t.parquet", content, Options{Columns: []string{"c", "a"}, Where: conditions(t, "label=T")})
		if got := pixels(s); got != "##\n.#\n" || !cmp.Equal(s.Index, []int{0, 2}) {
			t.Errorf("%s: chosen columns:\n%s", name, got)
		}
	}
}

func TestParquetRefusals(t *testing.T) {
	content := parquetFile(t, parquetRows())
	refused(t, "t.parquet", content, Options{})
	refused(t, "t.parquet", content, Options{Columns: []string{"a", "label"}})
	refused(t, "t.parquet", content, Options{Columns: []string{"zz"}})
	refused(t, "t.parquet", content, Options{Columns: []string{"a"}, MaxMemory: 300})
	refused(t, "t.parquet", content, Options{Edits: []Edit{{Column: "group", Want: "weight"}}, Columns: []string{"a"}})
	refused(t, "cut.parquet", content[:len(content)-9], Options{})
	refused(t, "short.parquet", content[:6], Options{})
	lists := parquetFile(t, [][]struct{ L []int32 }{{{[]int32{1, 0}}}})
	refused(t, "l.parquet", lists, Options{})
	groups := parquetFile(t, [][]struct{ G struct{ V int32 } }{{{struct{ V int32 }{1}}}})
	refused(t, "g.parquet", groups, Options{})
	empty := parquetFile(t, [][]struct{ A bool }{})
	refused(t, "e.parquet", empty, Options{})
}

// TestParquetDamage flips every byte in turn: reading gives a set or a
// FormatError, and quickly.
func TestParquetDamage(t *testing.T) {
	content := parquetFile(t, parquetRows(), parquet.Compression(&parquet.Snappy))
	good := 0
	for i := range content {
		b := bytes.Clone(content)
		b[i] ^= []byte{0x01, 0x80, 0xff}[i%3]
		s, err := readBytes(b, Options{Edits: []Edit{{Column: "n", Want: "weight"}, {Column: "group", Want: "label"}}, MaxMemory: 1 << 20})
		checkOutcome(t, s, err)
		if err == nil {
			good++
		}
	}
	if good == 0 || good == len(content) {
		t.Errorf("%d of %d damaged files read", good, len(content))
	}
}

// TestParquetHostileHeaders: numbers that determine allocations are checked
// before the library sees them.
func TestParquetHostileHeaders(t *testing.T) {
	footer := func(body ...byte) []byte {
		b := append([]byte("PAR1"), body...)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
		return append(b, "PAR1"...)
	}
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0x07} // 2^31-1 as a varint
	for name, b := range map[string][]byte{
		"schema list":    footer(append([]byte{0x15, 2, 0x19, 0xfc}, huge...)...),       // field 2: list of structures
		"row groups":     footer(append([]byte{0x15, 2, 0x29, 0xfc}, huge...)...),       // field 4
		"long name":      footer(append([]byte{0x15, 2, 0x19, 0x1c, 0x48}, huge...)...), // a binary in it
		"deep structure": footer(append(bytes.Repeat([]byte{0x1c}, 5000), bytes.Repeat([]byte{0}, 10)...)...),
		"footer size":    append([]byte("PAR1\x00\x00\x00\x00"), "\xff\xff\xff\xffPAR1"...),
	} {
		before := allocated()
		_, err := readBytes(b, Options{})
		used := allocated() - before
		if err == nil || !testenv.Said(t, err.Error()) {
			t.Errorf("%s: %v", name, err)
		}
		if used > 1<<20 {
			t.Errorf("%s: %d bytes allocated", name, used)
		}
	}
}

// readBytes decodes a file that is in memory.
func readBytes(b []byte, opts Options) (*Set, error) {
	opts, _ = opts.forModel()
	in := newInput(opts)
	s, err := in.collect(func() (*opened, error) {
		d, err := in.file(contentAt("memory", bytes.NewReader(b)))
		return &opened{parts: d, in: in}, err
	})
	if err == nil {
		s.Notes = append(s.Notes, noted(in.seen.strangeNotes()...)...)
	}
	return s, at(err, "memory")
}

// TestParquetWords: columns of text in Parquet are judged as in a CSV file.
func TestParquetWords(t *testing.T) {
	type row struct {
		Site string  `parquet:"site"`
		Wet  string  `parquet:"wet"`
		Soil *string `parquet:"soil,optional"`
		B    bool    `parquet:"b"`
	}
	content := parquetFile(t, [][]row{{{"u", "yes", ptr("clay"), true}, {"v", "no", nil, false}},
		{{"w", "?", ptr("peat"), true}}})
	s := mustRead(t, "t.parquet", content, Options{})
	if got := pixels(s); got != "##\n..\n?#\n" || !cmp.Equal(s.Columns, []string{"wet", "b"}) ||
		!cmp.Equal(sentences(s), []string{"site and soil are taken as labels"}) {
		t.Errorf("columns %q, notes %q\n%s", s.Columns, sentences(s), got)
	}
	opts := Options{Edits: []Edit{{Column: "soil", Want: "category"}}, Columns: []string{"soil", "b"}}
	s, err := gather(t.Context(), []string{write(t, "t.parquet", content)}, opts, 0, -1)
	if err != nil || pixels(s) != "#.#\n??.\n.##\n" || !cmp.Equal(s.Columns, []string{"soil=clay", "soil=peat", "b"}) {
		t.Errorf("%v, %v", s, err)
	}
	type counts struct {
		Site    string `parquet:"site"`
		A, B, C int32
	}
	numbers := parquetFile(t, [][]counts{{{"u", 0, 1, 0}, {"v", 3, 0, 0}, {"w", 0, 0, 12}}})
	refused(t, "t.parquet", numbers, Options{})
	if s := mustRead(t, "t.parquet", numbers, Options{Threshold: threshold(0)}); pixels(s) != ".#.\n#..\n..#\n" ||
		!cmp.Equal(sentences(s), []string{"site is taken as a label"}) {
		t.Errorf("notes %q\n%s", sentences(s), pixels(s))
	}
}

// repeated is a text that repeats a piece after its beginning, up to a length.
func repeated(begin, piece string, length int) *io.SectionReader {
	text := begin + strings.Repeat(piece, (length-len(begin))/len(piece)+1)
	return io.NewSectionReader(strings.NewReader(text), 0, int64(length))
}

// Small packed files that unpack to records of millions of cells, to cells of many lines,
// or to long names, are refused before much of them is kept.
func TestAbsurdRecords(t *testing.T) {
	for name, c := range map[string]struct {
		begin, piece string
		length       int
	}{
		"cells of the first line":   {"", "c,", maxRecord / 2},
		"cells of a later line":     {"a,b\n0,1\n1,0\n", "1,", maxRecord / 2},
		"a first line without end":  {"", "c", 3 * maxRecord},
		"a cell of line ends":       {"a,b\n0,1\n1,0\n\"", "\n", 3 * maxRecord},
		"a first cell of line ends": {"\"", "\n", 3 * maxRecord},
		"tabs":                      {"a\tb\n0\t1\n1\t0\n0\t0\n", "1\t", maxRecord / 2},
	} {
		r := repeated(c.begin, c.piece, c.length)
		before := allocated()
		in := newInput(Options{})
		_, err := in.collect(func() (*opened, error) {
			d, err := in.file(&content{path: "bomb.csv", open: func() (io.Reader, error) {
				return io.NewSectionReader(r, 0, r.Size()), nil
			}})
			return &opened{in: in, parts: d}, err
		})
		used := allocated() - before
		if err == nil || !testenv.Said(t, err.Error()) {
			t.Errorf("%s: %v", name, err)
		}
		if used > 12*maxRecord {
			t.Errorf("%s: %d bytes allocated", name, used)
		}
	}
}

// Columns of very many kinds of cells are refused before what is counted of them fills the memory.
func TestKindsOfCells(t *testing.T) {
	columns := maxKinds/4 + 10
	var text strings.Builder
	for _, cell := range []string{"yes", "no", "1", "0", "NA", "word", "2.5", "x"} {
		text.WriteString(cell + strings.Repeat(","+cell, columns-1) + "\n")
	}
	options := Options{Header: HeaderAbsent}
	refused(t, "kinds.csv", []byte(text.String()), options)
}

// The names of columns are bounded together, in text and beside arrays.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("x", maxNames/90)
	var names []string
	for i := range 91 {
		names = append(names, strconv.Itoa(i)+" name"+long)
	}
	text := strings.Join(names, ",") + "\n" + strings.Repeat("0"+strings.Repeat(",1", 90)+"\n", 4)
	if fe := refused(t, "names.csv", []byte(text), Options{}); !strings.Contains(fe.Msg, "names of the columns") {
		t.Errorf("names of a text: %v", fe)
	}
	var file bytes.Buffer
	if err := npy.WriteZip(&file, npy.Deflate, npy.Member{Name: "x", Array: npy.New(make([]uint8, 182), 2, 91)},
		npy.Member{Name: "columns", Array: npy.New(names, 91)}); err != nil {
		t.Fatal(err)
	}
	if fe := refused(t, "names.npz", file.Bytes(), Options{}); !strings.Contains(fe.Msg, "names of the columns") {
		t.Errorf("names beside an array: %v", fe)
	}
}

// Decoding ends with the context's error when nobody waits for it any more.
func TestDecodeStops(t *testing.T) {
	text := []byte("a,b,c\n" + strings.Repeat("0,1,1\n", 300_000))
	ctx, cancel := context.WithCancel(t.Context())
	set, err := Decode(ctx, "rows.csv", text, Options{})
	if err != nil || set.Len() != 300_000 {
		t.Fatalf("%v", err)
	}
	cancel()
	if _, err := Decode(ctx, "rows.csv", text, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// TestManyTextColumns: a line of very many names is refused at once; work that grew with the
// square of their number would take minutes.
func TestManyTextColumns(t *testing.T) {
	line := strings.Repeat("name,", 100_000) + "name\n"
	_, err := readBytes([]byte(line), Options{})
	if err == nil || !testenv.Said(t, err.Error()) {
		t.Errorf("%.300v", err)
	}
}
