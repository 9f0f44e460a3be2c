package npy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// readers returns different readers of the same bytes: some can seek, some
// cannot, and one only appears to.
func readers(t interface {
	Fatal(...any)
	Cleanup(func())
}, b []byte, dir string) map[string]io.Reader {
	path := filepath.Join(dir, "x.npy")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	pipe, w, err := os.Pipe() // an *os.File too, whose Seek fails
	if err != nil {
		t.Fatal(err)
	}
	go func() { w.Write(b); w.Close() }()
	t.Cleanup(func() { file.Close(); pipe.Close() })
	return map[string]io.Reader{"bytes": bytes.NewReader(b), "file": file, "pipe": pipe,
		"stream": io.MultiReader(bytes.NewReader(b)), "one by one": iotest.OneByteReader(bytes.NewReader(b))}
}

// TestSkip: rows after skipped ones are the same as without skipping.
func TestSkip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		n, width := rapid.IntRange(1, 40).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "columns")
		data := make([]int16, n*width)
		for i := range data {
			data[i] = int16(i)
		}
		var b bytes.Buffer
		if err := Write(&b, New(data, n, width)); err != nil {
			t.Fatal(err)
		}
		skips := rapid.SliceOf(rapid.IntRange(1, 30)).Draw(t, "skips")
		for name, r := range readers(t, b.Bytes(), dir) {
			d, err := NewReader(r, 0)
			if err != nil {
				t.Fatal(err)
			}
			at := 0
			for i, k := range skips {
				if at == n {
					if got, err := d.Skip(k); got != 0 || err != io.EOF {
						t.Fatalf("%s: at the end: %d, %v", name, got, err)
					}
					break
				}
				k = min(k, n-at)
				if i%2 == 0 {
					if got, err := d.Skip(k); got != k || err != nil {
						t.Fatalf("%s: skipped %d rows of %d from %d: %v", name, got, k, at, err)
					}
				} else {
					a, err := d.Next(k)
					if err != nil || !cmp.Equal(a.Data, data[at*width:(at+k)*width]) {
						t.Fatalf("%s: rows from %d: %v, %v", name, at, a, err)
					}
				}
				at += k
			}
			rest, err := d.All()
			if err != nil || !cmp.Equal(rest.Data, data[at*width:]) {
				t.Fatalf("%s: the rows from %d: %v, %v", name, at, rest, err)
			}
		}
	})
}

// TestSkipTruncated: a file that ends within the skipped rows, or right after
// them, is detected by every reader.
func TestSkipTruncated(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, New(make([]float64, 60), 20, 3)); err != nil {
		t.Fatal(err)
	}
	head := b.Len() - 60*8
	for _, kept := range []int{0, 1, 23, 24, 25, 10*24 - 1, 10 * 24} {
		for name, r := range readers(t, b.Bytes()[:head+kept], t.TempDir()) {
			d, err := NewReader(r, 0)
			if err != nil {
				t.Fatal(err)
			}
			n, err := d.Skip(10)
			if whole := kept == 10*24; whole != (err == nil) || whole != (n == 10) {
				t.Errorf("%s, %d bytes: skipped %d rows, %v", name, kept, n, err)
			}
			if err == nil {
				n, err = d.Skip(1)
			}
			var fe *FormatError
			if n != 0 || !errors.As(err, &fe) {
				t.Errorf("%s, %d bytes: %d rows, %v", name, kept, n, err)
			}
		}
	}
}

// TestSkipErrors: if seeking fails, reading continues from the same position; a
// read error is passed on unchanged.
func TestSkipErrors(t *testing.T) {
	whole := stream(1, dict("|u1", false, "(8, 2)"), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
	boom := errors.New("boom")
	d, err := NewReader(&stubborn{bytes.NewReader(whole), boom}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := d.Skip(3); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	if a, err := d.Next(1); err != nil || !cmp.Equal(a.Data, []uint8{6, 7}) {
		t.Error(a, err)
	}
	d, err = NewReader(io.MultiReader(bytes.NewReader(whole[:len(whole)-9]), iotest.ErrReader(boom)), 0)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := d.Skip(5); n != 0 || err != boom {
		t.Errorf("%d, %v", n, err)
	}
}

// stubborn looks like a file but cannot seek.
type stubborn struct {
	io.Reader
	err error
}

func (s *stubborn) Seek(int64, int) (int64, error) { return 0, s.err }

// TestSkipInArchive: archive members, compressed or not, are read completely to
// verify their checksums.
func TestSkipInArchive(t *testing.T) {
	data := make([]uint8, 3000)
	for i := range data {
		data[i] = uint8(i % 251)
	}
	for _, method := range []Method{Store, Deflate} {
		var b bytes.Buffer
		if err := WriteZip(&b, method, Member{Name: "x", Array: New(data, 1000, 3)}); err != nil {
			t.Fatal(err)
		}
		open := func(b []byte) *Reader {
			z, err := ReadZip(bytes.NewReader(b), int64(len(b)), 0)
			if err != nil {
				t.Fatal(err)
			}
			d, err := z.Open("x")
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		d := open(b.Bytes())
		if n, err := d.Skip(990); n != 990 || err != nil {
			t.Fatal(n, err)
		}
		if a, err := d.Next(10); err != nil || !cmp.Equal(a.Data, data[2970:]) {
			t.Errorf("method %d: %v", method, err)
		}
		damaged := bytes.Clone(b.Bytes())
		damaged[bytes.Index(damaged, []byte("NUMPY"))+200] ^= 1 // within the elements
		if method == Store {
			if _, err := open(damaged).Skip(1000); err == nil || !bytes.Contains(fmt.Append(nil, err), []byte("checksum")) {
				t.Errorf("damaged: %v", err)
			}
		}
	}
}
