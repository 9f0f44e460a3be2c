package dataset

import (
	"fmt"
	"io"
	"os"
	"slices"

	"example.com/patchwork/internal/npy"
)

// labelRows reads one label per image into the metadata column `y`.
type labelRows struct {
	path string
	file *os.File
	rows *arrayRows
	at   int
	rest io.Reader // of a packed file, after the labels; nil for others
}

func (in *input) labels(path string) (*labelRows, error) {
	f, err := in.opts.openFile(path)
	if err != nil {
		return nil, err
	}
	d, rest, err := in.labelArray(f)
	if err == nil && len(d.Header().Shape) != 1 {
		err = &FormatError{Msg: fmt.Sprintf("labels of shape %v", d.Header().Shape), Hint: "give one label per image"}
	}
	if err != nil {
		f.Close()
		return nil, at(err, path)
	}
	return &labelRows{path: path, file: f, rows: &arrayRows{d: d, max: in.budget.max}, rest: rest}, nil
}

// add adds the labels of the next images.
func (l *labelRows) add(s *Set) error {
	s.Meta = slices.DeleteFunc(s.Meta, func(c Labels) bool { return c.Name == "y" })
	y := Labels{"y", make([]int64, s.Len())} // for images without labels; done will reject them
	if l.at+s.Len() <= l.count() {
		a, err := l.rows.next(s.Len())
		if err != nil {
			return at(err, l.path)
		}
		y.Values = metaValues(a)
	}
	l.at += s.Len()
	s.Meta = append(s.Meta, y)
	return nil
}

func (l *labelRows) count() int { return l.rows.d.Header().Shape[0] }

// done returns io.EOF if there were as many labels as images, else an error.
func (l *labelRows) done() error {
	if l.at == l.count() {
		if l.rest != nil {
			if err := drain(l.rest); err != nil {
				return at(err, l.path)
			}
		}
		return io.EOF
	}
	return &FormatError{Path: l.path, Msg: fmt.Sprintf("labels of shape %v for %d images", l.rows.d.Header().Shape, l.at),
		Hint: "give one label per image"}
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
		d, err = npy.NewReader(r, in.arrayLimits())
	default:
		err = &FormatError{Msg: "labels are read from IDX and .npy files only",
			Hint: "save them with numpy.save, or store them as a column or an array beside the images"}
	}
	if c.at == nil {
		rest = r
	}
	return d, rest, err
}
