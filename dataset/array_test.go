package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/testenv"
	"github.com/google/go-cmp/cmp"
)

func npyFile(t testing.TB, a *npy.Array) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := npy.Write(&buf, a); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// fortran rewrites the header of a (2,2,..) style file to claim Fortran order.
func fortran(b []byte) []byte {
	return bytes.Replace(b, []byte("'fortran_order': False"), []byte("'fortran_order': True "), 1)
}

func TestArrayTypesAgree(t *testing.T) {
	// Two images of 2 x 3 pixels; every type must give the same.
	const want = "#..\n.##\n...\n#.#\n"
	bits := []uint8{1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1}
	files := map[string]*npy.Array{
		"u1": npy.New(bits, 2, 2, 3), "channel": npy.New(bits, 2, 2, 3, 1), "first": npy.New(bits, 2, 1, 2, 3),
		"bool": npy.New(convert(bits, func(v uint8) bool { return v == 1 }), 2, 2, 3),
		"i1":   npy.New(convert(bits, func(v uint8) int8 { return int8(v) }), 2, 2, 3),
		"i2":   npy.New(convert(bits, func(v uint8) int16 { return int16(v) }), 2, 2, 3),
		"i4":   npy.New(convert(bits, func(v uint8) int32 { return int32(v) }), 2, 2, 3),
		"i8":   npy.New(convert(bits, func(v uint8) int64 { return int64(v) }), 2, 2, 3),
		"u2":   npy.New(convert(bits, func(v uint8) uint16 { return uint16(v) }), 2, 2, 3),
		"u4":   npy.New(convert(bits, func(v uint8) uint32 { return uint32(v) }), 2, 2, 3),
		"u8":   npy.New(convert(bits, func(v uint8) uint64 { return uint64(v) }), 2, 2, 3),
		"f4":   npy.New(convert(bits, func(v uint8) float32 { return float32(v) }), 2, 2, 3),
		"f8":   npy.New(convert(bits, func(v uint8) float64 { return float64(v) }), 2, 2, 3),
	}
	for name, a := range files {
		s := mustRead(t, name+".npy", npyFile(t, a), Options{})
		if got := pixels(s); got != want || s.Table {
			t.Errorf("%s:\n%s", name, got)
		}
		s = mustRead(t, name+".npz", npz(t, npy.Member{Name: "whatever", Array: a}), Options{})
		if got := pixels(s); got != want {
			t.Errorf("%s.npz:\n%s", name, got)
		}
	}
	s := mustRead(t, "wide.npy", npyFile(t, npy.New(bits, 2, 6)), Options{Height: 2, Width: 3})
	if got := pixels(s); got != want || s.Table {
		t.Errorf("reshaped:\n%s", got)
	}
	s = mustRead(t, "inverted.npy", npyFile(t, files["f4"]), Options{Invert: true})
	if got := pixels(s); got != ".##\n#..\n###\n.#.\n" {
		t.Errorf("inverted:\n%s", got)
	}
}

func convert[T any](bits []uint8, f func(uint8) T) []T {
	out := make([]T, len(bits))
	for i, v := range bits {
		out[i] = f(v)
	}
	return out
}

func TestArrayRules(t *testing.T) {
	nan := math.NaN()
	s := mustRead(t, "nan.npy", npyFile(t, npy.New([]float64{0, 1, nan, 1}, 2, 2)), Options{})
	if got := pixels(s); got != ".#\n?#\n" || !s.Table {
		t.Errorf("NaN:\n%s", got)
	}
	s = mustRead(t, "gray.npy", npyFile(t, npy.New([]uint8{0, 127, 128, 255}, 1, 2, 2)),
		Options{Threshold: threshold(127)})
	if got := pixels(s); got != "..\n##\n" {
		t.Errorf("threshold:\n%s", got)
	}
	s = mustRead(t, "prob.npy", npyFile(t, npy.New([]float32{0.5, 0.6, float32(nan), 0}, 1, 2, 2)),
		Options{Threshold: threshold(0.5), Invert: true})
	if got := pixels(s); got != "#.\n?#\n" {
		t.Errorf("threshold, inverted:\n%s", got)
	}
	s = mustRead(t, "bool.npy", npyFile(t, npy.New([]bool{true, false}, 1, 2)), Options{Threshold: threshold(127)})
	if got := pixels(s); got != "#.\n" {
		t.Errorf("a threshold must not touch bits:\n%s", got)
	}
	// The element at index (i,j,k) is 1 where i == k; the stream runs i fastest.
	f := make([]uint8, 12)
	for i := range 2 {
		for j := range 2 {
			f[i+2*j+4*i] = 1
		}
	}
	s = mustRead(t, "f.npy", fortran(npyFile(t, npy.New(f, 2, 2, 3))), Options{})
	if got := pixels(s); got != "#..\n#..\n.#.\n.#.\n" {
		t.Errorf("Fortran order:\n%s", got)
	}
}

