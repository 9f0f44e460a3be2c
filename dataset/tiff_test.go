package dataset

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"io"
	"slices"
	"testing"

	"example.com/patchwork/internal/testenv"
	"golang.org/x/image/tiff"
)

// TestTIFFThatExpands: a strip or tile that expands to much more than its pixels is refused
// before the decoder keeps all of it.
func TestTIFFThatExpands(t *testing.T) {
	deflated := func(n int) []byte {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		z.Write(make([]byte, n)) // to memory
		z.Close()
		return b.Bytes()
	}
	packed := func(n int) []byte { return bytes.Repeat([]byte{129, 0}, n/128) }
	picture := func(compression uint32, block []byte, tags ...tag) []byte {
		all := append([]tag{{256, 4, []uint32{2000}}, {257, 4, []uint32{2000}}, {258, 3, []uint32{8}},
			{259, 3, []uint32{compression}}, {262, 3, []uint32{1}}}, tags...)
		return tiffOf(binary.LittleEndian, block, all...)
	}
	strip := func(compression uint32, block []byte) []byte {
		const at = 8 + 2 + 12*8 + 4
		return picture(compression, block, tag{273, 4, []uint32{at}}, tag{278, 4, []uint32{2000}},
			tag{279, 4, []uint32{uint32(len(block))}})
	}
	const pixels = 2000 * 2000
	for name, c := range map[string]struct {
		content []byte
		refused bool
	}{
		"deflate":       {strip(8, deflated(pixels)), false},
		"deflate bomb":  {strip(8, deflated(30_000_000)), true},
		"old deflate":   {strip(32946, deflated(30_000_000)), true},
		"PackBits":      {strip(32773, packed(pixels)), false},
		"PackBits bomb": {strip(32773, packed(30_000_000)), true},
		"a tile of bombs": {picture(8, deflated(200_000_000), tag{322, 4, []uint32{1 << 30}}, tag{323, 4, []uint32{1 << 30}},
			tag{324, 4, []uint32{8 + 2 + 12*9 + 4}}, tag{325, 4, []uint32{180_000}}), true},
	} {
		before := allocated()
		set, err := Decode(context.Background(), "a.tif", c.content, Options{})
		used := allocated() - before
		if !c.refused {
			if err != nil || set.Len() != 1 || set.Images[0].Height() != 2000 {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || !testenv.Said(t, err.Error()) || used > 4<<20 {
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

// TestPackBits is the example of the specification of TIFF, page 42, and text that is cut off.
func TestPackBits(t *testing.T) {
	in := []byte{0xfe, 0xaa, 0x02, 0x80, 0x00, 0x2a, 0xfd, 0xaa, 0x03, 0x80, 0x00, 0x2a, 0x22, 0xf7, 0xaa}
	want := slices.Concat(bytes.Repeat([]byte{0xaa}, 3), []byte{0x80, 0, 0x2a}, bytes.Repeat([]byte{0xaa}, 4),
		[]byte{0x80, 0, 0x2a, 0x22}, bytes.Repeat([]byte{0xaa}, 10))
	if got, err := io.ReadAll(&packedBits{r: bytes.NewReader(in)}); err != nil || !bytes.Equal(got, want) {
		t.Errorf("% x, %v", got, err)
	}
	if _, err := io.ReadAll(&packedBits{r: bytes.NewReader(in[:4])}); err != io.ErrUnexpectedEOF {
		t.Error(err)
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
	if got := len(readTIFF(content).counts); got > len(content)/4 {
		t.Errorf("%d counts of a file of %d bytes", got, len(content))
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
