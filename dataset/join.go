package dataset

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/enum"
)

// joiner joins sets into one.
type joiner struct {
	set   *Set
	paths []string // the others must agree with the first
	total int64    // sum of the weights
}

func (j *joiner) add(part *Set, path string) error {
	if err := j.weigh(part, path); err != nil {
		return err
	}
	n := 0
	if j.set == nil {
		j.set = part
	} else {
		if err := j.agree(part, path); err != nil {
			return err
		}
		n = j.set.Len()
		unit := max(j.set.Unit, part.Unit)
		j.set.inUnit(unit)
		part.inUnit(unit)
		j.set.append(part)
	}
	for i := n; i < j.set.Len(); i++ {
		j.set.Index = append(j.set.Index, i)
	}
	j.paths = append(j.paths, shown(path))
	return nil
}

// weigh checks that the total weight, which bounds every count, fits int64.
func (j *joiner) weigh(part *Set, path string) error {
	for i := range part.Len() {
		w := part.Weight(i)
		if w > math.MaxInt64-j.total {
			return &FormatError{Path: path, Row: i + 1, Msg: "the weights add up to more than a 64-bit integer holds",
				Hint: "divide them"}
		}
		j.total += w
	}
	return nil
}

// agree rejects a part that does not match the first.
func (j *joiner) agree(part *Set, path string) error {
	h, w := j.set.Size()
	if ph, pw := part.Size(); ph != h || pw != w {
		if j.set.pictures && part.pictures {
			return otherSize(ph, pw, h, w, part.Values != nil)
		}
		return &FormatError{Path: path, Msg: fmt.Sprintf("images of %d x %d pixels, but %s has %d x %d", ph, pw, j.paths[0],
			h, w),
			Hint: "read files of one size together"}
	}
	if j.set.Columns != nil && part.Columns != nil {
		for i, name := range j.set.Columns {
			if part.Columns[i] != name {
				return &FormatError{Path: path, Column: part.Columns[i],
					Msg:  fmt.Sprintf("column %d is called %q in %s", i+1, name, j.paths[0]),
					Hint: "put the columns in the same order, or choose them with --columns"}
			}
		}
	}
	return nil
}

// done returns the whole set.
func (j *joiner) done(in *input) *Set {
	s := j.set
	points := s.reading.Points
	s.Source, s.reading = list(j.paths), newReading(&in.opts)
	s.reading.Points = points
	if s.keep(); s.Values != nil {
		s.Why = in.why
	}
	return s
}

// arrange selects the columns of an array that was read as a whole, reshapes
// the rows of a table to the requested image size, and transposes.
func (in *input) arrange(s *Set) error {
	h, w := s.Size()
	if s.roles == nil {
		if err := in.chooseOf(s); err != nil {
			return err
		}
		h, w = s.Size()
	}
	like := in.opts.like()
	height, width, turn := in.opts.Height, in.opts.Width, in.opts.Transpose || like.Transpose && !s.pictures
	if len(like.Size) == 2 && height == 0 && s.Table && w == like.Size[0]*like.Size[1] {
		height, width = like.Size[0], like.Size[1]
	}
	if turn = turn && !(s.roles != nil && height == 0); turn { // the size refers to the result
		height, width = width, height
	}
	if height > 0 && (s.Table || h != height || w != width) {
		if !s.Table || h*w != height*width {
			return &FormatError{Msg: fmt.Sprintf("%d x %d values cannot be images of %d x %d", h, w, in.opts.Height,
				in.opts.Width),
				Hint: "leave the size out, or give one with as many pixels"}
		}
		s.rearrange(height, width, nil)
		h, w, s.Table, s.Columns = height, width, false, nil
	}
	if !turn {
		return nil
	}
	if s.Table {
		return &FormatError{Msg: "rows of a table cannot be transposed", Hint: "turn them into images with --size HxW"}
	}
	index := make([]int, 0, h*w)
	for k := range h * w {
		index = append(index, k%h*w+k/h)
	}
	s.rearrange(w, h, index)
	return nil
}

// chooseOf keeps the columns of an array that the options name, or that a model has.
func (in *input) chooseOf(s *Set) error {
	h, w := s.Size()
	chosen := len(in.opts.Columns) > 0
	if chosen && !s.Table {
		return &FormatError{Msg: fmt.Sprintf("holds images of %d x %d, not a table with columns", h, w),
			Hint: "leave --columns out"}
	}
	if chosen {
		index, err := findColumns(s.Columns, w, in.opts.Columns)
		if err != nil {
			return err
		}
		s.keepColumns(index)
	}
	if s.Table && in.opts.Model != nil {
		return s.match(in.opts.Model)
	}
	return nil
}

// keepColumns keeps the columns of a table with these indices, in this order.
func (s *Set) keepColumns(index []int) {
	s.rearrange(1, len(index), index)
	if s.Columns != nil {
		s.Columns = pick(s.Columns, index)
	}
}

// rearrange makes rows of another size, whose pixel k is pixel index[k] of those before; a nil index is the identity.
func (s *Set) rearrange(height, width int, index []int) {
	for i, m := range s.Images {
		s.Images[i] = remap(m, height, width, index)
	}
	for i, row := range s.Values {
		if index != nil {
			s.Values[i] = make([]float64, len(index))
			for k, from := range index {
				if s.Values[i][k] = math.NaN(); from < len(row) {
					s.Values[i][k] = row[from]
				}
			}
		}
	}
	if s.Values != nil {
		s.Height, s.Width = height, width
	}
}

// remap is rearrange for an image.
func remap(m *bitmap.Image, height, width int, index []int) *bitmap.Image {
	out, w := bitmap.New(height, width), m.Width()
	for k := range height * width {
		from := k
		if index != nil {
			from = index[k]
		}
		switch y, x := from/w, from%w; {
		case from >= m.Len(), !m.Known(y, x):
			out.SetUnknown(k/width, k%width)
		case m.At(y, x):
			out.Set(k/width, k%width, true)
		}
	}
	return out
}

// findColumns finds names among n columns: by name (have may be nil) or, if no
// name fits, by number from 1.
func findColumns(have []string, n int, names []string) ([]int, error) {
	const none, several = -1, -2
	places := make(map[string]int, len(names))
	for _, name := range names {
		places[name] = none
	}
	for j, name := range have {
		if at, wanted := places[name]; wanted && at == none {
			places[name] = j
		} else if wanted {
			places[name] = several
		}
	}
	out := make([]int, len(names))
	for i, name := range names {
		j := places[name]
		if j == several {
			return nil, &FormatError{Column: name, Msg: "more than one column has this name",
				Hint: "give its number, from 1, or rename it"}
		}
		if j == none {
			number, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(name, unnamedColumn)))
			if err != nil || number < 1 || number > n {
				return nil, noColumn(name, have, n)
			}
			j = number - 1
		}
		out[i] = j
	}
	return out, nil
}

// members says of each of n columns whether it is in a list, which may be long.
func members(n int, list []int) []bool {
	in := make([]bool, n)
	for _, i := range list {
		in[i] = true
	}
	return in
}

func noColumn(name string, have []string, n int) error {
	if have == nil {
		return &FormatError{Msg: fmt.Sprintf("no column %q; the %d columns have no names", name, n),
			Hint: "use their numbers, from 1"}
	}
	return &FormatError{Msg: fmt.Sprintf("no column %q; there is: %s%s", name, listShort(have),
		enum.DidYouMean(name, have))}
}
