package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"example.com/patchwork/internal/npy"
)

// valueFile is a file of real values that is being read.
type valueFile struct {
	head *Values                                      // all but the rows and what goes with them
	next func(most int) (rows [][]float64, err error) // at most so many rows; io.EOF after the last
	// adds what goes with the rows, all of which were read; nil for nothing
	done func(v *Values) error
}

// all reads the rows of a file into memory.
func (f *valueFile) all(in *input) (*Values, error) {
	v := f.head
	most := in.budget.max / int64(8*v.Height*v.Width+24)
	for {
		rows, err := f.next(blockRows(v.Height * v.Width))
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if v.Rows = append(v.Rows, rows...); int64(len(v.Rows)) > most {
			return nil, tooManyValues(in.budget.max)
		}
	}
	if f.done == nil {
		return v, nil
	}
	return v, f.done(v)
}

// blockRows returns how many rows are read at a time.
func blockRows(width int) int { return max(1, min(4096, 1<<18/max(width, 1))) }

// wholeValues returns values as a file.
func wholeValues(v *Values) *valueFile {
	rows := v.Rows
	head := *v
	head.Rows = nil
	return &valueFile{head: &head, next: func(int) ([][]float64, error) {
		if rows == nil {
			return nil, io.EOF
		}
		out := rows
		rows = nil
		return out, nil
	}}
}

// valueFile recognises a file of real values by its content. As content does, it uses ra of the given size where it
// is not nil, and again where what was read must be read again.
func (in *input) valueFile(path string, r io.Reader, ra io.ReaderAt, size int64,
	again func() (io.Reader, error)) (*valueFile, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	head, err := br.Peek(512)
	if err != nil && err != io.EOF {
		return nil, err
	}
	k, err := sniff(head)
	if err != nil {
		return nil, err
	}
	if k == kindGzip || k == kindZstd {
		inner, again, err := in.inside(k, br, again)
		if err != nil {
			return nil, err
		}
		head, _ := inner.Peek(512)
		f, err := in.valueFile(strings.TrimSuffix(path, filepath.Ext(path)), inner, nil, 0, again)
		if k, _ := sniff(head); k == kindNPY && err == nil { // an array may end before the file
			next := f.next
			f.next = func(most int) ([][]float64, error) {
				rows, err := next(most)
				if err == io.EOF {
					err = cmp.Or(drain(inner), err)
				}
				return rows, err
			}
		}
		return f, err
	}
	if (k == kindZip || k == kindParquet) && ra == nil {
		data, err := in.slurp(br)
		if err != nil {
			return nil, err
		}
		ra, size = bytes.NewReader(data), int64(len(data))
	}
	return in.valuesOf(k, path, br, ra, size, again)
}

// valuesOf is valueFile for a file of known format.
func (in *input) valuesOf(k kind, path string, br *bufio.Reader, ra io.ReaderAt, size int64,
	again func() (io.Reader, error)) (*valueFile, error) {
	switch {
	case pictureKind(k):
		data, err := in.slurp(br)
		if err != nil {
			return nil, err
		}
		v, err := in.pictureValues(path, data)
		if err != nil {
			return nil, err
		}
		return wholeValues(v), nil
	case k == kindNPY:
		d, err := npy.NewReader(br, in.arrayLimits())
		if err != nil {
			return nil, err
		}
		return in.imageValues(d)
	case k == kindIDX:
		return in.idxValues(br)
	case k == kindZip:
		return in.zipValues(path, ra, size)
	case k == kindParquet:
		return in.parquetValues(ra, size)
	case k == kindText:
		return in.textValues(br, size, again)
	}
	return nil, &FormatError{Msg: "is not read as real values",
		Hint: "save it as npy, npz, CSV, Parquet or IDX, or as pictures"}
}

// textValues reads a table of text.
func (in *input) textValues(br *bufio.Reader, size int64, again func() (io.Reader, error)) (*valueFile, error) {
	s, err := in.decodedSource(br, size, again)
	if err != nil {
		return nil, err
	}
	return in.tableValues(s, nil)
}

// idxValues reads an array in the format of MNIST.
func (in *input) idxValues(r *bufio.Reader) (*valueFile, error) {
	d, err := in.idxReader(r)
	if err != nil {
		return nil, err
	}
	f, err := in.imageValues(d)
	if err != nil {
		return nil, err
	}
	next := f.next
	f.next = func(most int) ([][]float64, error) {
		rows, err := next(most)
		if err != io.EOF {
			return rows, err
		}
		if _, err = r.ReadByte(); err == nil {
			err = &FormatError{Msg: fmt.Sprintf("more bytes than the header's sides %v account for", d.Header().Shape)}
		}
		return nil, err // io.EOF, or damage that shows at the end of a packed file
	}
	return f, nil
}

// imageValues reads an array of images or rows.
func (in *input) imageValues(d *npy.Reader) (*valueFile, error) {
	h := d.Header()
	l, err := layoutOf(h.Shape)
	if err != nil {
		return nil, err
	}
	if h.DType.Text() {
		return nil, &FormatError{Msg: "the array holds text, not numbers", Hint: "choose another with --array NAME"}
	}
	if !in.stream && int64(l.n) > in.budget.max/int64(8*l.height*l.width+24) {
		return nil, tooManyValues(in.budget.max)
	}
	r, at := &arrayRows{d: d, max: in.budget.max}, 0
	return &valueFile{head: &Values{Height: l.height, Width: l.width, Table: l.table, floats: h.DType.Kind == 'f'},
		next: func(most int) ([][]float64, error) {
			n := min(most, l.n-at)
			if n == 0 {
				return nil, io.EOF
			}
			a, err := r.next(n)
			if err != nil {
				return nil, err
			}
			rows, err := valueRows(a, l.height*l.width, at)
			at += n
			return rows, err
		}}, nil
}

