package dataset

import (
	"fmt"
	"slices"
	"strconv"

	"example.com/patchwork"
	"example.com/patchwork/internal/enum"
)

// Set holds images of one size with their metadata. Learners take its Data, or
// the Set itself, which is a [patchwork.Source].
//
// Images, Rows and Weights (unless nil) and every metadata column have the same
// length. Methods that select return a new Set that shares the images, without
// the Memory, which is valid for all of them only. A Set is safe for concurrent
// readers.
type Set struct {
	patchwork.Data
	Rows    []int    // index of each image in the input before any selection, from 0; nil means 0, 1, 2, ...
	Meta    []Labels // labels and the like
	Columns []string // names of a table's columns, one per pixel; nil if it has none
	Table   bool     // rows of a table: images of height 1
	Source  string   // where the set came from, for messages
	// Categories lists the columns of categories that were read as several columns;
	// see Groups.
	Categories []Categorical
	// Notes say in sentences what was decided or done to the data beyond reading
	// them, such as which columns were taken as labels and how grey pictures were
	// made binary.
	Notes []string

	roles    *roles  // of the columns of the file, if that has them; the options are applied
	reading  Reading // how the set was read
	pictures bool    // read from pictures, not from arrays
	numbers  *Values // the rows of a part of real values, whose images are nil
}

// Labels is one named column of metadata.
type Labels struct {
	Name   string
	Values any // []string, []int64 or []float64
}

// rawText is metadata as read from a text file, for parts of a set: only the
// whole column shows its type (see guess).
type rawText []string

// Len returns the number of images.
func (s *Set) Len() int { return len(s.Images) }

// Pictures reports whether all images were read from pictures.
func (s *Set) Pictures() bool { return s.pictures }

// Size returns the height and width of the images; 0, 0 for an empty set.
func (s *Set) Size() (height, width int) {
	if len(s.Images) == 0 {
		return 0, 0
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

// Take returns the first n images, or all if there are fewer. It panics if n
// is negative.
func (s *Set) Take(n int) *Set { return s.slice(0, n) }

// Skip returns all but the first n images. It panics if n is negative.
func (s *Set) Skip(n int) *Set { return s.slice(n, s.Len()) }

func (s *Set) slice(from, to int) *Set {
	if from < 0 || to < 0 {
		panic("dataset: a negative number of images")
	}
	to = min(to, s.Len())
	index := make([]int, 0, max(0, to-from))
	for i := from; i < to; i++ {
		index = append(index, i)
	}
	return s.Pick(index)
}

// Pick returns the images at the given indices, in that order; an index may
// come more than once. It panics for an index outside the set.
func (s *Set) Pick(index []int) *Set {
	out := *s
	out.Data = patchwork.Data{Images: pick(s.Images, index)}
	if s.Rows != nil {
		out.Rows = pick(s.Rows, index)
	} else {
		out.Rows = append([]int{}, index...)
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

// addNotes appends the notes on the file paths[i].
func (s *Set) addNotes(notes []string, paths []string, i int) {
	for _, note := range notes {
		if len(paths) > 1 {
			note = paths[i] + ": " + note
		}
		if !slices.Contains(s.Notes, note) {
			s.Notes = append(s.Notes, note)
		}
	}
}

func pick[T any](from []T, index []int) []T {
	out := make([]T, len(index))
	for i, j := range index {
		out[i] = from[j]
	}
	return out
}

// Len returns the number of values.
func (c Labels) Len() int {
	switch v := c.Values.(type) {
	case []int64:
		return len(v)
	case []float64:
		return len(v)
	case rawText:
		return len(v)
	}
	return len(c.Values.([]string))
}

// Text returns value i as text: numbers in their shortest decimal form.
func (c Labels) Text(i int) string {
	switch v := c.Values.(type) {
	case []int64:
		return strconv.FormatInt(v[i], 10)
	case []float64:
		return strconv.FormatFloat(v[i], 'g', -1, 64)
	}
	return c.Values.([]string)[i]
}

// distinct lists the values in order of first appearance.
func (c Labels) distinct() []string {
	seen := map[string]bool{}
	var out []string
	for i := range c.Len() {
		v := c.Text(i)
		if v == "" {
			v = `""`
		}
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// Pick returns the values at the given indices, in that order. It panics for an index outside.
func (c Labels) Pick(index []int) Labels {
	switch v := c.Values.(type) {
	case []int64:
		return Labels{c.Name, pick(v, index)}
	case []float64:
		return Labels{c.Name, pick(v, index)}
	}
	return Labels{c.Name, pick(c.Values.([]string), index)}
}
