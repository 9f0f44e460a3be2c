package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"example.com/patchwork/internal/npy"
)

// fileValues reads a file of real values by its content, which is taken into memory.
func (in *input) fileValues(path string, r io.Reader) (*Values, error) {
	data, err := in.slurp(r)
	if err != nil {
		return nil, err
	}
	k, err := sniff(data[:min(len(data), 512)])
	if err != nil {
		return nil, err
	}
	if k == kindGzip || k == kindZstd {
		inner, err := unpack(k, bufio.NewReader(bytes.NewReader(data)))
		if err != nil {
			return nil, err
		}
		if data, err = in.slurp(in.bounded(inner)); err != nil {
			return nil, err
		}
		if k, err = sniff(data[:min(len(data), 512)]); err != nil {
			return nil, err
		}
		path = strings.TrimSuffix(path, filepath.Ext(path))
	}
	again := func() (io.Reader, error) { return bytes.NewReader(data), nil }
	switch {
	case pictureKind(k):
		return in.pictureValues(path, data)
	case k == kindNPY, k == kindIDX:
		return in.arrayValues(k, data)
	case k == kindZip:
		return in.npzValues(data)
	case k == kindParquet:
		return in.parquetValues(data)
	case k == kindArrow:
		s := &arrowSource{in: in, first: bytes.NewReader(data), again: again}
		rows, err := s.records()
		if err != nil {
			return nil, err
		}
		var names []string
		for _, f := range rows.(*arrowRecords).r.Schema().Fields() {
			names = append(names, f.Name)
		}
		return in.tableValues(s, names)
	case k == kindText:
		s, err := in.textSource(bytes.NewReader(data), int64(len(data)), again)
		if err != nil {
			return nil, err
		}
		return in.tableValues(s, nil)
	}
	return nil, &FormatError{Msg: "is not read as real values", Hint: "save it as npy, npz, CSV, Parquet, Arrow or IDX, or as pictures"}
}

// parquetValues reads a table in Parquet.
func (in *input) parquetValues(data []byte) (v *Values, err error) {
	defer recoverParquet(&err)
	t, names, err := in.openParquet(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return in.tableValues(parquetByRow{t}, names)
}

// arrayValues reads an array in a file of its own.
func (in *input) arrayValues(k kind, data []byte) (*Values, error) {
	r := bytes.NewReader(data)
	if k == kindIDX {
		d, err := in.idxReader(r)
		if err != nil {
			return nil, err
		}
		v, err := in.imageValues(d)
		if err == nil && r.Len() > 0 {
			return nil, &FormatError{Msg: fmt.Sprintf("more bytes than the header's sides %v account for", d.Header().Shape)}
		}
		return v, err
	}
	d, err := npy.NewReader(r, in.arrayLimits())
	if err != nil {
		return nil, err
	}
	return in.imageValues(d)
}

// imageValues reads an array of images or rows.
func (in *input) imageValues(d *npy.Reader) (*Values, error) {
	h := d.Header()
	l, err := layoutOf(h.Shape)
	if err != nil {
		return nil, err
	}
	if h.DType.Text() {
		return nil, &FormatError{Msg: "the array holds text, not numbers", Hint: "choose another with --array NAME"}
	}
	width := l.height * l.width
	if int64(l.n) > in.budget.max/int64(8*width+24) {
		return nil, tooManyValues(in.budget.max)
	}
	a, err := d.All()
	if err != nil {
		return nil, err
	}
	flat, err := a.Float64s()
	if err != nil {
		return nil, err
	}
	v := &Values{Height: l.height, Width: l.width, Table: l.table, floats: h.DType.Kind == 'f'}
	for n := range l.n {
		row := flat[n*width : (n+1)*width : (n+1)*width]
		for i, x := range row {
			if math.IsInf(x, 0) {
				return nil, &FormatError{Row: n + 1, Msg: fmt.Sprintf("value %d is infinite", i+1), Hint: "use NaN for what is not known"}
			}
		}
		v.Rows = append(v.Rows, row)
	}
	return v, nil
}

// npzValues reads an archive of arrays: the values, and the arrays that belong to them.
func (in *input) npzValues(data []byte) (*Values, error) {
	z, name, d, err := in.openArrays(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	v, err := in.imageValues(d)
	if err != nil {
		return nil, inArray(err, name)
	}
	return v, in.eachOther(z, name, v.joinArray)
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

// addPicture adds a picture as grey values, 0 black to 255 white.
func (in *input) addPicture(v *Values, name string, data []byte) error {
	if err := rawPhoto(name); err != nil {
		return err
	}
	g, err := in.decodePicture(data)
	if err != nil {
		return err
	}
	if v.Height == 0 {
		v.Height, v.Width = g.height, g.width
	}
	if v.Height != g.height || v.Width != g.width {
		return &FormatError{Msg: fmt.Sprintf("a picture of %d x %d pixels, the first has %d x %d", g.height, g.width, v.Height, v.Width),
			Hint: "bring grey pictures to one size before; they are not scaled"}
	}
	if int64(v.Len()+1) > in.budget.max/int64(8*g.height*g.width+24) {
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

// folderValues reads the pictures of a folder, sorted by name.
func (in *input) folderValues(dir string) (*Values, error) {
	names, _, err := listPictures(dir, in.opts.Names != "")
	if err != nil {
		return nil, err
	}
	g := &gallery{in: in, path: dir, where: dir + string(filepath.Separator)}
	if err := g.tell(names, "a folder"); err != nil {
		return nil, at(err, dir)
	}
	v := &Values{Meta: g.meta}
	for _, name := range g.names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		data, err := os.ReadFile(path)
		if err == nil {
			err = in.addPicture(v, name, data)
		}
		if err != nil {
			return nil, at(err, path)
		}
	}
	return v, nil
}