func TestArchive(t *testing.T) {
	x := arr("x", []uint8{1, 0, 0, 1, 1, 0}, 3, 2)
	s := mustRead(t, "a.npz", npz(t, arr("gray", make([]uint8, 12), 3, 4), x,
		arr("missing", []uint8{0, 1, 0, 0, 1, 0}, 3, 2), arr("columns", []string{"a", "b"}, 2),
		arr("y", []string{"p", "q", ""}, 3), arr("id", []uint64{1 << 63, 2, 3}, 3), arr("flag", []bool{true, false, true}, 3),
		arr("column_vector", []int32{7, 8, 9}, 3, 1), arr("weight", []uint8{2, 0, 1}, 3)), Options{})
	if got := pixels(s); got != "#?\n.#\n?.\n" {
		t.Errorf("pixels\n%s", got)
	}
	want := []Labels{LabelsOf("y", []string{"p", "q", ""}), LabelsOf("id", []string{"9223372036854775808", "2", "3"}),
		LabelsOf("flag", []int64{1, 0, 1}), LabelsOf("column_vector", []int64{7, 8, 9})}
	if diff := cmp.Diff(want, s.Meta); diff != "" {
		t.Error(diff)
	}
	if !cmp.Equal(s.Weights, []int64{2, 0, 1}) || !cmp.Equal(s.Columns, []string{"a", "b"}) {
		t.Errorf("weights %v, columns %v", s.Weights, s.Columns)
	}
	s = mustRead(t, "k.npz", npz(t, x, arr("known", []bool{true, true, false, true, true, true}, 3, 2)), Options{})
	if got := pixels(s); got != "#.\n?#\n#.\n" {
		t.Errorf("known:\n%s", got)
	}
	s = mustRead(t, "c.npz", npz(t, x, arr("columns", []string{"a", "b"}, 2)), Options{Columns: []string{"b", "1"}})
	if got := pixels(s); got != ".#\n#.\n.#\n" || !cmp.Equal(s.Columns, []string{"b", "a"}) {
		t.Errorf("columns %v:\n%s", s.Columns, got)
	}
	other := npz(t, x, arr("wide", make([]uint8, 9), 3, 3), arr("missing", []uint8{1, 1, 1, 1, 1, 1}, 3, 2),
		arr("count", []int64{1, 2, 3}, 3))
	s = mustRead(t, "o.npz", other, Options{Edits: []Edit{{Column: "count", Want: "weight"}}, Array: "wide"})
	if got := pixels(s); got != "...\n...\n...\n" || !cmp.Equal(s.Weights, []int64{1, 2, 3}) || len(s.Meta) != 0 {
		t.Errorf("another array: %v\n%s", s, got)
	}
}

func TestArrayRefusals(t *testing.T) {
	x := arr("x", []uint8{1, 0, 0, 1}, 2, 2)
	for _, c := range []struct {
		content []byte
		opts    Options
	}{
		{npyFile(t, npy.New([]uint8{0, 1, 3, 0, 0, 0}, 1, 2, 3)), Options{}},
		{npyFile(t, npy.New([]int8{0, 0, 0, -1}, 2, 2)), Options{}},
		{npyFile(t, npy.New([]float64{0.5}, 1, 1)), Options{}},
		{npyFile(t, npy.New([]uint8{1}, 1)), Options{}},
		{npyFile(t, npy.New([]uint8{1})), Options{}},
		{npyFile(t, npy.New(make([]uint8, 12), 1, 2, 2, 3)), Options{}},
		{npyFile(t, npy.New(make([]uint8, 12), 1, 3, 2, 2)), Options{}},
		{npyFile(t, npy.New(make([]uint8, 32), 2, 2, 2, 2, 2)), Options{}},
		{npyFile(t, npy.New([]uint8{}, 0, 28, 28)), Options{}},
		{npyFile(t, npy.New([]uint8{}, 5, 0)), Options{}},
		{npyFile(t, npy.New([]string{"a"}, 1, 1)), Options{}},
		{npyFile(t, npy.New(make([]uint8, 1000), 1000, 1)), Options{MaxMemory: 10000}},
		{npyFile(t, npy.New(make([]uint8, 6), 1, 6)), Options{Height: 2, Width: 2}},
		{npyFile(t, npy.New(make([]uint8, 6), 1, 2, 3)), Options{Columns: []string{"1"}}},
		{npyFile(t, npy.New(make([]uint8, 6), 1, 6)), Options{Columns: []string{"7"}}},
		{npyFile(t, npy.New(make([]uint8, 6), 1, 6))[:130], Options{}},
		{npz(t, npy.Member{Name: "readme.txt", Raw: []byte("hi")}), Options{}},
		{npz(t, arr("a", []uint8{1}, 1, 1), arr("b", []uint8{1}, 1, 1)), Options{}},
		{npz(t, x), Options{Array: "z"}},
		{npz(t, x), Options{Edits: []Edit{{Column: "w", Want: "weight"}}}},
		{npyFile(t, x.Array), Options{Edits: []Edit{{Column: "w", Want: "weight"}}}},
		{npz(t, x), Options{Edits: []Edit{{Column: "y", Want: "label"}}}},
		{npz(t, x, arr("weight", []int64{1, -1}, 2)), Options{}},
		{npz(t, x, arr("weight", []int64{1}, 1)), Options{}},
		{npz(t, x, arr("weight", []int64{math.MaxInt64, 1}, 2)), Options{}},
		{npz(t, x, arr("missing", []uint8{1}, 1, 1)), Options{}},
		{npz(t, x, arr("known", []uint8{0, 1, 2, 0}, 2, 2)), Options{}},
		{npz(t, arr("x", []uint8{0, 0, 0, 9}, 2, 2)), Options{}},
	} {
		refused(t, "bad.dat", c.content, c.opts)
	}
}

