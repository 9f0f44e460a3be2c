package mutate

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"testing"
)

// archiveOf returns a zip archive of one member.
func archiveOf(t *testing.T, name, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, content) // to memory
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t *testing.T, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, content) // to memory
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestChangesReachTheInside: of archives and packed files most copies are whole outside and
// differ inside; the file itself stays as it is, and a seed means the same copies.
func TestChangesReachTheInside(t *testing.T) {
	const inside = "shape (36, 128) and some text that is to be changed"
	for name, c := range map[string]struct {
		file []byte
		open func([]byte) ([]byte, error)
	}{
		"zip": {archiveOf(t, "x.npy", inside), func(b []byte) ([]byte, error) {
			z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
			if err != nil || len(z.File) != 1 || z.File[0].Name != "x.npy" {
				return nil, zip.ErrFormat
			}
			return unpack(z.File[0].Open())
		}},
		"gzip": {gzipped(t, inside), func(b []byte) ([]byte, error) {
			z, err := gzip.NewReader(bytes.NewReader(b))
			return unpack(io.NopCloser(z), err)
		}},
		"gzip in zip": {archiveOf(t, "x.npy", string(gzipped(t, inside))), func(b []byte) ([]byte, error) {
			z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
			if err != nil || len(z.File) != 1 || z.File[0].Name != "x.npy" {
				return nil, zip.ErrFormat
			}
			member, err := unpack(z.File[0].Open())
			if err != nil {
				return nil, err
			}
			g, err := gzip.NewReader(bytes.NewReader(member))
			return unpack(io.NopCloser(g), err)
		}},
	} {
		before := bytes.Clone(c.file)
		r, again := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 1))
		deep := 0
		for range 200 {
			m := File(r, c.file)
			if !bytes.Equal(m, File(again, c.file)) {
				t.Fatalf("%s: the same seed makes other copies", name)
			}
			if got, err := c.open(m); err == nil && string(got) != inside {
				deep++
			}
		}
		if deep < 80 {
			t.Errorf("%s: only %d of 200 copies were changed inside", name, deep)
		}
		if !bytes.Equal(c.file, before) {
			t.Errorf("%s: the file itself was changed", name)
		}
	}
}

// TestAnyBytes: what is no archive, or a broken one, is changed too.
func TestAnyBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, file := range [][]byte{nil, {0}, []byte("PK\x03\x04"), {0x1f, 0x8b}, []byte("a,b\n1,2\n"), bytes.Repeat([]byte{7}, 1000)} {
		changed := 0
		for range 50 {
			m := File(r, file)
			if !bytes.Equal(m, file) {
				changed++
			}
			if len(m) > 1<<24 {
				t.Errorf("%d bytes of %d", len(m), len(file))
			}
		}
		if changed < 25 {
			t.Errorf("%q: only %d of 50 copies differ", file, changed)
		}
	}
}
