package dataset

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// FirstPer selects the first images of each group, that is of those with the
// same values in some metadata columns, such as the first sample of every
// writer. The zero value selects all.
type FirstPer struct {
	Names []string // the columns that make a group; none: no selection
	Count int      // how many images of each group; 0 means 1
}

// ParseFirstPer reads NAME[,NAME...][:COUNT], such as `writer`, `y,writer` or
// `writer:3`.
func ParseFirstPer(s string) (FirstPer, error) {
	f := FirstPer{Count: 1}
	names := s
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		n, err := strconv.Atoi(strings.TrimSpace(s[i+1:]))
		if err != nil || n < 1 {
			return FirstPer{}, &FormatError{Msg: fmt.Sprintf("first per %q: %q is not a number of images (1 or more)", s,
				s[i+1:]), Hint: firstPerHint}
		}
		names, f.Count = s[:i], n
	}
	for _, name := range strings.Split(names, ",") {
		if name = strings.TrimSpace(name); name == "" {
			return FirstPer{}, &FormatError{Msg: fmt.Sprintf("first per %q lacks the name of a column", s), Hint: firstPerHint}
		}
		f.Names = append(f.Names, name)
	}
	return f, nil
}

const firstPerHint = "write it like writer, writer:3 or y,writer"

// FirstPer returns, in order, the first f.Count images of each group with the
// same values in the columns f.Names. A missing column is an error.
func (s *Set) FirstPer(f FirstPer) (*Set, error) {
	return s.selected(newSelection(nil, f, math.MaxInt64))
}

// groups counts the images of each group so far.
type groups struct {
	first  FirstPer
	seen   map[string]int
	budget *budget
}

// groupOverhead is about the memory of a group in addition to its key.
const groupOverhead = 64

// keep returns those of the given images that are among the first of their
// group, counting the images of earlier calls.
func (g *groups) keep(s *Set, index []int) ([]int, error) {
	if len(g.first.Names) == 0 {
		return index, nil
	}
	columns := make([]Labels, len(g.first.Names))
	for k, name := range g.first.Names {
		var err error
		if columns[k], err = s.Column(name); err != nil {
			return nil, err
		}
	}
	kept := make([]int, 0, len(index))
	var key []byte
	for _, i := range index {
		key = key[:0]
		for _, c := range columns { // the length first, so that no two lists of values share a key
			v := c.Text(i)
			key = append(strconv.AppendInt(key, int64(len(v)), 10), ':')
			key = append(key, v...)
		}
		n, known := g.seen[string(key)]
		if !known {
			if err := g.budget.spendBytes(len(key) + groupOverhead); err != nil {
				return nil, err
			}
		}
		if n < g.first.Count {
			g.seen[string(key)] = n + 1
			kept = append(kept, i)
		}
	}
	return kept, nil
}

// identity returns 0, 1, ... n-1.
func identity(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}
