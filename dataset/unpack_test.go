package dataset

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/testenv"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// TestPacked: what is in a gzip or zstd stream is read as if it were not.
func TestPacked(t *testing.T) {
	for name, content := range map[string][]byte{
		"csv": []byte("site,a,b\nu,1,0\nv,0,?\n"), "utf-16": []byte(utf16le("a;b\n0;1\n")),
		"idx": idx(8, []byte{0, 1, 1, 0}, 1, 2, 2),
		"npy": npyFile(t, npy.New([]uint8{0, 1}, 1, 2)), "npz": npz(t, arr("x", []uint8{1, 0}, 2, 1)),
		"parquet": parquetFile(t, [][]struct{ A bool }{{{true}}}),
	} {
		want, err := readBytes(content, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for kind, packed := range map[string][]byte{"gzip": zipped(content), "zstd": zstded(content)} {
			got, err := readBytes(packed, Options{})
			if err != nil || cmp.Diff(want, got, sameSets) != "" {
				t.Errorf("%s in %s: %v %s", name, kind, err, cmp.Diff(want, got, sameSets))
			}
			path := write(t, "t", packed)
			if s, err := gather(t.Context(), []string{path}, Options{partBytes: 1}, 0, -1); err != nil ||
				pixels(s) != pixels(want) {
				t.Errorf("%s in %s, streamed: %v", name, kind, err)
			}
		}
	}
	text := []byte("a,b\n1,0\n0,1\n")
	refused(t, "a.zst", zstded(zipped(text)), Options{})
	refused(t, "a.zst", zstded(text)[:8], Options{})
	refused(t, "a.zst", append(zstded(text)[:6], "nonsense"...), Options{})
	refused(t, "a.zst", zstded(nil), Options{})
}

// TestBombs: a few bytes that unpack to many cost little.
func TestBombs(t *testing.T) {
	lines := bytes.Repeat([]byte("\n"), 100<<20)
	zeros := append([]byte("a,b\n"), bytes.Repeat([]byte("0,0\n"), 20<<20/4)...)
	for name, content := range map[string][]byte{"empty lines": append([]byte("a,b\n1,0\n"), lines...), "rows": zeros,
		"one line": append([]byte("a,b\n1,"), bytes.Repeat([]byte("0"), 100<<20)...)} {
		for kind, packed := range map[string][]byte{"gzip": zipped(content), "zstd": zstded(content)} {
			_, err := readBytes(packed, Options{MaxMemory: 1 << 20})
			var fe *FormatError
			if !errors.As(err, &fe) {
				t.Errorf("%s in %s, %d bytes: %v", name, kind, len(packed), err)
			}
		}
	}
	// A window of a gigabyte, which a decoder would have to hold.
	z, err := zstd.NewWriter(nil, zstd.WithWindowSize(1<<29), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z.Reset(&b)
	for range 3 {
		if _, err := z.Write(lines); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	refused(t, "a.zst", b.Bytes(), Options{})
}

// TestStandardInput: the path - is what comes through a pipe, in every format.
func TestStandardInput(t *testing.T) {
	for name, content := range map[string][]byte{
		"csv": []byte("a,b\n1,0\n0,?\n"), "labels": []byte("site,a\nu,1\nv,0\n"),
		"categories": []byte("soil,k\nclay,a\npeat,b\nclay,b\npeat,a\n"),
		"npy":        npyFile(t, npy.New([]uint8{0, 1}, 1, 2)), "npz": npz(t, arr("x", []uint8{1, 0}, 2, 1)),
		"parquet": parquetFile(t, [][]struct{ A bool }{{{true}}}), "gzip": zipped([]byte("a,b\n1,0\n")),
		"long":        []byte("a,b\n" + strings.Repeat("0,1\n", headBytes) + "1,0\n"),
		"long labels": []byte("site,b\n" + strings.Repeat("u,1\n", headBytes) + "v,0\n"),
	} {
		want, err := readBytes(content, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := readPiped(t, content, "-")
		if err != nil || pixels(got) != pixels(want) || !cmp.Equal(got.Columns, want.Columns) ||
			got.Source != "standard input" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, content := range []string{"", "a,b\n1,0\n0,7\n"} {
		if _, err := readPiped(t, []byte(content), "-"); err == nil || !testenv.Said(t, err.Error()) {
			t.Errorf("%q: %v", content, err)
		}
	}
	if _, err := Read([]string{"-", "-"}, Options{}); err == nil || !testenv.Said(t, err.Error()) {
		t.Error(err)
	}
	if _, err := OpenStream(t.Context(), []string{"-"}, Options{}); err == nil || !testenv.Said(t, err.Error()) {
		t.Error(err)
	}
}

// readPiped reads a path while content comes through standard input.
func readPiped(t *testing.T, content []byte, path string) (*Set, error) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func(f *os.File) { os.Stdin = f; r.Close() }(os.Stdin)
	os.Stdin = r
	go func() {
		_, _ = w.Write(content) // the reader may stop early
		w.Close()
	}()
	return Read([]string{path}, Options{})
}
