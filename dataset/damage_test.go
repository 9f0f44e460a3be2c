package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
)

// packedTable is a table of text that packs to some hundred bytes.
func packedTable() []byte {
	var b bytes.Buffer
	b.WriteString("site,a,b,c,d,e,f,g,h\n")
	x := uint32(1)
	for i := range 60 {
		fmt.Fprintf(&b, "s%d", i)
		for range 8 {
			x = x*1664525 + 1013904223
			fmt.Fprintf(&b, ",%d", x>>31)
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

// damaged wants an error that says that a file is cut or damaged, in every way in which it is read.
func damaged(t *testing.T, name string, content []byte, opts Options) {
	t.Helper()
	path := write(t, name, content)
	judge := func(how string, err error) {
		t.Helper()
		var fe *FormatError
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), "cut off") && !strings.Contains(err.Error(), "damaged") &&
			len(content) >= 2 {
			t.Errorf("%s of %d bytes, %s: %v", name, len(content), how, err)
		}
	}
	_, err := Read([]string{path}, opts)
	judge("read", err)
	_, err = gather(t.Context(), []string{path}, opts, 0, -1)
	judge("streamed", err)
	if len(opts.Pairs) == 0 && !opts.Items { // which are no real values
		_, err = readNumbers([]string{path}, opts)
		judge("as real values", err)
	}
	_, err = Decode(context.Background(), name, content, opts)
	judge("in memory", err)
}

// TestCut: a packed file that is cut anywhere, or of which other bytes follow the end, is refused.
func TestCut(t *testing.T) {
	text := packedTable()
	for kind, packed := range map[string][]byte{".gz": zipped(text), ".zst": zstded(text)} {
		for n := 1; n < len(packed); n++ {
			damaged(t, "t.csv"+kind, packed[:n:n], Options{Edits: []Edit{{Column: "site", Want: "label"}}})
		}
		for n := 1; n < len(packed); n++ { // of a second member
			damaged(t, "t.csv"+kind, append(bytes.Clone(packed), packed[:n]...), Options{Edits: []Edit{{Column: "site", Want: "label"}}})
		}
		for _, junk := range []string{"x", "junkjunk", "nothing that belongs here", "\x00\x00x", "a,b\n1,0\n"} {
			damaged(t, "t.csv"+kind, append(bytes.Clone(packed), junk...), Options{Edits: []Edit{{Column: "site", Want: "label"}}})
		}
	}
}

// TestCutFormats: so are all other formats in a packed file.
func TestCutFormats(t *testing.T) {
	zeros := make([]byte, 20*30)
	for i := range zeros {
		zeros[i] = byte(i * i / 7 & 1)
	}
	pairs := []byte("site,species\n" + strings.Repeat("u,a\nv,b\nw,a\nu,c\n", 5))
	for name, f := range map[string]struct {
		content []byte
		opts    Options
	}{
		"t.idx": {idx(8, zeros, 20, 5, 6), Options{}}, "t.npy": {npyFile(t, npy.New(zeros, 20, 30)), Options{}},
		"t.npz":     {npz(t, arr("x", zeros, 20, 30)), Options{}},
		"t.parquet": {parquetFile(t, [][]struct{ A bool }{{{true}, {false}}}), Options{}},
		"pairs.csv": {pairs, Options{Pairs: []string{"site", "species"}}},
		"items.txt": {[]byte("a,b\nb,c,d\na\n"), Options{Items: true}},
	} {
		for kind, packed := range map[string][]byte{".gz": zipped(f.content), ".zst": zstded(f.content)} {
			for n := 2; n < len(packed); n += 1 + len(packed)/40 {
				damaged(t, name+kind, packed[:n:n], f.opts)
			}
			for _, n := range []int{1, 2, 3, 4, 5} { // within the checksum
				damaged(t, name+kind, packed[:len(packed)-n], f.opts)
			}
			wrong := bytes.Clone(packed)
			wrong[len(wrong)-5+4*strings.Count(kind, "zst")] ^= 1 // of the checksum
			damaged(t, name+kind, wrong, f.opts)
			damaged(t, name+kind, append(bytes.Clone(packed), "and more"...), f.opts)
		}
	}
}

// TestCutLabels: a packed file of labels, too.
func TestCutLabels(t *testing.T) {
	images := write(t, "x.npy", npyFile(t, npy.New([]uint8{0, 1, 1, 0}, 2, 2)))
	packed := zipped(idx(8, []byte{3, 4}, 2))
	if s, err := Read([]string{images}, Options{Labels: []string{write(t, "y.gz", packed)}}); err != nil || s.Len() != 2 {
		t.Fatal(err)
	}
	for n := 2; n < len(packed); n++ {
		path := write(t, "y.gz", packed[:n])
		if _, err := Read([]string{images}, Options{Labels: []string{path}}); err == nil ||
			!strings.Contains(err.Error(), "cut off") || !strings.Contains(err.Error(), path) {
			t.Errorf("%d bytes of labels: %v", n, err)
		}
	}
}

// TestMembers: files of several members are read as one.
func TestMembers(t *testing.T) {
	text := packedTable()
	want, err := readBytes(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	half := bytes.IndexByte(text[len(text)/2:], '\n') + len(text)/2 - 3 // within a line
	for name, content := range map[string][]byte{
		"members":         append(zipped(text[:half]), zipped(text[half:])...),
		"empty members":   bytes.Join([][]byte{zipped(nil), zipped(text), zipped(nil)}, nil),
		"frames":          append(zstded(text[:half]), zstded(text[half:])...),
		"a frame to skip": append(zstded(text), "\x50\x2a\x4d\x18\x03\x00\x00\x00abc"...),
	} {
		got, err := readBytes(content, Options{})
		if err != nil || pixels(got) != pixels(want) {
			t.Errorf("%s: %v", name, err)
		}
		if got, err = gather(t.Context(), []string{write(t, "t", content)}, Options{partBytes: 1}, 0, 3); err != nil ||
			got.Len() != 3 {
			t.Errorf("the first rows of %s: %v", name, err)
		}
	}
}

// TestPlainPanic: what a library stumbles over is told without Go's words.
func TestPlainPanic(t *testing.T) {
	content := parquetFile(t, [][]struct{ A bool }{{{true}, {false}}})
	for i := range content {
		for _, c := range []byte{0x01, 0x80, 0xff} {
			b := bytes.Clone(content)
			b[i] ^= c
			if _, err := readBytes(b, Options{}); err != nil && strings.Contains(err.Error(), "runtime error") {
				t.Fatalf("byte %d: %v", i, err)
			}
		}
	}
}
