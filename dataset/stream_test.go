package dataset

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/testenv"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"
)

// gather reads a stream as a whole and checks every part.
func gather(ctx context.Context, paths []string, opts Options, skip, take int) (*Set, error) {
	s, err := OpenStream(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	s = s.Cut(skip, take)
	n := 0
	for part, err := range s.Sets(ctx) {
		if err != nil {
			return nil, err
		}
		h, w := s.Head().Size()
		ph, pw := part.Size()
		if part.Len() == 0 || len(part.Index) != part.Len() || (part.Weights != nil) != s.Weighted() || h != ph || w != pw {
			return nil, fmt.Errorf("a part of %d images, %d rows, weights %v", part.Len(), len(part.Index), part.Weights)
		}
		n += part.Len()
	}
	if known, ok := s.Len(); ok && known != n {
		return nil, fmt.Errorf("%d images, not %d", n, known)
	}
	return s.Set(ctx) // a second reading
}

var sameSets = cmp.Options{cmp.Comparer(func(a, b *bitmap.Image) bool { return a.Equal(b) }), cmpopts.EquateNaNs(),
	cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Set{}, "Notes"),
	cmpopts.IgnoreUnexported(Set{}), cmpopts.IgnoreFields(Set{}, "Notes")}

// TestStreamIsRead: a stream in parts of any size gives what Read gives, for
// every format, several files and any selection.
func TestStreamIsRead(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		var paths []string
		opts := Options{Kind: Bit, partBytes: rapid.SampledFrom([]int64{1, 70, 500, 1 << 20}).Draw(t, "part")}
		w := rapid.SampledFrom([]int{1, 3, 9, 65}).Draw(t, "width")
		weighted := rapid.Bool().Draw(t, "weight")
		for i := range rapid.IntRange(1, 3).Draw(t, "files") {
			format := rapid.SampledFrom([]string{"npz", "npy", "csv", "csv.gz", "parquet", "idx.gz"}).Draw(t, "format")
			path := filepath.Join(dir, fmt.Sprint(i, ".", format))
			if err := os.WriteFile(path, drawFile(t, format, w, weighted), 0o644); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		if rapid.Bool().Draw(t, "weighted") {
			opts.Edits = append(opts.Edits, Edit{"weight", "weight"})
		}
		if rapid.Bool().Draw(t, "meta") {
			opts.Edits = append(opts.Edits, Edit{"y", "label"})
		}
		if rapid.Bool().Draw(t, "where") {
			where := rapid.SampledFrom([]string{"y=1", "y!=1", "y<=2", "y=a", "y=1,2;z!=3", "z=9", "y=1;z=9"}).Draw(t,
				"condition")
			for _, text := range strings.Split(where, ";") {
				c, err := ParseCondition(text)
				if err != nil {
					t.Fatal(err)
				}
				opts.Where = append(opts.Where, c)
			}
		}
		skip, take := rapid.IntRange(0, 3).Draw(t, "skip"), rapid.SampledFrom([]int{-1, 1, 2, 4}).Draw(t, "take")
		want, wantErr := Read(paths, opts)
		if wantErr == nil && skip >= want.Len() {
			return // reported differently, by another library
		}
		got, err := gather(context.Background(), paths, opts, skip, take)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("stream: %v; read: %v", err, wantErr)
		}
		if err != nil {
			// With several files, each is examined before any is read to its
			// end.
			if len(paths) == 1 && err.Error() != wantErr.Error() && !strings.Contains(err.Error(), "compares text") &&
				!strings.Contains(err.Error(), "holds numbers") {
				t.Fatalf("stream: %v\nread:   %v", err, wantErr)
			}
			return
		}
		want = want.Cut(skip, -1)
		if take > 0 {
			want = want.Take(take)
		}
		if diff := cmp.Diff(want, got, sameSets); diff != "" {
			t.Fatal(diff)
		}
	})
}

