package figures

import (
	"fmt"
	"os"
	"path/filepath"
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

// readDigits reads digits from an IDX file of images, with its labels beside it
// (images-idx3 becomes labels-idx1 in the name), or from a folder that holds
// one such pair. Pixels above 127 are on.
func readDigits(path string) (images []*bitmap.Image, labels []int, err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		found, err := filepath.Glob(filepath.Join(path, "*images*idx3*"))
		if err != nil || len(found) == 0 {
			return nil, nil, fmt.Errorf("%s: the folder has no file *images*idx3*", path)
		}
		path = found[0]
	}
	dir, name := filepath.Split(path)
	beside := filepath.Join(dir, strings.NewReplacer("images", "labels", "idx3", "idx1").Replace(name))
	threshold := 127.0
	set, err := dataset.Read([]string{path}, dataset.Options{Threshold: &threshold, Labels: []string{beside}})
	if err != nil {
		return nil, nil, err
	}
	column, err := set.Column("y")
	if err != nil {
		return nil, nil, err
	}
	values, ok := column.Values.([]int64)
	if !ok {
		return nil, nil, fmt.Errorf("%s: the labels are %T, not whole numbers", beside, column.Values)
	}
	for _, v := range values {
		labels = append(labels, int(v))
	}
	return set.Images, labels, nil
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
		if labels, ok := c.Values.([]string); ok && c.Name == "y" {
			large := make([]string, len(labels))
			for i, l := range labels {
				large[i] = strings.ToUpper(l)
			}
			set.Meta[k].Values = large
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
