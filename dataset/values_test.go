package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/testenv"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var nan = math.NaN()

// readValues reads files as real values, or ends the test.
func readValues(t testing.TB, opts Options, paths ...string) *Set {
	t.Helper()
	v, err := readNumbers(paths, opts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func asNumbers(o Options) Options { o.Kind = Number; return o }

func readNumbers(paths []string, o Options) (*Set, error) { return Read(paths, asNumbers(o)) }

func decodeNumbers(name string, content []byte, o Options) (*Set, error) {
	return Decode(context.Background(), name, content, asNumbers(o))
}

// sameRows fails unless the rows are those wanted; NaN equals NaN.
func sameRows(t testing.TB, what string, got, want [][]float64) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// TestValuesOfMAT: a MAT-file is read as an npz of its arrays is.
func TestValuesOfMAT(t *testing.T) {
	path := write(t, "m.mat", matFile(true, matDouble("x", []float64{0.5, 2, math.NaN(), -1}, 2, 2),
		matDouble("site", []float64{3, 4}, 1, 2)))
	v := readValues(t, Options{}, path)
	sameRows(t, "MAT", v.Values, [][]float64{{0.5, nan}, {2, -1}})
	if len(v.Meta) != 1 || v.Meta[0].Name != "site" || v.Meta[0].Text(1) != "4" {
		t.Error(v.Meta)
	}
}

func TestValuesOfText(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opts       Options
		want       [][]float64
		columns    []string
		meta       []Labels
	}{
		{"header", "a,b\n1.5,-2\n,1e3\n", Options{}, [][]float64{{1.5, -2}, {nan, 1000}}, []string{"a", "b"}, nil},
		{"no header", "1.5,-2\n?,NA\n2,3\n", Options{}, [][]float64{{1.5, -2}, {nan, nan}, {2, 3}}, nil, nil},
		{"words and labels", "site,wet,ph\nmoor,yes,4.5\nbog,no,5\n", Options{}, [][]float64{{1, 4.5}, {0, 5}},
			[]string{"wet", "ph"}, []Labels{LabelsOf("site", []string{"moor", "bog"})}},
		{"decimal commas", "a;b\n1,5;2\n0,25;3\n", Options{}, [][]float64{{1.5, 2}, {.25, 3}}, []string{"a", "b"}, nil},
		{"asked for", "a,b,y\n1,2,7\n3,4,8\n", Options{Edits: []Edit{{Column: "y", Want: "label"}}, Columns: []string{"b", "a"}},
			[][]float64{{2, 1}, {4, 3}}, []string{"b", "a"}, []Labels{LabelsOf("y", []int64{7, 8})}},
		{"numbers of rows", "n,a\n1,.5\n2,.25\n3,.5\n", Options{}, [][]float64{{.5}, {.25}, {.5}}, []string{"a"},
			[]Labels{LabelsOf("n", []int64{1, 2, 3})}},
		{"no header meant", "1,2\n3,4\n", Options{Header: HeaderPresent}, [][]float64{{3, 4}}, []string{"1", "2"}, nil},
		{"chosen", "y,a\np,1\nq,2\np,3\n", Options{Where: []Condition{{Name: "y", Op: "=", Values: []string{"p"}}}},
			[][]float64{{1}, {3}}, []string{"a"}, []Labels{LabelsOf("y", []string{"p", "p"})}},
		{"images", "1,2,3,4,5,6\n", Options{Height: 2, Width: 3, Transpose: true, Header: HeaderAbsent},
			[][]float64{{1, 3, 5, 2, 4, 6}}, nil, nil},
	} {
		v := readValues(t, c.opts, write(t, "t.csv", []byte(c.text)))
		sameRows(t, c.name, v.Values, c.want)
		if d := cmp.Diff(c.columns, v.Columns); d != "" {
			t.Errorf("%s: columns %s", c.name, d)
		}
		if d := cmp.Diff(c.meta, v.Meta, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: metadata %s", c.name, d)
		}
		if len(v.Index) != v.Len() || v.Height*v.Width != len(v.Values[0]) {
			t.Errorf("%s: %d rows of %d x %d, %d indices", c.name, v.Len(), v.Height, v.Width, len(v.Index))
		}
	}
	v := readValues(t, Options{Where: []Condition{{Name: "y", Op: "=", Values: []string{"q"}}}},
		write(t, "t.csv", []byte("y,a\np,1\nq,2\n")))
	if v.Index[0] != 1 {
		t.Errorf("the second row has the index %d", v.Index[0])
	}
}

func TestValuesAreRefused(t *testing.T) {
	long := "a,b\n" + strings.Repeat("1,2\n", beyondHead) + "1,x\n"
	half := 0.5
	for _, c := range []struct {
		name, text string
		opts       Options
	}{
		{"late text", long, Options{Columns: []string{"a", "b"}}},
		{"ragged", "1,2\n1\n", Options{}},
		{"no numbers", "a,b\nmoor,bog\n", Options{}},
		{"no rows", "a,b\n", Options{Header: HeaderPresent}},
		{"no such column", "a\n1\n", Options{Columns: []string{"b"}}},
		{"size", "1,2,3\n", Options{Height: 2, Width: 2}},
		{"threshold", "1,2\n", Options{Threshold: &half}},
		{"memory", "1,2\n3,4\n5,6\n", Options{MaxMemory: 64}},
		{"empty", "", Options{}},
	} {
		_, err := readNumbers([]string{write(t, "t.csv", []byte(c.text))}, c.opts)
		var fe *FormatError
		if !errors.As(err, &fe) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !testenv.Said(t, err.Error()) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := readNumbers([]string{"nowhere.csv"}, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// npyOf returns an array.
func npyOf[T npy.Element](t testing.TB, data []T, shape ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := npy.Write(&b, npy.New(data, shape...)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// npzOf returns an archive.
func npzOf(t testing.TB, members ...npy.Member) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := npy.WriteZip(&b, npy.Store, members...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestValuesOfArrays(t *testing.T) {
	table := npzOf(t, npy.Member{Name: "x", Array: npy.New([]float32{.5, float32(nan), 3, 4}, 2, 2)},
		npy.Member{Name: "columns", Array: npy.New([]string{"a", "b"}, 2)},
		npy.Member{Name: "y", Array: npy.New([]int64{5, 6}, 2)},
		npy.Member{Name: "missing", Array: npy.New([]uint8{0, 0, 0, 1}, 2, 2)},
		npy.Member{Name: "other", Array: npy.New([]float64{1, 2, 3}, 3)})
	v := readValues(t, Options{}, write(t, "t.npz", table))
	sameRows(t, "npz", v.Values, [][]float64{{.5, nan}, {3, nan}})
	if !cmp.Equal(v.Columns, []string{"a", "b"}) || !cmp.Equal(v.Meta, []Labels{LabelsOf("y", []int64{5, 6})}) || !v.Table {
		t.Errorf("columns %v, metadata %v", v.Columns, v.Meta)
	}
	var b bytes.Buffer
	if err := npy.Write(&b, npy.New([]uint8{0, 255, 16, 7}, 1, 2, 2)); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(b.Bytes())
	z.Close()
	for name, content := range map[string][]byte{"g.npy": b.Bytes(), "g.npy.gz": packed.Bytes()} {
		v = readValues(t, Options{}, write(t, name, content))
		sameRows(t, name, v.Values, [][]float64{{0, 255, 16, 7}})
		if v.Height != 2 || v.Table {
			t.Errorf("%s: height %d", name, v.Height)
		}
	}
	idx := write(t, "i.idx", []byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 9, 8, 7, 200})
	labels := write(t, "l.idx", []byte{0, 0, 8, 1, 0, 0, 0, 2, 3, 4})
	v = readValues(t, Options{Labels: []string{labels}}, idx)
	sameRows(t, "IDX", v.Values, [][]float64{{9, 8}, {7, 200}})
	if !cmp.Equal(v.Meta, []Labels{LabelsOf("y", []int64{3, 4})}) {
		t.Errorf("labels %v", v.Meta)
	}
	for name, content := range map[string][]byte{
		"infinite": npzOf(t, npy.Member{Name: "x", Array: npy.New([]float64{1, math.Inf(1)}, 1, 2)}),
		"text":     npzOf(t, npy.Member{Name: "x", Array: npy.New([]string{"a"}, 1, 1)}),
		"shape":    npzOf(t, npy.Member{Name: "x", Array: npy.New([]float64{1}, 1)}),
		"mask": npzOf(t, npy.Member{Name: "x", Array: npy.New([]float64{1}, 1, 1)},
			npy.Member{Name: "known", Array: npy.New([]int64{2}, 1, 1)}),
		"two": npzOf(t, npy.Member{Name: "a", Array: npy.New([]float64{1}, 1, 1)},
			npy.Member{Name: "b", Array: npy.New([]float64{1}, 1, 1)}),
		"idx":     {0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 1, 9, 9},
		"cut off": {0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 2, 9},
	} {
		if _, err := readNumbers([]string{write(t, "bad", content)}, Options{}); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

// TestValuesOfColumnFiles: Parquet gives what CSV gives.
func TestValuesOfColumnFiles(t *testing.T) {
	columns := []TableColumn{{Name: "site", Type: ColumnText}, {Name: "n", Type: ColumnInt},
		{Name: "ph", Type: ColumnFloat}}
	chunks := func() iter.Seq2[[]any, error] {
		return func(yield func([]any, error) bool) {
			yield([]any{[]string{"a", "b", "c"}, []int64{7, 2, 5}, []float64{.1, nan, -3e-7}}, nil)
		}
	}
	for _, f := range []TableFormat{TableCSV, TableParquet} {
		v := readValues(t, Options{}, write(t, "t", writeResults(t, f, columns, chunks())))
		sameRows(t, string(f), v.Values, [][]float64{{7, .1}, {2, nan}, {5, -3e-7}})
		if !cmp.Equal(v.Columns, []string{"n", "ph"}) || !cmp.Equal(v.Meta, []Labels{LabelsOf("site", []string{"a", "b", "c"})}) {
			t.Errorf("%s: columns %v, metadata %v", f, v.Columns, v.Meta)
		}
	}
}

func TestValuesOfPictures(t *testing.T) {
	dir := t.TempDir()
	for name, dark := range map[string]uint8{"b/2.png": 9, "a/1.png": 200} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		content := pngFile(t, draw(image.NewGray(image.Rect(0, 0, 2, 1)), func(_, x int) uint8 { return dark + uint8(x) }))
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	v := readValues(t, Options{}, dir)
	sameRows(t, "folder", v.Values, [][]float64{{200, 201}, {9, 10}})
	y := v.Meta[len(v.Meta)-1]
	if y.Name != "y" || y.Text(0) != "a" || y.Text(1) != "b" {
		t.Errorf("metadata %v", v.Meta)
	}
	v = readValues(t, Options{Invert: true}, filepath.Join(dir, "b", "2.png"))
	sameRows(t, "picture", v.Values, [][]float64{{246, 245}})
	other := write(t, "o.png", pngFile(t, draw(image.NewGray(image.Rect(0, 0, 3, 1)), func(_, x int) uint8 { return 0 })))
	if _, err := readNumbers([]string{dir, other}, Options{}); err == nil {
		t.Error("pictures of two sizes are read")
	}
}

func TestValuesMatchAModel(t *testing.T) {
	v := readValues(t, Options{}, write(t, "t.csv", []byte("y,b,a,c\nk,1,2,3\n")))
	match := func(columns ...string) (*Set, error) {
		p, err := PlanOf(nil, columns, 1, 2, false)
		if err != nil {
			t.Fatal(err)
		}
		return v.For(p)
	}
	m, err := match("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, "by name", m.Values, [][]float64{{2, 1}})
	if _, err := match("a", "d"); err == nil || !strings.Contains(err.Error(), `"d"`) {
		t.Error(err)
	}
	if _, err := match(); err == nil {
		t.Error("three columns for a model of two")
	}
	reading, err := readValues(t, Options{Height: 1, Width: 2, Transpose: true, Delimiter: ';'},
		write(t, "s.csv", []byte("1;2\n"))).Reading()
	if err != nil {
		t.Fatal(err)
	}
	r, err := readingOf(reading)
	if o := r.Options(); err != nil || o.Height != 1 || o.Width != 2 || !o.Transpose || o.Delimiter != ';' {
		t.Errorf("%s gives %+v, %v", reading, o, err)
	}
	if _, err := readingOf(json.RawMessage("{")); err == nil {
		t.Error("half an object is a reading")
	}
	if all := v.Cut(0, -1); all.Len() != 1 || v.Cut(1, -1).Len() != 0 || v.Cut(0, 0).Len() != 0 {
		t.Error("cut")
	}
}

func TestRealValuesOfSeveralFiles(t *testing.T) {
	a, b := write(t, "a.csv", []byte("y,u,v\n1,1.5,2\n2,3,4\n")), write(t, "b.csv", []byte("y,u,v\nk,5,6\n"))
	v := readValues(t, Options{Edits: []Edit{{Column: "y", Want: "label"}}}, a, b)
	sameRows(t, "joined", v.Values, [][]float64{{1.5, 2}, {3, 4}, {5, 6}})
	if v.Meta[0].Text(1) != "2" || v.Meta[0].Text(2) != "k" || v.Index[2] != 2 {
		t.Errorf("metadata %v, index %v", v.Meta, v.Index)
	}
	c := write(t, "c.csv", []byte("u,v,w\n5,6,7\n"))
	if _, err := readNumbers([]string{a, c}, Options{}); err == nil {
		t.Error("files of two widths are read")
	}
}

func FuzzReadValues(f *testing.F) {
	f.Add([]byte("a,b\n1.5,-2\n,1e3\n"))
	f.Add([]byte("site;ph\nmoor;4,5\n"))
	f.Add([]byte{0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 1, 9})
	f.Add(npzOf(f, npy.Member{Name: "x", Array: npy.New([]float64{.5, nan}, 1, 2)}))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		v, err := readNumbers([]string{path}, Options{MaxMemory: 1 << 22, MaxPicture: 1 << 16})
		if err != nil {
			return
		}
		for _, row := range v.Values {
			if len(row) != v.Height*v.Width {
				t.Fatalf("a row of %d values in data of %d x %d", len(row), v.Height, v.Width)
			}
			for _, x := range row {
				if math.IsInf(x, 0) {
					t.Fatal("an infinite value")
				}
			}
		}
	})
}

// TestEncodedValues: what is written as an archive is read back, unknown values and labels too.
func TestEncodedValues(t *testing.T) {
	for name, text := range map[string]string{"table": "site,a,b\nx,1.5,\ny,-2,3e5\n",
		"numbers": "a\n0.1\n0.30000000000000004\n"} {
		want, err := decodeNumbers("w.csv", []byte(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := EncodeNPZ(&b, want); err != nil {
			t.Fatal(err)
		}
		got, err := decodeNumbers("w.npz", b.Bytes(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.Values, got.Columns, got.Table) != fmt.Sprint(want.Values, want.Columns, want.Table) ||
			len(got.Meta) != len(want.Meta) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestDecodeFiles: several files are one set, numbered through; the error names the file that does not fit.
func TestDecodeFiles(t *testing.T) {
	openFiles := func(files ...File) (*Frame, error) {
		s, err := OpenFiles(t.Context(), files, Options{Kind: Number})
		if err != nil {
			return nil, err
		}
		return s.Read(t.Context())
	}
	one, two := []byte("a,b\n1.5,2\n"), []byte("a,b\n3.5,4\n5,6.5\n")
	v, err := openFiles(File{"one.csv", one}, File{"two.csv", two})
	if err != nil || fmt.Sprint(v.Values, v.Index) != "[[1.5 2] [3.5 4] [5 6.5]] [0 1 2]" {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := openFiles(File{"one.csv", one}, File{"other.csv", []byte("a,b,c\n1.5,2,3\n")}); err == nil ||
		!strings.Contains(err.Error(), "other.csv") {
		t.Errorf("other columns: %v", err)
	}
}

// A word of the alphabet of yes and no beside other words is a word: m and f are no numbers of which one is wrong,
// whichever is more frequent. Yes and no are numbers, and what is between them is a slip.
func TestWordsBesideNumbers(t *testing.T) {
	for _, c := range []struct {
		cells, note string
		wrong       bool
	}{
		{"m f f", "sex is taken as a label", false},
		{"f f m m m", "yes is f in sex (no is m); to change it: --column sex=label", false},
		{"F F F F M", "yes is M in sex (no is F); to change it: --column sex=label", false},
		{`"f" "f" "m" NA`, "sex is taken as a label", false},
		{"f ? f m ?", "sex is taken as a label", false},
		{"female male female", "sex is taken as a label", false},
		{"f m d f", "sex is taken as a label", false},
		{"f f f", "", false},
		{"t f f", "", false},
		{"yes no no maybe", "1 cell is taken as unknown in sex: maybe", false},
		{"1 2 3 4 m", "1 cell is taken as unknown in sex: m", false},
		{"1 2 m 3 m", "sex is taken as a label", false},
	} {
		text := "age,height,sex\n"
		for i, cell := range strings.Fields(c.cells) {
			text += fmt.Sprintf("%d.5,%d,%s\n", 20+i*i, 150+i*i*i, cell)
		}
		v, err := decodeNumbers("people.csv", []byte(text), Options{})
		switch {
		case c.wrong:
			if err == nil || !testenv.Said(t, err.Error()) {
				t.Errorf("%s: %v", c.cells, err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.cells, err)
		case strings.Join(sentences(v), "|") != c.note:
			t.Errorf("%s: notes %q, want %q", c.cells, sentences(v), c.note)
		}
	}
}

// TestNumbersOfEither: a table that plainly holds numbers is opened once and read as one of numbers is, also where its
// first line is a header only as that.
func TestNumbersOfEither(t *testing.T) {
	for name, text := range map[string]string{
		"words":   "site,ph,depth\nmoor,6.5,3\nbog,7,12\n",
		"late":    "a,b\n" + strings.Repeat("7,2\n", beyondHead) + "2.5,1\n",
		"later":   "a,b\n" + strings.Repeat("1,0\n", beyondHead) + strings.Repeat("2.5,1.5\n", beyondHead/8),
		"counted": "1,2\n3.5,4.5\n6.5,7.5\n",
		"array":   string(npyOf(t, append(make([]float32, 60_000), slices.Repeat([]float32{.5}, 20_000)...), 20_000, 4)),
		"bytes":   string(npyOf(t, append(make([]uint8, 60_000), slices.Repeat([]uint8{7}, 20_000)...), 20_000, 4)),
	} {
		path := write(t, "t.csv", []byte(text))
		want := readValues(t, Options{}, path)
		opened := 0
		s, err := Open(t.Context(), []string{path}, Options{Opened: func(string) error { opened++; return nil }})
		if err != nil {
			t.Fatal(name, err)
		}
		f, err := s.Read(t.Context())
		if err != nil || f.Values == nil || (f.Why == "") != (want.plainly() == "") {
			t.Errorf("%s: %+v, %v; plainly numbers: %q", name, f, err, want.plainly())
			continue
		}
		if !cmp.Equal(f.Values, want.Values) || !cmp.Equal(f.Columns, want.Columns) || !cmp.Equal(f.Meta, want.Meta) {
			t.Errorf("%s: %v %v, want %v %v", name, f.Columns, f.Len(), want.Columns, want.Len())
		}
		if opened != 1 && name != "later" {
			t.Errorf("%s: opened %d times", name, opened)
		}
	}
}
