package dataset

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCutSeeks: images from the middle of a file larger than any buffer equal
// those of the whole file, both from arrays, where reading seeks, and from
// compressed files.
func TestCutSeeks(t *testing.T) {
	const n, width = 30000, 7
	rng := rand.New(rand.NewPCG(3, 4))
	bits := make([]byte, n*width)
	for i := range bits {
		bits[i] = byte(rng.IntN(2))
	}
	head := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d), }", n, width)
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	npy := append([]byte("\x93NUMPY\x01\x00\x76\x00"+head), bits...)
	idx := append([]byte{0, 0, 8, 3, 0, 0, n >> 8, n & 255, 0, 0, 0, 1, 0, 0, 0, width}, bits...)
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	z.Write(npy)
	z.Close()
	dir := t.TempDir()
	for name, content := range map[string][]byte{"x.npy": npy, "x.idx": idx, "x.npy.gz": gz.Bytes()} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := OpenStream(t.Context(), []string{path, path}, Options{partBytes: 1 << 12})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range [][2]int{{0, 5}, {1, 1}, {9362, 20}, {9363, 3000}, {n - 1, 2}, {n, 1}, {n + 12345, 100},
			{2*n - 1, 10}, {rng.IntN(2 * n), 500}} {
			got, err := s.Cut(c[0], c[1]).Set(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if want := min(c[1], 2*n-c[0]); got.Len() != want {
				t.Fatalf("%s, %v: %d images", name, c, got.Len())
			}
			for k, m := range got.Images {
				row := (c[0] + k) % n
				if want := bits[row*width : (row+1)*width]; !bytes.Equal(m.AppendBytes(nil), want) || got.Index[k] != c[0]+k {
					t.Fatalf("%s, %v: image %d is %v of row %d, want %v", name, c, k, m.AppendBytes(nil), got.Index[k], want)
				}
			}
		}
	}
}
