package dataset

import (
	"encoding/binary"
	"fmt"
	"io"

	"example.com/patchwork/internal/npy"
)

// idxTypes are the element types of the IDX format, by their code.
var idxTypes = map[byte]npy.DType{
	0x08: {Kind: 'u', Size: 1}, 0x09: {Kind: 'i', Size: 1},
	0x0B: {Kind: 'i', Size: 2, BigEndian: true}, 0x0C: {Kind: 'i', Size: 4, BigEndian: true},
	0x0D: {Kind: 'f', Size: 4, BigEndian: true}, 0x0E: {Kind: 'f', Size: 8, BigEndian: true},
}

// idxReader reads the header of an IDX file, the format of MNIST: two zero
// bytes, type, number of sides, the sides (big endian, 4 bytes each), then the
// elements in C order. See http://yann.lecun.com/exdb/mnist/.
func (in *input) idxReader(r io.Reader) (*npy.Reader, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	t, ok := idxTypes[head[2]]
	if !ok || head[0] != 0 || head[1] != 0 {
		return nil, &FormatError{Offset: 2, Msg: fmt.Sprintf("not an IDX file: it starts with % x", head)}
	}
	shape := make([]int, head[3])
	for i := range shape {
		var side [4]byte
		if _, err := io.ReadFull(r, side[:]); err != nil {
			return nil, err
		}
		shape[i] = int(binary.BigEndian.Uint32(side[:]))
	}
	return npy.NewRawReader(r, npy.Header{DType: t, Shape: shape}, in.arrayLimit())
}

func (in *input) idx(c *content) (parts, error) {
	r, err := c.open()
	if err != nil {
		return nil, err
	}
	d, err := in.idxReader(r)
	if err != nil {
		return nil, err
	}
	if len(d.Header().Shape) == 1 {
		return nil, &FormatError{Msg: "an IDX file of labels, not of images", Hint: "name it after the file of the images"}
	}
	images, err := in.images(d)
	if err != nil {
		return nil, err
	}
	images.done = func() error {
		var one [1]byte
		if n, err := io.ReadFull(r, one[:]); n > 0 {
			return &FormatError{Msg: fmt.Sprintf("more bytes than the header's sides %v account for", d.Header().Shape)}
		} else if err != io.EOF { // also a wrong gzip checksum
			return err
		}
		return nil
	}
	return images, nil
}

// isIDX recognises the format by its first bytes.
func isIDX(head []byte) bool {
	return len(head) >= 4 && head[0] == 0 && head[1] == 0 && head[2] >= 8 && head[2] <= 14
}
