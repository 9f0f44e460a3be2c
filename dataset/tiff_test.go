package dataset

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"slices"
	"testing"
	"time"

	"example.com/patchwork/internal/testenv"
	"golang.org/x/image/tiff"
)

// TestTIFFThatExpands: a strip or tile that expands to much more than its pixels takes no more memory than these.
func TestTIFFThatExpands(t *testing.T) {
	deflated := func(n int) []byte {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		z.Write(make([]byte, n)) // to memory
		z.Close()
		return b.Bytes()
	}
	block := deflated(60_000_000)
	picture := func(tags ...tag) []byte {
		all := append([]tag{{256, 4, []uint32{500}}, {257, 4, []uint32{500}}, {258, 3, []uint32{8}},
			{259, 3, []uint32{8}}, {262, 3, []uint32{1}}}, tags...)
		return tiffOf(binary.LittleEndian, block, all...)
	}
	size := []uint32{uint32(len(block))}
	for name, content := range map[string][]byte{
		"strip": picture(tag{273, 4, []uint32{8 + 2 + 12*8 + 4}}, tag{278, 4, []uint32{500}}, tag{279, 4, size}),
		"tile": picture(tag{322, 4, []uint32{1 << 30}}, tag{323, 4, []uint32{1 << 30}},
			tag{324, 4, []uint32{8 + 2 + 12*9 + 4}}, tag{325, 4, size}),
	} {
		before := allocated()
		_, err := Decode(context.Background(), "a.tif", content, Options{})
		if used := allocated() - before; used > 16<<20 || name == "tile" && (err == nil || !testenv.Said(t, err.Error())) {
			t.Errorf("%s: %v, with %d bytes", name, err, used)
		}
	}
}

// TestTIFFCompressions: pictures of every compression that the library writes pass.
func TestTIFFCompressions(t *testing.T) {
	for _, size := range []int{1, 7, 300} {
		colour := image.NewRGBA(image.Rect(0, 0, size, 3))
		colour.Set(0, 1, color.Black)
		for _, c := range []tiff.CompressionType{tiff.Uncompressed, tiff.Deflate} {
			if _, err := checkTIFF(tiffFile(t, colour, c)); err != nil {
				t.Error(size, c, err)
			}
		}
	}
}

// TestDirectoryOfManyCounts: entries that share their values do not multiply them.
func TestDirectoryOfManyCounts(t *testing.T) {
	many := slices.Repeat([]tag{{279, 4, []uint32{0}}}, 20_000)
	content := tiffOf(binary.LittleEndian, make([]byte, 200_000), many...)
	for i := range many {
		binary.LittleEndian.PutUint32(content[8+2+12*i+4:], 1<<20)
		binary.LittleEndian.PutUint32(content[8+2+12*i+8:], 8)
	}
	began := time.Now()
	if readTIFF(content); time.Since(began) > 10*time.Second {
		t.Error("entries are read again and again")
	}
}

// TestPictureThatDoesNotFit: a picture is refused for want of memory before it is decoded.
func TestPictureThatDoesNotFit(t *testing.T) {
	tall := pngFile(t, image.NewGray(image.Rect(0, 0, 1, 200_000)))
	before := allocated()
	_, err := Decode(context.Background(), "tall.png", tall, Options{MaxMemory: 1 << 20})
	used := allocated() - before
	if err == nil || !testenv.Said(t, err.Error()) || used > 150_000 {
		t.Errorf("%v, with %d bytes", err, used)
	}
}

// The pages of a TIFF file are files of one page, and the bytes are as before, whatever they are.
func FuzzTIFFPages(f *testing.F) {
	f.Add([]byte("II*\x00\x08\x00\x00\x00\x00\x00\x0e\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("MM\x00*\x00\x00\x00\x08\x00\x00\x00\x00\x00\x08"))
	f.Add([]byte("no TIFF"))
	f.Fuzz(func(t *testing.T, data []byte) {
		before, n := bytes.Clone(data), 0
		for page := range TIFFPages(data) {
			pages := 0
			for range TIFFPages(bytes.Clone(page)) {
				pages++
			}
			if n++; pages > 1 && !bytes.Equal(page, before) {
				t.Fatalf("page %d has %d pages", n, pages)
			}
		}
		if n < 1 || !bytes.Equal(data, before) {
			t.Fatalf("%d pages; the bytes changed: %v", n, !bytes.Equal(data, before))
		}
	})
}
