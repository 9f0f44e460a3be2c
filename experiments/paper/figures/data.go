package figures

import (
	"slices"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
)

// byWriter returns a letter's images by the metadata "y": the first of each
// writer, in the order of the writers, if there is a column "writer"; else all,
// in order.
func byWriter(s *dataset.Set, letter string) ([]*bitmap.Image, error) {
	y, err := s.Column("y")
	if err != nil {
		return nil, err
	}
	var index []int
	for i := range s.Len() {
		if y.Text(i) == letter {
			index = append(index, i)
		}
	}
	s = s.Pick(index)
	if _, err := s.Column("writer"); err != nil {
		return s.Images, nil
	}
	if s, err = s.FirstPer(dataset.FirstPer{Names: []string{"writer"}}); err != nil {
		return nil, err
	}
	writer, err := s.Column("writer")
	if err != nil {
		return nil, err
	}
	order := make([]int, s.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return naturally(writer.Text(a), writer.Text(b)) })
	return s.Pick(order).Images, nil
}

// naturally orders numbers by size: a shorter one first.
func naturally(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// capitals returns the capital letters of a set, in alphabetical order.
func capitals(s *dataset.Set) ([]string, error) {
	y, err := s.Column("y")
	if err != nil {
		return nil, err
	}
	var out []string
	for c := 'A'; c <= 'Z'; c++ {
		for i := range s.Len() {
			if y.Text(i) == string(c) {
				out = append(out, string(c))
				break
			}
		}
	}
	return out, nil
}

// readLetters reads letters whose metadata "y" names them; in its place may be
// "labels" or "label", and for "writer" "writers". If no label is a capital,
// small letters are read as capitals.
func readLetters(paths []string, opt dataset.Options) (*dataset.Set, error) {
	set, err := dataset.Read(paths, opt)
	if err != nil {
		return nil, err
	}
	rename(set, "y", "labels", "label")
	rename(set, "writer", "writers")
	if found, err := capitals(set); err != nil || len(found) > 0 {
		return set, err
	}
	for k, c := range set.Meta {
		if c.Type == dataset.ColumnText && c.Name == "y" {
			set.Meta[k].Cells = nil
			for _, l := range c.Cells {
				set.Meta[k].Cells = append(set.Meta[k].Cells, strings.ToUpper(l))
			}
		}
	}
	return set, nil
}

// rename gives the first column with one of these names the wanted name, if
// none has it.
func rename(s *dataset.Set, wanted string, others ...string) {
	for _, name := range append([]string{wanted}, others...) {
		for i, c := range s.Meta {
			if c.Name == name {
				s.Meta[i].Name = wanted
				return
			}
		}
	}
}
