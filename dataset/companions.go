package dataset

import (
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/internal/npy"
)

// companion is another array that belongs to the images: one value or one mask
// per image.
type companion struct {
	name    string
	role    role
	missing bool // a mask of the unknown pixels, not of the known ones
	rows    *arrayRows
}

type role uint8

const (
	metaRole role = iota
	weightRole
	maskRole
)

// perImage reports whether an array has one value for each of n images.
func perImage(shape []int, n int) bool {
	return len(shape) == 1 && shape[0] == n || len(shape) == 2 && shape[0] == n && shape[1] == 1
}

// area returns how many values an array has, whose sides were checked before.
func area(shape []int) int {
	n := 1
	for _, side := range shape {
		n *= side
	}
	return n
}

// columnNames reads an array of the names of columns.
func columnNames(r *npy.Reader) ([]string, error) {
	if r.Header().DType.Size > 4*maxNames/max(r.Header().Shape[0], 1) { // a character has 4 bytes
		return nil, longNames()
	}
	a, err := r.All()
	if err != nil {
		return nil, err
	}
	names := a.Strings()
	return names, boundNames(names)
}

// join adds another array of the archive if it belongs to the images: a mask of
// their shape, weights, column names, or metadata (one value per image). It
// ignores others, such as a second form of the data.
func (d *arrayImages) join(name string, r *npy.Reader) (err error) {
	shape, n := r.Header().Shape, d.layout.n
	perImage := perImage(shape, n)
	c := companion{name: name, rows: &arrayRows{d: r, max: d.in.budget.max}}
	switch weight := d.in.weighs(name); {
	case weight && !perImage:
		return &FormatError{Msg: fmt.Sprintf("weights of shape %v for %d images", shape, n),
			Hint: "give one integer per image"}
	case name == "columns" && d.layout.table && len(shape) == 1 && shape[0] == d.shape[1]:
		d.columns, err = columnNames(r)
		return err
	case (name == "known" || name == "missing") && (!perImage || slices.Equal(shape, d.shape)):
		if len(shape) < 2 || shape[0] != n || area(shape) != area(d.shape) {
			if d.name != "x" {
				return nil // it belongs to x
			}
			return &FormatError{Msg: fmt.Sprintf("a mask of shape %v for images of shape %v", shape, d.shape),
				Hint: "give it the shape of the images, or another name"}
		}
		c.role, c.missing = maskRole, name == "missing"
	case !perImage:
		return nil
	case weight:
		c.role = weightRole
	}
	d.others = append(d.others, c)
	return nil
}

// weighs reports whether an array of that name holds the weights.
func (in *input) weighs(name string) bool {
	asked := in.opts.weight()
	return !in.real && (asked == name || asked == "" && name == "weight")
}

// companion adds the values of c for the images of a part.
func (d *arrayImages) companion(s *Set, c companion) error {
	a, err := c.rows.next(s.Len())
	if err != nil {
		return err
	}
	switch c.role {
	case maskRole:
		return mask(s, a, c.missing, d.at)
	case weightRole:
		s.Weights, err = checkWeights(a, d.unit, d.at)
		s.Unit = d.unit
		return err
	}
	s.Meta = append(s.Meta, arrayLabels(c.name, a))
	return nil
}

// asksFor reports whether the options name an array.
func (in *input) asksFor(name string) bool {
	return slices.Contains(in.opts.selectedBy(), name) || slices.Contains(in.opts.said("label", "weight"), name) ||
		name == "known" || name == "missing"
}

// mask makes pixels unknown that are 0 in `known` or 1 in `missing`.
func mask(s *Set, a *npy.Array, missing bool, at int) error {
	v, err := a.Int64s()
	if err != nil {
		return err
	}
	size := len(v) / s.Len()
	for i, bit := range v {
		k, pixel := i/size, i%size
		if bit != 0 && bit != 1 {
			return &FormatError{Row: at + k + 1, Msg: fmt.Sprintf("value %d in a mask is neither 0 nor 1", bit)}
		}
		switch {
		case (bit == 1) != missing:
		case s.Values != nil:
			s.Values[k][pixel] = math.NaN()
		default:
			m := s.Images[k]
			m.SetUnknown(pixel/m.Width(), pixel%m.Width())
		}
	}
	return nil
}

// arrayLabels keeps integers and floats as numbers; integers beyond int64 become
// text, so that they stay distinct.
func arrayLabels(name string, a *npy.Array) Labels {
	if v, err := a.Int64s(); err == nil {
		return LabelsOf(name, v)
	}
	switch a.Data.(type) {
	case []float32, []float64:
		v, _ := a.Float64s() // cannot fail for floats
		return LabelsOf(name, v)
	}
	return LabelsOf(name, a.Strings())
}
