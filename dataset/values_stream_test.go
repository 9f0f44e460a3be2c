package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/patchwork/internal/npy"
)

// openValues opens a stream of real values, or ends the test.
func openValues(t testing.TB, opts Options, paths ...string) *Stream {
	t.Helper()
	s, err := openNumbers(paths, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openNumbers(paths []string, o Options) (*Stream, error) {
	return OpenStream(context.Background(), paths, asNumbers(o))
}

// streamedRows returns all rows of a stream.
func streamedRows(t testing.TB, s *Stream) (rows [][]float64) {
	t.Helper()
	for block, err := range s.Sets(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if block.Len() == 0 {
			t.Error("an empty block")
		}
		rows = append(rows, block.Values...)
	}
	return rows
}

func gzipped(t testing.TB, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// valueFiles returns files of every kind that holds real values, and the options to read them by.
func valueFiles(t testing.TB) map[string]Options {
	rng := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	text.WriteString("site,a,b,c\n")
	var flat []float64
	var sites []string
	columns := [3][]float64{}
	for i := range 9000 {
		sites = append(sites, fmt.Sprintf("s%d", i%7))
		fmt.Fprintf(&text, "%s", sites[i])
		for j := range 3 {
			x := float64(rng.IntN(2000)-1000) / 100
			if rng.IntN(50) == 0 {
				x = nan
			}
			flat, columns[j] = append(flat, x), append(columns[j], x)
			if x == x {
				fmt.Fprintf(&text, ",%v", x)
			} else {
				text.WriteString(",")
			}
		}
		text.WriteString("\n")
	}
	var array bytes.Buffer
	if err := npy.Write(&array, npy.New(flat, 3000, 3, 3)); err != nil {
		t.Fatal(err)
	}
	cells := []TableColumn{{Name: "site", Type: ColumnText}, {Name: "a", Type: ColumnFloat},
		{Name: "b", Type: ColumnFloat}, {Name: "c", Type: ColumnFloat}}
	chunks := func() iter.Seq2[[]any, error] {
		return func(yield func([]any, error) bool) {
			for from := 0; from < 9000; from += 2500 {
				to := min(from+2500, 9000)
				if !yield([]any{sites[from:to], columns[0][from:to], columns[1][from:to], columns[2][from:to]}, nil) {
					return
				}
			}
		}
	}
	pictures := t.TempDir()
	for i := range 3 {
		content := pngFile(t,
			draw(image.NewGray(image.Rect(0, 0, 4, 2)), func(y, x int) uint8 { return uint8(40*i + y + x) }))
		if err := os.WriteFile(filepath.Join(pictures, fmt.Sprintf("%d.png", i)), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	csv := []byte(text.String())
	return map[string]Options{
		write(t, "t.csv", csv):                                        {},
		write(t, "t.csv.gz", gzipped(t, csv)):                         {},
		write(t, "excel.csv", append([]byte("\xef\xbb\xbf"), csv...)): {},
		write(t, "t.npy", array.Bytes()):                              {Transpose: true},
		write(t, "t.npy.gz", gzipped(t, array.Bytes())):               {},
		write(t, "t.npz", npzOf(t, npy.Member{Name: "x", Array: npy.New(flat, 9000, 3)},
			npy.Member{Name: "y", Array: npy.New(sites, 9000)},
			npy.Member{Name: "columns", Array: npy.New([]string{"p", "q", "r"}, 3)})): {},
		write(t, "flat.npz", npzOf(t, npy.Member{Name: "x", Array: npy.New(flat, 3000, 9)})): {Height: 3, Width: 3,
			Transpose: true},
		write(t, "t.idx", []byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 9, 8, 7, 200}): {},
		write(t, "t.parquet", writeResults(t, TableParquet, cells, chunks())):                   {},
		pictures: {Invert: true},
	}
}

// equalRows fails unless the rows are those wanted: sameRows for many.
func equalRows(t testing.TB, what string, got, want [][]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, want %d", what, len(got), len(want))
		return
	}
	for i, row := range got {
		if !slices.EqualFunc(row, want[i], func(a, b float64) bool { return a == b || a != a && b != b }) {
			t.Errorf("%s: row %d is %v, want %v", what, i+1, row, want[i])
			return
		}
	}
}

// TestValueStreams: a stream has the rows, the size, the columns and the reading of the same files in memory, in
// every pass, and parts of it likewise.
func TestValueStreams(t *testing.T) {
	for path, opts := range valueFiles(t) {
		name := filepath.Base(path)
		want := readValues(t, opts, path)
		opts.MaxMemory = 1 << 21
		s := openValues(t, opts, path)
		for pass := range 2 {
			equalRows(t, fmt.Sprintf("%s, pass %d", name, pass+1), streamedRows(t, s), want.Values)
		}
		if h, w := s.Head().Size(); h != want.Height || w != want.Width || !cmp.Equal(s.Head().Columns, want.Columns) ||
			s.Head().Table != want.Table || !cmp.Equal(s.Head().Notes, want.Notes) {
			t.Errorf("%s: %d x %d, %v", name, h, w, s.Head())
		}
		a, err1 := s.Head().Reading()
		b, err2 := want.Reading()
		if err1 != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("%s: reading %s, in memory %s (%v, %v)", name, a, b, err1, err2)
		}
		n := want.Len()
		for _, cut := range [][2]int{{1, 1}, {n / 2, -1}, {0, n - 1}, {n - 1, 5}} {
			equalRows(t, fmt.Sprintf("%s from %d, %d rows", name, cut[0], cut[1]), streamedRows(t, s.Cut(cut[0], cut[1])),
				want.Cut(cut[0], cut[1]).Values)
		}
	}
}

// TestValueStreamOfSeveralFiles: files follow one another, in the columns of a model, and across files a cut holds.
func TestValueStreamOfSeveralFiles(t *testing.T) {
	a, b := write(t, "a.csv", []byte("y,u,v\nm,1.5,2\nm,3,4\n")), write(t, "b.csv", []byte("y,u,v\nk,5,6\nk,7,8\n"))
	s := openValues(t, Options{}, a, b)
	sameRows(t, "two files", streamedRows(t, s.Cut(1, 2)), [][]float64{{3, 4}, {5, 6}})
	matched := func(name string) (*Stream, error) {
		p, err := PlanOf(nil, []string{name}, 1, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		return openNumbers([]string{a, b}, Options{Model: p})
	}
	m, err := matched("v")
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, "matched", streamedRows(t, m), [][]float64{{2}, {4}, {6}, {8}})
	if _, err := matched("w"); err == nil {
		t.Error("a column that is not there is found")
	}
	if _, err := openNumbers([]string{a, write(t, "c.csv", []byte("u,w\n1,2\n"))}, Options{}); err == nil {
		t.Error("files of other columns are taken")
	}
	if err := os.WriteFile(b, []byte("y,u\nk,5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, err = range s.Sets(t.Context()) {
	}
	if err == nil || !strings.Contains(err.Error(), "b.csv") {
		t.Errorf("a file that changed: %v", err)
	}
}

func TestValueStreamsAreRefused(t *testing.T) {
	path := write(t, "t.csv", []byte("y,a\nm,1\nk,2\n"))
	half := .5
	chosen := openValues(t, Options{Where: []Condition{{Name: "y", Op: "=", Values: []string{"k"}}}}, path)
	sameRows(t, "by a label", streamedRows(t, chosen), [][]float64{{2}})
	if _, err := openNumbers([]string{path}, Options{Threshold: &half}); err == nil {
		t.Error("threshold: opened")
	}
	if _, err := openNumbers([]string{standardInput}, Options{}); !errors.Is(err, ErrMemory) {
		t.Errorf("standard input: %v", err)
	}
	for _, err := range openValues(t, Options{}, path).Cut(2, -1).Sets(t.Context()) {
		if err == nil {
			t.Error("rows after the last")
		}
	}
	late := write(t, "late.csv", []byte("a,b\n"+strings.Repeat("1,2\n", 5000)+"1,x\n"))
	var last error
	for _, err := range openValues(t, Options{}, late).Sets(t.Context()) {
		last = err
	}
	if _, err := openNumbers([]string{late}, Options{Columns: []string{"a", "b"}}); last != nil || err == nil ||
		!strings.Contains(err.Error(), "line 5002") {
		t.Errorf("late text is unknown, but in columns that were asked for: %v, %v", last, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range openValues(t, Options{}, late).Sets(over) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after the end: %v", err)
		}
	}
}

// TestValueStreamsHaveMasks: what a mask says is not known is NaN in a stream, too.
func TestValueStreamsHaveMasks(t *testing.T) {
	mask := write(t, "m.npz", npzOf(t, npy.Member{Name: "x", Array: npy.New([]float64{1, 2}, 2, 1)},
		npy.Member{Name: "known", Array: npy.New([]int64{0, 1}, 2, 1)}))
	equalRows(t, "mask", streamedRows(t, openValues(t, Options{}, mask)), [][]float64{{math.NaN()}, {2}})
}

// TestValueStreamIsSmall: a file is read in far less memory than it has.
func TestValueStreamIsSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big.csv")
	if err := os.WriteFile(path, bytes.Repeat([]byte("1.25,2.5,3.75,-1,0.5,8\n"), 400_000), 0o666); err != nil {
		t.Fatal(err)
	}
	s := openValues(t, Options{MaxMemory: 1 << 20}, path)
	var most, before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	rows, peak := 0, uint64(0)
	for block, err := range s.Sets(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if rows += block.Len(); rows%(16*block.Len()) == 0 {
			runtime.GC()
			runtime.ReadMemStats(&most)
			peak = max(peak, most.HeapAlloc)
		}
	}
	if used := int64(peak) - int64(before.HeapAlloc); rows != 400_000 || used > 4<<20 {
		t.Errorf("%d rows in %d bytes", rows, used)
	}
}
