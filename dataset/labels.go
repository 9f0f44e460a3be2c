package dataset

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"slices"

	"example.com/patchwork/dataset/npy"
)

// labels reads one label an image into the metadata column `y`.
func (in *input) labels(s *Set, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	a, err := in.labelArray(f)
	if err != nil {
		return err
	}
	if len(a.Shape) != 1 || a.Shape[0] != s.Len() {
		return &FormatError{Msg: fmt.Sprintf("labels of shape %v for %d images", a.Shape, s.Len()), Hint: "give one label an image"}
	}
	s.Meta = slices.DeleteFunc(s.Meta, func(c Column) bool { return c.Name == "y" })
	s.Meta = append(s.Meta, Column{"y", metaValues(a)})
	return nil
}

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
