package dataset

import (
	"fmt"
	"io"
	"math"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/npy"
)

// newValueInput returns an input whose parts are of real values.
func newValueInput(opts Options) *input {
	in := newInput(opts)
	in.setNumbers()
	return in
}

// setNumbers decides that numbers are read.
func (in *input) setNumbers() { in.real, in.budget.real = true, true }

// setNumbers makes a part one of real values.
func (s *Set) setNumbers(v *Values) {
	s.numbers, s.Images = v, make([]*bitmap.Image, v.Len())
}

// values returns the real values of a set with what goes with them.
func (s *Set) values() *Values {
	v := *s.numbers
	v.Meta, v.Columns, v.Table, v.Notes, v.roles = s.Meta, s.Columns, s.Table, s.Notes, s.roles
	return &v
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

// readGrey adds a picture as grey values, 0 black to 255 white.
func (g *gallery) readGrey(s *Set, name string, r io.Reader) error {
	if err := rawPhoto(name); err != nil {
		return err
	}
	data, err := g.in.slurp(r)
	if err != nil {
		return err
	}
	if err := g.in.affordPicture(data); err != nil {
		return err
	}
	p, err := g.in.decodePicture(data)
	if err != nil {
		return err
	}
	if g.height == 0 {
		g.height, g.width = p.height, p.width
	}
	if g.height != p.height || g.width != p.width {
		return &FormatError{Msg: fmt.Sprintf("a picture of %d x %d pixels, the first has %d x %d", p.height, p.width,
			g.height, g.width),
			Hint: "bring grey pictures to one size before; they are not scaled"}
	}
	if err := g.in.budget.spend(1, p.height, p.width); err != nil {
		return err
	}
	row := make([]float64, len(p.lum))
	for i, l := range p.lum {
		row[i] = float64((int(l) + 128) / 257) // as pictures of 8 bits were
		if g.in.opts.Invert {
			row[i] = 255 - row[i]
		}
	}
	if s.numbers == nil {
		s.numbers = &Values{Height: g.height, Width: g.width}
	}
	s.numbers.Rows = append(s.numbers.Rows, row)
	s.Images = append(s.Images, nil)
	return nil
}