// drawFile generates a file of a few rows of w bits, with metadata y and z of
// any type if the format allows.
func drawFile(t *rapid.T, format string, w int, weighted bool) []byte {
	n := rapid.IntRange(1, 7).Draw(t, "n")
	x := rapid.SliceOfN(rapid.Uint8Range(0, 1), n*w, n*w).Draw(t, "x")
	weight := rapid.SliceOfN(rapid.Int64Range(0, 5), n, n).Draw(t, "weights")
	y := rapid.SliceOfN(rapid.SampledFrom([]string{"1", "2", "3", "-4"}), n, n).Draw(t, "y")
	if kind := rapid.SampledFrom([]string{"int", "float", "text"}).Draw(t, "kind"); kind != "int" {
		y[rapid.IntRange(0, n-1).Draw(t, "other")] = map[string]string{"float": "0.50", "text": "a"}[kind]
	}
	z := make([]int64, n)
	for i := range z {
		z[i] = int64(i % 4)
	}
	switch base, packed := strings.CutSuffix(format, ".gz"); base {
	case "npz":
		members := []npy.Member{arr("x", x, n, w), arr("z", z, n)}
		if weighted {
			members = append(members, arr("weight", weight, n))
		}
		switch v := (Labels{Cells: y, Type: columnRaw}).guessed().Values(0, n).(type) {
		case []int64:
			members = append(members, arr("y", v, n))
		case []float64:
			members = append(members, arr("y", v, n))
		case []string:
			members = append(members, arr("y", v, n))
		}
		if rapid.Bool().Draw(t, "mask") {
			members = append(members, arr("known", rapid.SliceOfN(rapid.Bool(), n*w, n*w).Draw(t, "known"), n, w))
		}
		var buf bytes.Buffer
		if err := npy.WriteZip(&buf, npy.Deflate, members...); err != nil {
			t.Fatal(err)
		}
		return buf.Bytes()
	case "npy":
		var buf bytes.Buffer
		if err := npy.Write(&buf, npy.New(x, n, w)); err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "fortran") {
			return fortran(buf.Bytes())
		}
		return buf.Bytes()
	case "csv":
		var buf bytes.Buffer
		out := csv.NewWriter(&buf)
		record := []string{"y", "z", "weight"}
		for i := range w {
			record = append(record, "x"+strconv.Itoa(i))
		}
		out.Write(record)
		for i := range n {
			record = append(record[:0], y[i], fmt.Sprint(z[i]), fmt.Sprint(weight[i]))
			for _, v := range x[i*w : (i+1)*w] {
				record = append(record, fmt.Sprint(v))
			}
			out.Write(record)
		}
		out.Flush()
		if packed {
			return zipped(buf.Bytes())
		}
		return buf.Bytes()
	case "parquet":
		return drawParquet(t, n, w, x, y, z, weight)
	}
	return zipped(idx(8, x, n, w))
}

