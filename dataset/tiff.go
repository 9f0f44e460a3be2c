package dataset

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"fmt"
	"io"

	"golang.org/x/image/tiff/lzw"
)

// checkExpanded rejects strips and tiles that expand to much more than their pixels take: the
// decoder would keep all of it.
func (t *tiffTags) checkExpanded(data []byte) error {
	deflate := func(r *bytes.Reader) (io.ReadCloser, error) { return zlib.NewReader(r) }
	open := map[int64]func(*bytes.Reader) (io.ReadCloser, error){
		5:     func(r *bytes.Reader) (io.ReadCloser, error) { return lzw.NewReader(r, lzw.MSB, 8), nil },
		8:     deflate,
		32773: func(r *bytes.Reader) (io.ReadCloser, error) { return io.NopCloser(&packedBits{r: r}), nil },
		32946: deflate,
	}[t.first[tagCompression]]
	if open == nil {
		return nil
	}
	const side = 1 << 26 // more than any picture has
	width, height := min(t.first[tagWidth], side), min(t.first[tagHeight], side)
	rows := min(cmp.Or(t.first[tagRows], height), height)
	if w, h := t.first[tagTileWidth], t.first[tagTileHeight]; w > 0 && h > 0 {
		const padding = 1 << 10 // of a small picture to a tile
		width, rows = min(w, width+padding), min(h, height+padding)
	}
	// 64 bits are the most that a pixel takes.
	bits := min(64, min(64, cmp.Or(t.first[tagSamples], 1))*min(64, cmp.Or(t.first[tagBits], 1)))
	most := 2*((width*bits+7)/8)*rows + 1<<16
	for i, at := range t.offsets[:min(len(t.offsets), len(t.counts))] {
		if int64(at) > int64(len(data)) {
			continue // the decoder says so
		}
		block := data[at:min(int64(at)+int64(t.counts[i]), int64(len(data)))]
		r, err := open(bytes.NewReader(block))
		if err != nil {
			continue
		}
		n, _ := io.Copy(io.Discard, io.LimitReader(r, most+1)) // the decoder reports damage
		r.Close()
		if n > most {
			return &FormatError{Msg: fmt.Sprintf(
				"damaged TIFF picture: a strip or tile of at most %d bytes expands to more than twice as many",
				(width*bits+7)/8*rows), Hint: "save it again"}
		}
	}
	return nil
}

// packedBits expands PackBits: a byte n below 128 stands before n+1 bytes, and one above 128
// before a byte that comes 257-n times.
type packedBits struct {
	r    *bytes.Reader
	out  [128]byte
	rest []byte // of out
}

// Read implements [io.Reader].
func (p *packedBits) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		n, err := p.r.ReadByte()
		if err != nil {
			return 0, err
		}
		switch {
		case n < 128:
			p.rest = p.out[:int(n)+1]
			if _, err := io.ReadFull(p.r, p.rest); err != nil {
				return 0, err
			}
		case n > 128:
			v, err := p.r.ReadByte()
			if err != nil {
				return 0, err
			}
			p.rest = p.out[:257-int(n)]
			for i := range p.rest {
				p.rest[i] = v
			}
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
