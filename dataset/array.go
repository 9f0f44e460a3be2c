package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset/npy"
)

// npy reads a single array.
func (in *input) npy(r io.Reader) (*Set, error) {
	d, err := npy.NewReader(r, in.arrayLimits())
	if err != nil {
		return nil, err
	}
	return in.images(d)
}

// npz reads an archive of arrays: the images, and what belongs to them.
func (in *input) npz(ra io.ReaderAt, size int64) (*Set, error) {
	z, err := npy.ReadZip(ra, size, in.arrayLimits())
	if err != nil {
		return nil, err
	}
	name, err := in.chooseArray(z)
	if err != nil {
		return nil, err
	}
	d, err := z.Open(name)
	if err != nil {
		return nil, err
	}
	shape := d.Header().Shape
	s, err := in.images(d)
	if err != nil {
		return nil, inArray(err, name)
	}
	for _, other := range z.Arrays() {
		if other == name {
			continue
		}
		if err := in.companion(s, z, name, shape, other); err != nil {
			return nil, inArray(err, other)
		}
	}
	if w := in.opts.Weight; w != "" && s.Weights == nil {
		return nil, &FormatError{Msg: fmt.Sprintf("no array %q for the weights; there is: %s", w, list(z.Arrays()))}
	}
	return s, nil
}

func (in *input) chooseArray(z *npy.Zip) (string, error) {
	names := z.Arrays()
	switch {
	case len(names) == 0:
		return "", &FormatError{Msg: "a zip archive without NumPy arrays", Hint: "unpack it and give the folder of its pictures"}
	case in.opts.Array != "" && !z.Has(in.opts.Array):
		return "", &FormatError{Msg: fmt.Sprintf("no array %q; there is: %s", in.opts.Array, list(names))}
	case in.opts.Array != "":
		return in.opts.Array, nil
	case z.Has("x"):
		return "x", nil
	case len(names) == 1:
		return names[0], nil
	}
	return "", &FormatError{Msg: "no array \"x\"; there is: " + list(names), Hint: "choose one with --array NAME"}
}

// inArray names the array in an error about content.
func inArray(err error, name string) error {
	err = at(err, "")
	var fe *FormatError
	if errors.As(err, &fe) && fe.Array == "" {
		fe.Array = name
	}
	return err
}

// layout is what the sides of an array mean.
type layout struct {
	n, height, width int
	table            bool
}

// layoutOf takes (N,D), (N,H,W), and (N,H,W) with a channel side of 1.
func layoutOf(shape []int) (layout, error) {
	bad := func(hint string) (layout, error) {
		return layout{}, &FormatError{Msg: fmt.Sprintf("an array of shape %v is neither (N,H,W) nor (N,D)", shape), Hint: hint}
	}
	if len(shape) == 4 {
		switch {
		case shape[3] == 1:
			shape = shape[:3]
		case shape[1] == 1:
			shape = []int{shape[0], shape[2], shape[3]}
		case shape[3] == 3 || shape[3] == 4:
			return bad("make one channel of the colours first, for example with x[..., :3].mean(axis=3), and give --threshold")
		case shape[1] == 3 || shape[1] == 4:
			return bad("make one channel of the colours first, for example with x[:, :3].mean(axis=1), and give --threshold")
		}
	}
	var l layout
	switch len(shape) {
	case 2:
		l = layout{n: shape[0], height: 1, width: shape[1], table: true}
	case 3:
		l = layout{n: shape[0], height: shape[1], width: shape[2]}
	case 0, 1:
		return bad("for a single row use x.reshape(1, -1), for a single image x.reshape(1, height, width)")
	default:
		return bad("reshape it, for example with x.reshape(-1, height, width)")
	}
	if l.n == 0 {
		return l, &FormatError{Msg: fmt.Sprintf("an array of shape %v holds no images", shape)}
	}
	return l, checkSize(l.height, l.width)
}

// images packs the rows of an array as they are read.
func (in *input) images(d *npy.Reader) (*Set, error) {
	h := d.Header()
	l, err := layoutOf(h.Shape)
	if err != nil {
		return nil, err
	}
	if h.DType.Text() {
		return nil, &FormatError{Msg: "the array holds text, not pixels", Hint: "choose another with --array NAME"}
	}
	if err := in.budget.spend(l.n, l.height, l.width); err != nil {
		return nil, err
	}
	s := &Set{Table: l.table}
	return s, in.eachBatch(d, l, func(a *npy.Array) error {
		return in.pack(s, l, a)
	})
}

// eachBatch reads an array in pieces of bounded size if its order allows it.
func (in *input) eachBatch(d *npy.Reader, l layout, use func(*npy.Array) error) error {
	h := d.Header()
	if h.Fortran {
		if size := int64(l.n) * int64(l.height*l.width) * int64(h.DType.Size); size > in.budget.max {
			return &FormatError{Msg: fmt.Sprintf("an array in Fortran order of %d bytes does not fit in %d bytes of memory", size, in.budget.max),
				Hint: "save it with numpy.ascontiguousarray"}
		}
		a, err := d.All()
		if err != nil {
			return err
		}
		return use(a)
	}
	const batch = 1 << 18 // pixels
	for {
		a, err := d.Next(max(1, batch/(l.height*l.width)))
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := use(a); err != nil {
			return err
		}
	}
}