// drawParquet writes one row group per one or two rows.
func drawParquet(t *rapid.T, n, w int, x []uint8, y []string, z, weight []int64) []byte {
	group := parquet.Group{"y": parquet.String(), "z": parquet.Int(64), "weight": parquet.Int(64)}
	for i := range w {
		group["x"+strconv.Itoa(i)] = parquet.Leaf(parquet.BooleanType)
	}
	var buf bytes.Buffer
	out := parquet.NewGenericWriter[map[string]any](&buf, parquet.NewSchema("t", group))
	per := rapid.IntRange(1, 3).Draw(t, "group")
	for i := range n {
		row := map[string]any{"y": y[i], "z": z[i], "weight": weight[i]}
		for k, v := range x[i*w : (i+1)*w] {
			row["x"+strconv.Itoa(k)] = v == 1
		}
		if _, err := out.Write([]map[string]any{row}); err != nil {
			t.Fatal(err)
		}
		if i%per == per-1 {
			if err := out.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TestStreamLabels: the labels of a file are streamed with it.
func TestStreamLabels(t *testing.T) {
	images := write(t, "images", idx(8, []byte{0, 1, 1, 0, 1, 1}, 3, 1, 2))
	labels := write(t, "labels", zipped(idx(8, []byte{5, 6, 5}, 3)))
	opts := Options{Labels: []string{labels}, Where: conditions(t, "y=5"), partBytes: 1}
	got, err := gather(t.Context(), []string{images}, opts, 0, -1)
	want, wantErr := Read([]string{images}, opts)
	if err != nil || wantErr != nil || cmp.Diff(want, got, sameSets) != "" {
		t.Errorf("%v, %v: %s", err, wantErr, cmp.Diff(want, got, sameSets))
	}
	for _, n := range []int{2, 4} {
		opts.Labels[0] = write(t, "labels", idx(8, make([]byte, n), n))
		_, err := gather(t.Context(), []string{images}, opts, 0, -1)
		if err == nil || !testenv.Said(t, err.Error()) || !strings.Contains(err.Error(), opts.Labels[0]) {
			t.Errorf("%d labels: %v", n, err)
		}
	}
}

// TestStreamErrors: an error in the middle of a file has the words of Read,
// with its row, line or byte, and comes after the parts before it.
func TestStreamErrors(t *testing.T) {
	x := make([]uint8, 300)
	x[290] = 7
	bad := npyFile(t, npy.New(x, 100, 3))
	archive := npz(t, arr("x", make([]uint8, 300), 100, 3), arr("weight", append(make([]int64, 98), -1, 0), 100))
	table := []byte("a,b\n" + strings.Repeat("0,1\n", 50) + "0,x\n")
	groups := parquetFile(t, [][]parquetRow{{{C: 1}, {C: 0}}, {{C: 1}, {C: 5}}})
	packed := zipped(npyFile(t, npy.New(make([]uint8, 300), 100, 3)))
	for name, c := range map[string]struct {
		content []byte
		opts    Options
		parts   int
	}{
		"pixel.npy":   {bad, Options{}, 96},
		"cut.npy":     {bad[:len(bad)-40], Options{}, 86},
		"cut.npy.gz":  {packed[:len(packed)-12], Options{}, 0},
		"weight.npz":  {archive, Options{}, 98},
		"cell.csv":    {table, Options{Columns: []string{"a", "b"}}, 0}, // the beginning is examined first
		"ragged.csv":  {append(table[:len(table)-4:len(table)-4], "1\n"...), Options{}, 0},
		"group.parq":  {groups, Options{Columns: []string{"c"}}, 0}, // text is read through first
		"long.idx":    {append(idx(8, make([]byte, 30), 10, 3), 0), Options{}, 9},
		"missing.npz": {archive, Options{Array: "q"}, 0},
	} {
		c.opts.partBytes, c.opts.Kind = 1, Bit
		path := write(t, name, c.content)
		_, want := Read([]string{path}, c.opts)
		s, err := OpenStream(t.Context(), []string{path}, c.opts)
		parts := 0
		if err == nil {
			for _, e := range s.Sets(t.Context()) {
				if err = e; e == nil {
					parts++
				}
			}
		}
		if want == nil || err == nil || err.Error() != want.Error() || parts < c.parts {
			t.Errorf("%s: after %d parts: %v\nread: %v", name, parts, err, want)
		}
	}
}

// TestStreamOfChangedFile: a file that is gone or has changed is refused.
func TestStreamOfChangedFile(t *testing.T) {
	path := write(t, "x.csv", []byte("a,b\n0,1\n"))
	s, err := OpenStream(t.Context(), []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("0,1,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Set(t.Context()); err == nil || !testenv.Said(t, err.Error()) {
		t.Errorf("another table: %v", err)
	}
	os.Remove(path)
	if _, err := s.Set(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := OpenStream(t.Context(), []string{path}, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path = write(t, "y.csv", []byte("a,b\n0,1\n"))
	if s, err = OpenStream(ctx, []string{path}, Options{}); err == nil {
		_, err = s.Set(ctx)
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestStreamBeyondMemory: input too large for memory is reported, before
// reading if possible, and can still be streamed.
func TestStreamBeyondMemory(t *testing.T) {
	x := make([]uint8, 4000)
	x[3999] = 2 // never reached
	var rows []parquetRow
	for range 1000 {
		rows = append(rows, parquetRow{})
	}
	for name, content := range map[string][]byte{
		"a.npy": npyFile(t, npy.New(x, 1000, 4)), "a.npz": npz(t, arr("x", x, 1000, 4)), "a.idx": idx(8, x, 1000, 4),
		"a.csv":     []byte("a,b\n" + strings.Repeat("0,1\n", 50000) + "0,2\n"),
		"a.parquet": parquetFile(t, [][]parquetRow{rows, rows}),
	} {
		path := write(t, name, content)
		opts := Options{MaxMemory: 40000, partBytes: 100}
		if strings.HasSuffix(name, "parquet") {
			opts.Columns = []string{"a", "c", "n"}
			opts.MaxMemory = 160000 // a row group fits, the file does not
		}
		_, err := Read([]string{path}, opts)
		if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), fmt.Sprint(opts.MaxMemory)) {
			t.Errorf("%s: %v", name, err)
		}
		s, err := OpenStream(t.Context(), []string{path}, opts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := s.Cut(3, 10).Set(t.Context()); err != nil || got.Len() != 10 || got.Index[0] != 3 {
			t.Errorf("%s: a few images of it: %v", name, err)
		}
		if _, err := s.Set(t.Context()); err == nil {
			t.Errorf("%s: all of it fits", name)
		}
	}
}

// raw returns cells as a text has them.
func raw(cells []string) Labels { return Labels{Cells: cells, Type: columnRaw} }

// TestRetypeIsGuessAndJoin: the types of metadata are those of the whole
// columns.
func TestRetypeIsGuessAndJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"1", "-7", "007", "0.5", "", "NA", "?", "a", "1e3",
			"9223372036854775808"}), 1, 6)
		a, b := raw(text.Draw(t, "a")), raw(text.Draw(t, "b"))
		var g guesser
		for _, s := range a.Cells {
			g.add([]string{s})
		}
		if !cmp.Equal(a.as(g.kind()), a.guessed()) {
			t.Fatal("one by one they are another kind")
		}
		x, y := a.guessed(), b.guessed()
		want := x
		want.append(y)
		got := x.as(want.Type)
		if got.append(y.as(want.Type)); !cmp.Equal(got, want) {
			t.Fatalf("%v and %v: %v, want %v", x, y, got, want)
		}
	})
	if v := raw([]string{"1", ""}).guessed(); !math.IsNaN(v.Number(1)) || v.Type != ColumnFloat {
		t.Error("an empty number is unknown")
	}
}
