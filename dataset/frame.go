package dataset

import (
	"fmt"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/enum"
)

// Frame is a block of rows, images of one size or rows of a table, with their metadata: bits, or numbers. Learners of
// bits take its Data, or the Frame itself, which is a [patchwork.Source].
//
// Images or Values, Index and Weights (unless nil) and every metadata column have the same
// length. Methods that select return a new Frame that shares the rows, without
// the Memory, which is valid for all of them only. A Frame is safe for concurrent
// readers.
type Frame struct {
	patchwork.Data
	// Values are numbers, Height*Width of each row, row-major, NaN where one is not known; of bits nil.
	Values        [][]float64
	Height, Width int // of Values; Size returns that of bits, too

	Index   []int    // of each row in the input before any selection, from 0; nil means 0, 1, 2, ...
	Meta    []Labels // labels and the like
	Columns []string // names of a table's columns, one per pixel; nil if it has none
	Table   bool     // rows of a table: images of height 1
	Source  string   // where the rows came from, for messages
	Codings []Coding // of the columns of the file that a model has, those that need more than their names to be read
	// Notes say what was decided or done to the data beyond reading
	// them, such as which columns were taken as labels and how grey pictures were
	// made binary.
	Notes []Note
	Why   string // what shows that they are numbers, in a clause; "" where that was asked for

	roles     *roles  // of the columns of the file, if that has them; the options are applied
	reading   Reading // how the rows were read
	pictures  bool    // read from pictures, not from arrays
	undecided error   // what shows that numbers are no bits, if it is open which they are
	floats    bool    // numbers of a floating-point type
}

// Set is a Frame.
type Set = Frame

// Len returns the number of rows.
func (s *Set) Len() int { return len(s.Images) + len(s.Values) }

// Pictures reports whether all images were read from pictures.
func (s *Set) Pictures() bool { return s.pictures }

// Size returns the height and width of the images; 0, 0 for an empty set of bits.
func (s *Set) Size() (height, width int) {
	if len(s.Images) == 0 {
		return s.Height, s.Width
	}
	return s.Images[0].Height(), s.Images[0].Width()
}

// Column returns the metadata column with that name, or an error that lists the
// existing names.
func (s *Set) Column(name string) (Labels, error) {
	for _, c := range s.Meta {
		if c.Name == name {
			return c, nil
		}
	}
	names := make([]string, len(s.Meta))
	for i, c := range s.Meta {
		names[i] = c.Name
	}
	return Labels{}, &FormatError{Path: s.Source, Msg: fmt.Sprintf("no metadata named %q; there is: %s%s", name,
		listShort(names), enum.DidYouMean(name, names))}
}

// Take returns the first n rows, or all if there are fewer.
func (s *Set) Take(n int) *Set { return s.Cut(0, n) }

// Cut returns the rows from number skip on, counted from 0, and at most take of them; take < 0 means all.
func (s *Set) Cut(skip, take int) *Set {
	index := identity(s.Len())[min(skip, s.Len()):]
	if take >= 0 {
		index = index[:min(take, len(index))]
	}
	return s.Pick(index)
}

// toNumbers makes numbers of bits: 0 and 1, and NaN where they are unknown.
func (s *Set) toNumbers() {
	if len(s.Images) == 0 {
		return
	}
	s.Height, s.Width = s.Size()
	for _, m := range s.Images {
		row := make([]float64, m.Len())
		for i := range row {
			switch y, x := i/s.Width, i%s.Width; {
			case !m.Known(y, x):
				row[i] = math.NaN()
			case m.At(y, x):
				row[i] = 1
			}
		}
		s.Values = append(s.Values, row)
	}
	s.Images, s.floats = nil, true
}

// append adds the rows of another frame, with what both have in common.
func (s *Set) append(part *Set) {
	if s.Weights != nil || part.Weights != nil {
		s.Weights = append(weights(s), weights(part)...)
	}
	var meta []Labels
	for _, c := range s.Meta {
		if i := slices.IndexFunc(part.Meta, func(d Labels) bool { return d.Name == c.Name }); i >= 0 {
			c.append(part.Meta[i])
			meta = append(meta, c)
		}
	}
	s.Meta = meta
	if part.Values != nil {
		s.toNumbers()
	}
	s.Images, s.Values = append(s.Images, part.Images...), append(s.Values, part.Values...)
	s.floats = s.floats && part.floats
	s.Table = s.Table && part.Table
	s.pictures = s.pictures && part.pictures
	if s.Columns == nil {
		s.Columns = part.Columns
	}
}

// InputRow returns the index of row i in the input before any selection, from 0.
func (s *Set) InputRow(i int) int {
	if s.Index == nil {
		return i
	}
	return s.Index[i]
}

// Known returns how many bits or numbers of row i are known.
func (s *Set) Known(i int) (n int) {
	if s.Values == nil {
		return s.Images[i].CountKnown()
	}
	for _, x := range s.Values[i] {
		n += btoi(!math.IsNaN(x))
	}
	return n
}

// Pick returns the rows at the given indices, in that order; an index may
// come more than once. It panics for an index outside.
func (s *Set) Pick(index []int) *Set {
	out := *s
	if out.Data = (patchwork.Data{Unit: s.Unit}); s.Values != nil {
		out.Values = pick(s.Values, index)
	} else {
		out.Images = pick(s.Images, index)
	}
	if s.Index != nil {
		out.Index = pick(s.Index, index)
	} else {
		out.Index = append([]int{}, index...)
	}
	if s.Weights != nil {
		out.Weights = pick(s.Weights, index)
	}
	out.Meta = make([]Labels, len(s.Meta))
	for i, c := range s.Meta {
		out.Meta[i] = c.Pick(index)
	}
	return &out
}

// addNotes appends the notes on the file paths[i], each once.
func (s *Set) addNotes(notes []Note, paths []string, i int) {
	for _, note := range notes {
		if len(paths) > 1 {
			note.Text = paths[i] + ": " + note.Text
		}
		if !slices.ContainsFunc(s.Notes, func(n Note) bool { return n.Text == note.Text }) {
			s.Notes = append(s.Notes, note)
		}
	}
}

// noted returns notes that say so.
func noted(texts ...string) (out []Note) {
	for _, text := range texts {
		out = append(out, Note{Text: text})
	}
	return out
}

func pick[T any](from []T, index []int) []T {
	out := make([]T, len(index))
	for i, j := range index {
		out[i] = from[j]
	}
	return out
}
