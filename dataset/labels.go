package dataset

import (
	"bufio"
	"compress/gzip"
	"io"

	"example.com/patchwork/dataset/npy"
)

// labelArray reads a label file: IDX or .npy, maybe gzipped.
func (in *input) labelArray(r io.Reader) (*npy.Array, error) {
	br := bufio.NewReader(r)
	head, err := br.Peek(8)
	if err != nil && err != io.EOF {
		return nil, err
	}
	k, err := sniff(head)
	if err != nil {
		return nil, err
	}
	if k == kindGzip {
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, err
		}
		br = bufio.NewReader(z)
		head, err := br.Peek(8)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if k, err = sniff(head); err != nil {
			return nil, err
		}
	}
	switch k {
	case kindIDX:
		d, err := in.idxReader(br)
		if err != nil {
			return nil, err
		}
		return d.All()
	case kindNPY:
		return npy.Read(br, npy.Limits{Bytes: in.budget.max})
	}
	return nil, &FormatError{Msg: "labels are read from IDX and .npy files only",
		Hint: "save them with numpy.save, or carry them as a column or an array beside the images"}
}