// idx builds an IDX file.
func idx(kind byte, body []byte, sides ...int) []byte {
	out := []byte{0, 0, kind, byte(len(sides))}
	for _, s := range sides {
		out = binary.BigEndian.AppendUint32(out, uint32(s))
	}
	return append(out, body...)
}

func TestIDX(t *testing.T) {
	images := idx(8, []byte{0, 255, 128, 127, 1, 2, 3, 4}, 2, 2, 2)
	labels := write(t, "labels", zipped(idx(8, []byte{5, 6}, 2)))
	for name, content := range map[string][]byte{"plain": images, "packed.gz": zipped(images)} {
		s := mustRead(t, name, content, Options{Threshold: threshold(127), Labels: []string{labels},
			Where: conditions(t, "y=5")})
		if got := pixels(s); got != ".#\n#.\n" {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	file := write(t, "images", images)
	for what, named := range map[string]string{"IDX": labels,
		".npy": write(t, "y.npy", npyFile(t, npy.New([]int64{5, 6}, 2)))} {
		s, err := Read([]string{file, named, file, labels}, Options{Threshold: threshold(127), Where: conditions(t, "y=6")})
		if err != nil || s.Len() != 2 {
			t.Errorf("labels named after their images, %s: %v, %v", what, s, err)
		}
	}
	s := mustRead(t, "i2", idx(0x0B, []byte{0, 1, 0, 0}, 1, 2), Options{})
	if got := pixels(s); got != "#.\n" || !s.Table {
		t.Errorf("16-bit table:\n%s", got)
	}
	refused(t, "l", idx(8, []byte{5, 6}, 2), Options{})
	refused(t, "cut", images[:20], Options{Threshold: threshold(1)})
	refused(t, "head", images[:9], Options{})
	refused(t, "long", append(bytes.Clone(images), 1), Options{Threshold: threshold(1)})
	refused(t, "type", idx(0x0A, nil, 1, 1), Options{})
	refused(t, "huge", idx(8, nil, 1<<31, 1<<31, 1<<31), Options{})
	refused(t, "gray", images, Options{})
	for _, bad := range [][]byte{idx(8, []byte{1}, 1), idx(8, []byte{1, 2}, 1, 2), []byte("0\n1\n"), {}} {
		if _, err := Read([]string{write(t, "i", images)},
			Options{Threshold: threshold(1), Labels: []string{write(t, "l", bad)}}); err == nil {
			t.Errorf("labels %v accepted", bad)
		}
	}
}

// TestHostileArrays: a few bytes that claim a huge array must fail at once.
func TestHostileArrays(t *testing.T) {
	for _, shape := range []string{"(1000000000, 784)", "(4000000000, 1)", "(1, 260000000)"} {
		dict := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': %s, }\n", shape)
		b := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), 0)
		refused(t, "bomb.npy", append(b, dict...), Options{})
		refused(t, "bomb.npy", fortran(append(b, dict...)), Options{})
	}
}

func TestNPYFromPipe(t *testing.T) {
	// A pipe has no size and no random access.
	path := filepath.Join(t.TempDir(), "x.npz")
	if err := os.WriteFile(path, npz(t, arr("x", []uint8{1, 0}, 1, 2)), 0o644); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, _ := os.ReadFile(path)
	go func() { w.Write(b); w.Close() }()
	name := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skip("no /dev/fd on this system")
	}
	s, err := Read([]string{name}, Options{})
	if err != nil || pixels(s) != "#.\n" {
		t.Fatalf("%v, %v", s, err)
	}
}

// TestCountsOfArrays: numbers of an array that may be counts get the threshold that makes
// presences of them, and fractions one between; grey values of images do not.
func TestCountsOfArrays(t *testing.T) {
	for name, c := range map[string]struct {
		content []byte

		not string
	}{
		"counts":    {npyFile(t, npy.New([]int64{0, 3, 1, 2}, 2, 2)), ""},
		"fractions": {npyFile(t, npy.New([]float64{0, 0.3, 1, 0.5}, 2, 2)), "counts"},
		"grey":      {npyFile(t, npy.New([]int64{0, 3, 1, 2}, 1, 2, 2)), "counts"},
		"negative":  {npyFile(t, npy.New([]float64{0, -3.5}, 1, 2)), "counts"},
	} {
		_, err := readBytes(c.content, Options{})
		if err == nil || !testenv.Said(t, err.Error()) || c.not != "" && strings.Contains(err.Error(), c.not) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
