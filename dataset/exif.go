package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
)

// Tags of a directory of a TIFF file, or of Exif data, which have the same form, that matter before it is decoded.
// Format: https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf.
const (
	tagWidth       = 256
	tagHeight      = 257
	tagOrientation = 274
	tagStripCounts = 279
	tagTileWidth   = 322
	tagTileHeight  = 323
	tagTileCounts  = 325
)

var tagsRead = []uint16{tagWidth, tagHeight, tagOrientation, tagStripCounts, tagTileWidth, tagTileHeight, tagTileCounts}

// mostPages bounds the directories that are followed: they may form a ring.
const mostPages = 1000

// TIFFPages returns the pages of a TIFF file as files of one page each, and any other file as it is. They share the
// bytes of data, which are as before in the end.
func TIFFPages(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		order := tiffOrder(data)
		if order == nil {
			yield(data)
			return
		}
		first, end := order.Uint32(data[4:8]), int64(len(data))
		defer order.PutUint32(data[4:8], first)
		at := int64(first)
		if at < 8 || at+2 > end {
			yield(data)
		}
		for n := 0; at >= 8 && at+2 <= end && n < mostPages; n++ {
			order.PutUint32(data[4:8], uint32(at))
			next := at + 2 + 12*int64(order.Uint16(data[at:]))
			if next+4 > end {
				yield(data)
				return
			}
			link := order.Uint32(data[next:])
			order.PutUint32(data[next:], 0)
			more := yield(data)
			order.PutUint32(data[next:], link)
			if at = int64(link); !more {
				return
			}
		}
	}
}

// tiffOrder returns the order of bytes of a TIFF file, nil for another.
func tiffOrder(data []byte) binary.ByteOrder {
	switch {
	case len(data) >= 8 && bytes.HasPrefix(data, []byte("MM\x00*")):
		return binary.BigEndian
	case len(data) >= 8 && bytes.HasPrefix(data, []byte("II*\x00")):
		return binary.LittleEndian
	}
	return nil
}

// readTIFF reads the entries of the first directory with such tags, the sum of the values of each. Places outside of
// the data are zero.
func readTIFF(data []byte) (tags map[uint16]int64) {
	tags = map[uint16]int64{}
	order := tiffOrder(data)
	if order == nil {
		return tags
	}
	end := int64(len(data))
	number := func(at, size int64) int64 {
		switch {
		case at < 0 || at+size > end:
			return 0
		case size == 2:
			return int64(order.Uint16(data[at:]))
		}
		return int64(order.Uint32(data[at:]))
	}
	at := number(4, 4)
	// an entry is a tag, a type (3: of 2 bytes, 4: of 4), a number of values, and the values or their place
	for e := at + 2; at >= 8 && e < at+2+12*number(at, 2); e += 12 {
		tag, size, n, place := uint16(number(e, 2)), int64(4), number(e+4, 4), e+8
		if number(e+2, 2) == 3 {
			size = 2
		}
		if size*n > 4 {
			place = number(place, 4)
		}
		if _, twice := tags[tag]; twice || !slices.Contains(tagsRead, tag) { // the decoder refuses those that come twice
			continue
		}
		tags[tag] = 0
		for ; n > 0 && place < end; n, place = n-1, place+size {
			tags[tag] += number(place, size)
		}
	}
	return tags
}

// checkTIFF rejects strips or tiles that are longer than the file together:
// many that share bytes would take hours to read. So it does with tiles that are much larger than the picture, for
// whose pixels the decoder takes memory. It counts the pages.
func checkTIFF(data []byte) (pages int, err error) {
	tags := readTIFF(data)
	if tags[tagStripCounts]+tags[tagTileCounts] > int64(len(data)) {
		return 0, &FormatError{
			Msg: fmt.Sprintf("damaged TIFF picture: its strips or tiles take more than the %d bytes of the file",
				len(data)), Hint: "save it again"}
	}
	const padding = 1 << 10 // of a small picture to a tile
	h, w := tags[tagTileHeight], tags[tagTileWidth]
	if h > tags[tagHeight]+padding || w > tags[tagWidth]+padding {
		return 0, &FormatError{Msg: fmt.Sprintf("damaged TIFF picture: a tile of %d x %d pixels", h, w),
			Hint: "save it again"}
	}
	for range TIFFPages(data) {
		pages++
	}
	return pages, nil
}

// tiffOrientation returns the orientation, 1 to 8 or 0 for none, of a TIFF file or of Exif data.
func tiffOrientation(data []byte) int {
	return int(readTIFF(data)[tagOrientation])
}

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
				return tiffOrientation(exif)
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
			return tiffOrientation(bytes.TrimPrefix(chunk, []byte("Exif\x00\x00")))
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