// valueRows returns the rows of an array, after first others.
func valueRows(a *npy.Array, width, first int) ([][]float64, error) {
	flat, err := a.Float64s()
	if err != nil {
		return nil, err
	}
	var rows [][]float64
	for n := range len(flat) / width {
		row := flat[n*width : (n+1)*width : (n+1)*width]
		for i, x := range row {
			if math.IsInf(x, 0) {
				return nil, &FormatError{Row: first + n + 1, Msg: fmt.Sprintf("value %d is infinite", i+1),
					Hint: "use NaN for what is not known"}
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// npzValues reads an archive of arrays: the values, and the arrays that belong to them. Of a stream only the
// names of columns are read beside the values.
func (in *input) npzValues(ra io.ReaderAt, size int64) (*valueFile, error) {
	z, name, d, err := in.openArrays(ra, size)
	if err != nil {
		return nil, err
	}
	f, err := in.imageValues(d)
	if err != nil {
		return nil, inArray(err, name)
	}
	next := f.next
	f.next = func(most int) ([][]float64, error) {
		rows, err := next(most)
		if err != nil && err != io.EOF {
			err = inArray(err, name)
		}
		return rows, err
	}
	if in.stream {
		for _, mask := range []string{"known", "missing"} {
			if name != mask && z.Has(mask) {
				return nil, &FormatError{Array: mask, Msg: "a mask beside values that do not fit in memory",
					Hint: "write NaN for what is not known, or allow more memory"}
			}
		}
		return f, in.eachOther(z, name, func(other string, r *npy.Reader) error {
			switch shape := r.Header().Shape; {
			case other == "columns":
				return f.head.joinArray(other, r)
			case perImage(shape, d.Header().Shape[0]):
				f.head.Meta = append(f.head.Meta, Column{other, []string{}})
			}
			return nil
		})
	}
	f.done = func(v *Values) error { return in.eachOther(z, name, v.joinArray) }
	return f, nil
}

// joinArray adds another array of the archive if it belongs to the values: a mask of their shape, names of columns,
// or one value per row. It ignores others.
func (v *Values) joinArray(name string, r *npy.Reader) (err error) {
	shape, n := r.Header().Shape, v.Len()
	total := 1
	for _, s := range shape {
		total *= s
	}
	isMask := (name == "known" || name == "missing") && len(shape) > 1 && total == n*v.Height*v.Width
	switch {
	case name == "columns" && v.Table && len(shape) == 1 && shape[0] == v.Width:
		v.Columns, err = columnNames(r)
		return err
	case !isMask && !perImage(shape, n):
		return nil
	}
	a, err := r.All()
	if err != nil {
		return err
	}
	if !isMask {
		v.Meta = append(v.Meta, Column{name, metaValues(a)})
		return nil
	}
	bits, err := a.Int64s()
	if err != nil {
		return err
	}
	for i, bit := range bits {
		if bit != 0 && bit != 1 {
			return &FormatError{Row: i/(v.Height*v.Width) + 1, Msg: fmt.Sprintf("value %d in a mask is neither 0 nor 1", bit)}
		}
		if (bit == 1) == (name == "missing") {
			v.Rows[i/(v.Height*v.Width)][i%(v.Height*v.Width)] = math.NaN()
		}
	}
	return nil
}

// pictureValues reads one picture.
func (in *input) pictureValues(path string, data []byte) (*Values, error) {
	g := &gallery{in: in, path: path}
	name := filepath.Base(path)
	if in.opts.Names != "" {
		parts := strings.Split(filepath.ToSlash(path), "/")
		name = strings.Join(parts[max(0, len(parts)-1-strings.Count(in.opts.Names, "/")):], "/")
	}
	if err := g.tell([]string{name}, ""); err != nil {
		return nil, err
	}
	v := &Values{Meta: g.meta}
	return v, in.addPicture(v, name, data)
}

// beyond reports whether another picture of a size does not fit in memory.
func (in *input) beyond(v *Values, height, width int) bool {
	return int64(v.Len()+1) > in.budget.max/(8*int64(height)*int64(width)+24)
}

// addPicture adds a picture as grey values, 0 black to 255 white.
func (in *input) addPicture(v *Values, name string, data []byte) error {
	if err := rawPhoto(name); err != nil {
		return err
	}
	if height, width, err := sizeOf(data, in.opts.maxPicture()); err == nil && in.beyond(v, height, width) {
		return tooManyValues(in.budget.max) // cheaper to say before the picture is decoded
	}
	g, err := in.decodePicture(data)
	if err != nil {
		return err
	}
	if v.Height == 0 {
		v.Height, v.Width = g.height, g.width
	}
	if v.Height != g.height || v.Width != g.width {
		return &FormatError{Msg: fmt.Sprintf("a picture of %d x %d pixels, the first has %d x %d", g.height, g.width,
			v.Height, v.Width),
			Hint: "bring grey pictures to one size before; they are not scaled"}
	}
	if in.beyond(v, g.height, g.width) {
		return tooManyValues(in.budget.max)
	}
	row := make([]float64, len(g.lum))
	for i, l := range g.lum {
		row[i] = float64((int(l) + 128) / 257) // as pictures of 8 bits were
		if in.opts.Invert {
			row[i] = 255 - row[i]
		}
	}
	v.Rows = append(v.Rows, row)
	return nil
}
