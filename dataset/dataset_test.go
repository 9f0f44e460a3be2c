package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/testenv"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// write writes content to a file in a fresh folder and returns its path.
func write(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, picture(t, string(content)), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipped(content []byte) []byte {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	z.Write(content)
	z.Close()
	return buf.Bytes()
}

// npz returns an archive of the given arrays.
func npz(t testing.TB, members ...npy.Member) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := npy.WriteZip(&buf, npy.Deflate, members...); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func arr[T npy.Element](name string, data []T, shape ...int) npy.Member {
	return npy.Member{Name: name, Array: npy.New(data, shape...)}
}

// mustRead reads one file that must be valid.
func mustRead(t testing.TB, name string, content []byte, opts Options) *Set {
	t.Helper()
	s, err := Read([]string{write(t, name, content)}, opts)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// refused reads one file that must be refused, and checks the error and its sentence.
func refused(t testing.TB, name string, content []byte, opts Options) *FormatError {
	t.Helper()
	path := write(t, name, content)
	s, err := Read([]string{path}, opts)
	var fe *FormatError
	if !errors.As(err, &fe) {
		t.Fatalf("%s: %v, error %v; want a FormatError", name, s, err)
	}
	if !testenv.Said(t, err.Error()) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: message %q", name, err)
	}
	return fe
}

// pixels draws the images of a set, one line a row of pixels.
func pixels(s *Set) string {
	var b strings.Builder
	for _, m := range s.Images {
		b.WriteString(m.String())
	}
	return b.String()
}

func threshold(v float64) *float64 { return &v }

func conditions(t testing.TB, texts ...string) []Condition {
	t.Helper()
	var out []Condition
	for _, s := range texts {
		c, err := ParseCondition(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

func TestReadErrorsOfTheFileSystem(t *testing.T) {
	_, err := Read([]string{filepath.Join(t.TempDir(), "no.npz")}, Options{})
	var fe *FormatError
	if !errors.Is(err, fs.ErrNotExist) || errors.As(err, &fe) {
		t.Errorf("missing file: %v", err)
	}
	path := write(t, "a.csv", []byte("0,1\n"))
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(path); err != nil { // root may read everything
		if _, err := Read([]string{path}, Options{}); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("unreadable file: %v", err)
		}
	}
}

func TestForeignFormats(t *testing.T) {
	refused(t, "a.mat", []byte("MATLAB 7.3 MAT-file, Platform"), Options{})
	refused(t, "a.h5", []byte("\x89HDF\r\n\x1a\n"), Options{})
	refused(t, "a.jpg", []byte("\xff\xd8\xff\xe0"), Options{})
	refused(t, "a.csv", []byte("<!DOCTYPE html>\n<html>"), Options{})
	refused(t, "a.csv", []byte("[{\"a\": 1}]"), Options{})
	refused(t, "a.bin", []byte("ab\x00cd"), Options{})
	refused(t, "a.csv", nil, Options{})
	refused(t, "a.csv.gz", zipped(nil), Options{})
	refused(t, "a.gz", zipped(zipped([]byte("0,1\n"))), Options{})
	whole := zipped([]byte("0,1\n1,0\n"))
	refused(t, "a.gz", whole[:len(whole)-6], Options{})
	whole[len(whole)-8] ^= 1
	refused(t, "a.gz", whole, Options{})
}

func TestOptionsAreChecked(t *testing.T) {
	for name, o := range map[string]Options{
		"labels": {Labels: []string{"a", "b"}}, "height alone": {Height: 3}, "negative": {Height: -1, Width: -1},
		"huge": {Height: 1 << 40, Width: 1 << 40}, "NaN": {Threshold: threshold(math.NaN())},
	} {
		if _, err := Read([]string{"unused"}, o); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(nil, Options{}); err == nil {
		t.Error("no paths accepted")
	}
}

func TestSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, picture(t, string(content)), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := file("a.npz", npz(t, arr("x", []uint8{1, 0, 0, 1}, 2, 2), arr("y", []string{"T", "L"}, 2),
		arr("n", []int64{1, 2}, 2), arr("only_a", []int64{1, 2}, 2)))
	b := file("b.npz", npz(t, arr("x", []bool{true, true}, 1, 2), arr("y", []string{"V"}, 1), arr("n", []float64{0.5}, 1),
		arr("weight", []int32{7}, 1)))
	c := file("c.csv", []byte("0,1,1\n"))
	s, err := Read([]string{a, b}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &Set{Data: patchwork.Data{Weights: []int64{1, 1, 7}}, Index: []int{0, 1, 2}, Table: true, Source: a + ", " + b,
		Meta: []Labels{LabelsOf("y", []string{"T", "L", "V"}), LabelsOf("n", []float64{1, 2, 0.5})}}
	if diff := cmp.Diff(want, s, cmpopts.IgnoreFields(Set{}, "Images"), cmpopts.IgnoreUnexported(Set{})); diff != "" {
		t.Error(diff)
	}
	if got := pixels(s); got != "#.\n.#\n##\n" {
		t.Errorf("pixels\n%s", got)
	}
	_, err = Read([]string{a, c}, Options{})
	if err == nil || !strings.Contains(err.Error(), "c.csv: images of 1 x 3 pixels, but "+a+" has 1 x 2") {
		t.Errorf("sizes: %v", err)
	}
	d, e := file("d.csv", []byte("p,q\n0,1\n")), file("e.csv", []byte("q,p\n0,1\n"))
	_, err = Read([]string{d, e}, Options{})
	if err == nil || !strings.Contains(err.Error(), `"q"`) || !strings.Contains(err.Error(), "--columns") {
		t.Errorf("column order: %v", err)
	}
	if s, err = Read([]string{d, e}, Options{Columns: []string{"q", "p"}}); err != nil || pixels(s) != "#.\n.#\n" {
		t.Errorf("chosen columns: %v, %v", s, err)
	}
}

func TestSelection(t *testing.T) {
	s := mustRead(t, "a.npz", npz(t,
		arr("x", []uint8{0, 0, 0, 1, 1, 0, 1, 1}, 4, 2),
		arr("y", []string{"T", "L", "T", "a,b"}, 4), arr("writer", []uint8{1, 20, 25, 26}, 4),
		arr("score", []float64{0.5, math.NaN(), 2, 3}, 4), arr("weight", []int64{1, 2, 3, 4}, 4)), Options{})
	for texts, want := range map[string][]int{
		"y=T":                    {0, 2},
		"y!=T":                   {1, 3},
		"y=T,L":                  {0, 1, 2},
		"y!=T,L":                 {3},
		`y="a,b"`:                {3},
		"writer<=20":             {0, 1},
		"writer < 20":            {0},
		"writer>=26":             {3},
		"writer>20;writer!=26":   {2},
		"writer=20,25":           {1, 2},
		"writer==1":              {0},
		"writer=1.0":             {0},
		"score>=2;y=T":           {2},
		"score!=0.5":             {1, 2, 3},
		"score=nan":              {1},
		"score<100":              {0, 2, 3},
		"y=T;writer<=20;score<1": {0},
	} {
		got, err := s.Where(conditions(t, strings.Split(texts, ";")...)...)
		if err != nil {
			t.Errorf("%s: %v", texts, err)
			continue
		}
		if !cmp.Equal(got.Index, want) {
			t.Errorf("%s: rows %v, want %v", texts, got.Index, want)
		}
		for k, i := range want {
			if got.Images[k] != s.Images[i] || got.Weight(k) != int64(i+1) || got.Meta[0].Text(k) != s.Meta[0].Text(i) {
				t.Errorf("%s: row %d is out of step", texts, k)
			}
		}
	}
	for _, text := range []string{"y=Q", "z=1", "y<3", "writer=one", "writer>26"} {
		_, err := s.Where(conditions(t, text)...)
		var fe *FormatError
		if !errors.As(err, &fe) || !testenv.Said(t, err.Error()) || !strings.Contains(err.Error(), "a.npz") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "y", "=T", "y!T", "writer<many", "writer<=1,2"} {
		if c, err := ParseCondition(text); err == nil {
			t.Errorf("%q parsed as %v", text, c)
		}
	}
}

func TestTakeSkipPick(t *testing.T) {
	s := mustRead(t, "a.csv", []byte("0,0\n0,1\n1,0\n1,1\n"), Options{})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "n")
		head, tail := s.Take(n), s.Cut(n, -1)
		if head.Len() != min(n, 4) || head.Len()+tail.Len() != 4 {
			t.Fatalf("%d: %d + %d rows", n, head.Len(), tail.Len())
		}
		if !cmp.Equal(append(append([]int{}, head.Index...), tail.Index...), s.Index) {
			t.Fatal("take and skip do not part the rows")
		}
	})
	if got := s.Cut(1, 2).Pick([]int{1, 1, 0}).Index; !cmp.Equal(got, []int{2, 2, 1}) {
		t.Errorf("rows %v", got)
	}
	if h, w := s.Take(0).Size(); h != 0 || w != 0 {
		t.Error("an empty set has a size")
	}
}

// drawSet generates a set such as Read returns.
func drawSet(t *rapid.T) *Set {
	n := rapid.IntRange(1, 6).Draw(t, "n")
	h, w := rapid.IntRange(1, 4).Draw(t, "h"), rapid.SampledFrom([]int{1, 3, 64, 65}).Draw(t, "w")
	s := &Set{Table: rapid.Bool().Draw(t, "table")}
	if s.Table {
		h = 1
		if rapid.Bool().Draw(t, "names") {
			for range w {
				s.Columns = append(s.Columns, rapid.StringMatching(`[a-zé ]{0,4}[a-z]`).Draw(t, "name"))
			}
		}
	}
	unknowns := rapid.IntRange(0, 2).Draw(t, "unknowns")
	for i := range n {
		m := bitmap.New(h, w)
		for k := range m.Len() {
			switch v := rapid.IntRange(0, 5).Draw(t, "pixel"); {
			case v < unknowns:
				m.SetUnknown(k/w, k%w)
			default:
				m.Set(k/w, k%w, v%2 == 1)
			}
		}
		s.Images, s.Index = append(s.Images, m), append(s.Index, i)
	}
	if rapid.Bool().Draw(t, "weighted") {
		s.Weights = rapid.SliceOfN(rapid.Int64Range(0, 1<<40), n, n).Draw(t, "weights")
	}
	s.Meta = []Labels{
		LabelsOf("y", rapid.SliceOfN(rapid.StringMatching(`[A-Z|?]{0,2}`), n, n).Draw(t, "y")),
		LabelsOf("writer", rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "writer")),
		LabelsOf("score", rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "score")),
	}
	return s
}

func TestEncodeNPZRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "set.npz")
	rapid.Check(t, func(t *rapid.T) {
		s := drawSet(t)
		if err := writeNPZ(path, s, arr("truth", []int64{4, 5, 6}, 1, 3)); err != nil {
			t.Fatal(err)
		}
		got, err := Read([]string{path}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Source = path
		same := cmp.Comparer(func(a, b *bitmap.Image) bool { return a.Equal(b) })
		if diff := cmp.Diff(s, got, same, cmpopts.IgnoreUnexported(Set{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

// writeNPZ writes a set to a file.
func writeNPZ(path string, s *Set, extra ...npy.Member) error {
	var b bytes.Buffer
	if err := EncodeNPZ(&b, s, extra...); err != nil {
		return at(err, path)
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

func TestEncodeNPZFailures(t *testing.T) {
	s := &Set{Data: patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("#.")}}, Meta: []Labels{LabelsOf("columns", []int64{1})}}
	if err := EncodeNPZ(new(bytes.Buffer), s); err == nil {
		t.Error("a reserved name")
	}
	s.Meta[0] = LabelsOf("t", []string{"\xff"})
	if err := EncodeNPZ(new(bytes.Buffer), s); err == nil {
		t.Error("bad text")
	}
	s.Meta[0] = LabelsOf("a", []int64{1})
	if err := EncodeNPZ(new(bytes.Buffer), s, arr("a", []int64{1}, 1)); err == nil {
		t.Error("two arrays of one name")
	}
}

// sentences returns the notes on a set in sentences.
func sentences(s *Set) (out []string) {
	for _, n := range s.Notes {
		out = append(out, n.String())
	}
	return out
}

// allocated returns the bytes that were ever allocated.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func writeResults(t rapid.TB, f TableFormat, columns []TableColumn, chunks iter.Seq2[[]any, error]) []byte {
	var b bytes.Buffer
	if err := WriteTable(&b, f, columns, chunks); err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	return b.Bytes()
}
