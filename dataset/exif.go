package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// tiffTags are the entries of the first directory of a TIFF file, or of Exif
// data, which have the same form, that matter before it is decoded. Format:
// https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf.
type tiffTags struct {
	orientation     int // 1 to 8; 0: none
	counts, offsets []uint32
	pages           int
	first           map[int64]int64 // the first values of other entries
}

// Tags of a directory.
const (
	tagWidth        = 256
	tagHeight       = 257
	tagBits         = 258
	tagCompression  = 259
	tagStripOffsets = 273
	tagOrientation  = 274
	tagSamples      = 277
	tagRows         = 278
	tagStripCounts  = 279
	tagTileWidth    = 322
	tagTileHeight   = 323
	tagTileOffsets  = 324
	tagTileCounts   = 325
)

// tiffReader reads numbers at places of a TIFF file; places outside are zero.
type tiffReader struct {
	data  []byte
	order binary.ByteOrder
}

func newTIFFReader(data []byte) (tiffReader, bool) {
	switch {
	case bytes.HasPrefix(data, []byte("II*\x00")):
		return tiffReader{data, binary.LittleEndian}, true
	case bytes.HasPrefix(data, []byte("MM\x00*")):
		return tiffReader{data, binary.BigEndian}, true
	}
	return tiffReader{}, false
}

func (r tiffReader) short(at int64) int64 {
	if at < 0 || at+2 > int64(len(r.data)) {
		return 0
	}
	return int64(r.order.Uint16(r.data[at:]))
}

func (r tiffReader) long(at int64) int64 {
	if at < 0 || at+4 > int64(len(r.data)) {
		return 0
	}
	return int64(r.order.Uint32(r.data[at:]))
}

// mostPages bounds the directories that are followed: they may form a ring.
const mostPages = 1000

// readTIFF reads the first directory and counts the others.
func readTIFF(data []byte) (t tiffTags) {
	r, ok := newTIFFReader(data)
	if !ok {
		return t
	}
	for at := r.long(4); at >= 8 && at+2 <= int64(len(data)) && t.pages < mostPages; {
		n := r.short(at)
		if t.pages++; t.pages == 1 {
			for i := range n {
				t.entry(r, at+2+12*i)
			}
		}
		at = r.long(at + 2 + 12*n)
	}
	return t
}

// entry reads an entry of a directory: a tag, a type (3: of 2 bytes, 4: of 4),
// a number of values, and the values or their place.
func (t *tiffTags) entry(r tiffReader, at int64) {
	tag, kind, n := r.short(at), r.short(at+2), r.long(at+4)
	switch tag {
	case tagOrientation:
		if v := r.short(at + 8); kind == 3 && v >= 1 && v <= 8 {
			t.orientation = int(v)
		}
	case tagStripCounts, tagTileCounts:
		if t.counts == nil { // the decoder refuses tags that come twice
			t.counts = r.numbers(kind, n, at+8)
		}
	case tagStripOffsets, tagTileOffsets:
		if t.offsets == nil {
			t.offsets = r.numbers(kind, n, at+8)
		}
	case tagWidth, tagHeight, tagBits, tagCompression, tagSamples, tagRows, tagTileWidth, tagTileHeight:
		if t.first == nil {
			t.first = map[int64]int64{}
		}
		if v := r.numbers(kind, min(n, 4), at+8); len(v) > 0 && n <= 4 {
			t.first[tag] = int64(v[0])
		}
	}
}

// numbers returns the values of an entry as far as the file has them.
func (r tiffReader) numbers(kind, n, place int64) []uint32 {
	size := int64(4)
	if kind == 3 {
		size = 2
	}
	if size*n > 4 {
		place = r.long(place)
	}
	out := make([]uint32, max(0, min(n, (int64(len(r.data))-place)/size)))
	for i := range out {
		if size == 2 {
			out[i] = uint32(r.short(place + 2*int64(i)))
		} else {
			out[i] = uint32(r.long(place + 4*int64(i)))
		}
	}
	return out
}

// checkTIFF rejects strips or tiles that are longer than the file together:
// many that share bytes would take hours to read. It counts the pages.
func checkTIFF(data []byte) (pages int, err error) {
	total, t := int64(0), readTIFF(data)
	for _, n := range t.counts {
		total += int64(n)
	}
	if total > int64(len(data)) {
		return 0, &FormatError{Msg: fmt.Sprintf("damaged TIFF picture: its strips or tiles take %d bytes, the file has %d",
			total, len(data)), Hint: "save it again"}
	}
	return t.pages, t.checkExpanded(data)
}

func tiffOrientation(data []byte) int { return readTIFF(data).orientation }

// jpegOrientation returns the orientation that the Exif segment of a JPEG file
// states, 0 for none: phones store pictures as the sensor lies.
func jpegOrientation(data []byte) int {
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		marker, n := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		switch {
		case marker == 0xff: // padding
			at++
			continue
		case marker == 0xda || marker == 0xd9 || n < 2: // the picture itself, the end, damage
			return 0
		case marker == 0xe1:
			segment := data[at+4 : min(at+2+n, len(data))]
			if exif, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00")); ok {
				return readTIFF(exif).orientation
			}
		}
		at += 2 + n
	}
	return 0
}

// webpOrientation returns the orientation that the EXIF chunk of a WebP file
// states, 0 for none.
func webpOrientation(data []byte) int {
	for at := int64(12); at+8 <= int64(len(data)); {
		n := int64(binary.LittleEndian.Uint32(data[at+4:]))
		if string(data[at:at+4]) == "EXIF" {
			chunk := data[at+8 : min(at+8+n, int64(len(data)))]
			return readTIFF(bytes.TrimPrefix(chunk, []byte("Exif\x00\x00"))).orientation
		}
		at += 8 + n + n%2
	}
	return 0
}

// turned returns the picture as it is meant to be seen. The orientations of
// Exif say where the first row and the first column of the file belong: 1 top
// left, 2 top right, 3 bottom right, 4 bottom left, and with rows as columns 5
// left top, 6 right top, 7 right bottom, 8 left bottom.
func (g *gray) turned(orientation int) *gray {
	if orientation < 2 || orientation > 8 {
		return g
	}
	out := &gray{height: g.height, width: g.width, lum: make([]uint16, len(g.lum))}
	if orientation >= 5 {
		out.height, out.width = g.width, g.height
	}
	for i, v := range g.lum {
		y, x := i/g.width, i%g.width
		if orientation >= 5 {
			y, x = x, y
		}
		if orientation >= 3 && orientation != 5 && orientation != 6 { // from the bottom
			y = out.height - 1 - y
		}
		if orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7 { // from the right
			x = out.width - 1 - x
		}
		out.lum[y*out.width+x] = v
	}
	return out
}