// pack appends the rows of a to the images of s.
func (in *input) pack(s *Set, l layout, a *npy.Array) error {
	switch v := a.Data.(type) {
	case []bool:
		for len(v) > 0 {
			m := bitmap.New(l.height, l.width)
			for i, b := range v[:m.Len()] {
				if b != in.rule.invert { // bits already: no threshold applies
					m.Set(i/l.width, i%l.width, true)
				}
			}
			s.Images, v = append(s.Images, m), v[m.Len():]
		}
		return nil
	case []int8:
		return packRows(s, l, v, in.rule)
	case []int16:
		return packRows(s, l, v, in.rule)
	case []int32:
		return packRows(s, l, v, in.rule)
	case []int64:
		return packRows(s, l, v, in.rule)
	case []uint8:
		return packRows(s, l, v, in.rule)
	case []uint16:
		return packRows(s, l, v, in.rule)
	case []uint32:
		return packRows(s, l, v, in.rule)
	case []uint64:
		return packRows(s, l, v, in.rule)
	case []float32:
		return packRows(s, l, v, in.rule)
	}
	return packRows(s, l, a.Data.([]float64), in.rule)
}

func packRows[T real](s *Set, l layout, v []T, r rule) error {
	for len(v) > 0 {
		m := bitmap.New(l.height, l.width)
		if i := fill(m, v[:m.Len()], r); i >= 0 {
			where := fmt.Sprintf("image row %d, column %d", i/l.width+1, i%l.width+1)
			if l.table {
				where = fmt.Sprintf("column %d", i+1)
			}
			msg, hint := needThreshold(fmt.Sprint(v[i]), where)
			return &FormatError{Row: len(s.Images) + 1, Msg: msg, Hint: hint}
		}
		s.Images, v = append(s.Images, m), v[m.Len():]
	}
	return nil
}

// companion takes in another array of the archive if it belongs to the images:
// a mask of their shape, weights, column names, or metadata (one value an
// image). Others, such as a second form of the data, are left alone.
func (in *input) companion(s *Set, z *npy.Zip, main string, shape []int, name string) error {
	d, err := z.Open(name)
	if err != nil {
		// An array of a type that is not read, such as objects, may be
		// anything; it matters only if it was asked for.
		var ne *npy.FormatError
		if errors.As(err, &ne) && !in.asksFor(name) {
			return nil
		}
		return err
	}
	h := d.Header()
	perImage := len(h.Shape) == 1 && h.Shape[0] == s.Len() || len(h.Shape) == 2 && h.Shape[0] == s.Len() && h.Shape[1] == 1
	weight := in.opts.Weight == name || in.opts.Weight == "" && name == "weight"
	switch {
	case weight && !perImage:
		return &FormatError{Msg: fmt.Sprintf("weights of shape %v for %d images", h.Shape, s.Len()), Hint: "give one integer an image"}
	case name == "columns" && s.Table && len(h.Shape) == 1 && h.Shape[0] == shape[1]:
		a, err := d.All()
		if err != nil {
			return err
		}
		s.Columns = a.Strings()
		return nil
	case (name == "known" || name == "missing") && (!perImage || slices.Equal(h.Shape, shape)):
		if main != "x" && !slices.Equal(h.Shape, shape) {
			return nil // it belongs to x
		}
		return in.mask(s, d, shape, name == "missing")
	case !perImage:
		return nil
	}
	a, err := d.All()
	if err != nil {
		return err
	}
	if weight {
		s.Weights, err = checkWeights(a)
		return err
	}
	s.Meta = append(s.Meta, Column{name, metaValues(a)})
	return nil
}

// asksFor reports whether the options name an array.
func (in *input) asksFor(name string) bool {
	for _, c := range in.opts.Where {
		if c.Name == name {
			return true
		}
	}
	return name == in.opts.Weight || slices.Contains(in.opts.Meta, name) || name == "known" || name == "missing"
}

// mask makes pixels unknown: those that are 0 in `known` or 1 in `missing`.
func (in *input) mask(s *Set, d *npy.Reader, shape []int, missing bool) error {
	if !slices.Equal(d.Header().Shape, shape) {
		return &FormatError{Msg: fmt.Sprintf("a mask of shape %v for images of shape %v", d.Header().Shape, shape), Hint: "give it the shape of the images, or another name"}
	}
	l, err := layoutOf(shape)
	if err != nil {
		return err
	}
	row := 0
	return in.eachBatch(d, l, func(a *npy.Array) error {
		v, err := a.Int64s()
		if err != nil {
			return err
		}
		for i, bit := range v {
			m, k := s.Images[row+i/(l.height*l.width)], i%(l.height*l.width)
			if bit != 0 && bit != 1 {
				return &FormatError{Row: row + i/(l.height*l.width) + 1, Msg: fmt.Sprintf("value %d in a mask is neither 0 nor 1", bit)}
			}
			if (bit == 1) == missing {
				m.SetUnknown(k/l.width, k%l.width)
			}
		}
		row += len(v) / (l.height * l.width)
		return nil
	})
}

func checkWeights(a *npy.Array) ([]int64, error) {
	v, err := a.Int64s()
	if err != nil {
		return nil, err
	}
	for i, w := range v {
		if w < 0 {
			return nil, &FormatError{Row: i + 1, Msg: fmt.Sprintf("the weight %d is negative", w)}
		}
	}
	return v, nil
}

// metaValues keeps integers and floats as numbers; integers beyond int64 become
// text, so that they still can be told apart.
func metaValues(a *npy.Array) any {
	if v, err := a.Int64s(); err == nil {
		return v
	}
	switch a.Data.(type) {
	case []float32, []float64:
		v, _ := a.Float64s() // cannot fail for floats
		return v
	}
	return a.Strings()
}
