package dataset

import (
	"fmt"
	"io"
	"os"
	"slices"

	"example.com/patchwork/internal/npy"
)

// labelRows are the labels of images in a file of their own, one for each, which become the metadata column `y`.
type labelRows struct {
	path string
	all  Labels
	at   int // of the next image
}

func (in *input) labels(path string) (*labelRows, error) {
	f, err := in.opts.openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	d, rest, err := in.labelArray(f)
	if err == nil && len(d.Header().Shape) != 1 {
		err = &FormatError{Msg: fmt.Sprintf("labels of shape %v", d.Header().Shape), Hint: "give one label per image"}
	}
	var a *npy.Array
	if err == nil {
		a, err = d.All()
	}
	if err == nil && rest != nil {
		err = drain(rest)
	}
	if err != nil {
		return nil, at(err, path)
	}
	return &labelRows{path: path, all: arrayLabels("y", a)}, nil
}

// add adds the labels of the next images; of none when there are no more, for which there must be no label either.
func (l *labelRows) add(s *Set) error {
	from, n := l.at, l.all.Len()
	l.at += s.Len()
	if l.at > n || s.Len() == 0 && l.at < n {
		return &FormatError{Path: l.path, Msg: fmt.Sprintf("labels of shape [%d] for %d images", n, l.at),
			Hint: "give one label per image"}
	}
	s.Meta = slices.DeleteFunc(s.Meta, func(c Labels) bool { return c.Name == "y" })
	index := identity(s.Len())
	for i := range index {
		index[i] += from
	}
	s.Meta = append(s.Meta, l.all.Pick(index))
	return nil
}

// labelArray reads a label file: IDX or .npy, maybe packed; rest is then what follows.
func (in *input) labelArray(file *os.File) (d *npy.Reader, rest io.Reader, err error) {
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	c, f, err := in.inner(contentAt(file.Name(), io.NewSectionReader(file, 0, info.Size())))
	if err != nil {
		return nil, nil, err
	}
	r, err := c.open()
	if err != nil {
		return nil, nil, err
	}
	switch f.name {
	case "IDX":
		d, err = in.idxReader(r)
	case "npy":
		d, err = npy.NewReader(r, in.arrayLimit())
	default:
		err = &FormatError{Msg: "labels are read from IDX and .npy files only",
			Hint: "save them with numpy.save, or store them as a column or an array beside the images"}
	}
	if c.at == nil {
		rest = r
	}
	return d, rest, err
}

// labelled takes files of labels out of paths: each goes with the file before it, unless
// the options name some.
func (o Options) labelled(paths []string) (data []string, out Options) {
	var labels []string
	for i, path := range paths {
		if i > 0 && len(labels) < len(data) && len(o.Labels) == 0 && isLabelFile(path) {
			labels = append(labels, path)
			continue
		}
		data = append(data, path)
	}
	if len(labels) == 0 {
		return paths, o
	}
	o.Labels = labels
	return data, o
}

// isLabelFile reports whether a file is an array of one dimension, IDX or .npy, which may be
// packed: what labels are, and no images.
func isLabelFile(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	d, _, err := newInput(Options{}).labelArray(f)
	return err == nil && len(d.Header().Shape) == 1
}
