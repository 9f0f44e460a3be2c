package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// In a file without names whose labels stand between the data, the columns are called
// by their numbers in the file; a model of them takes other files by position.
func TestNumberedColumns(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	labelled := file("labelled.csv", "1,0,ann,1\n0,1,bob,0\n1,1,cleo,0\n")
	s, err := Read([]string{labelled}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"column 1", "column 2", "column 4"}; !slices.Equal(s.Columns, want) || s.ColumnName(2) != want[2] {
		t.Fatalf("columns %q, want %q", s.Columns, want)
	}
	m, err := s.Describe(modelOf(t, 1, 3, ""))
	if err != nil {
		t.Fatal(err)
	}
	r, err := readingOf(m.Extras().Reading)
	if err != nil || !r.Numbered || len(r.Columns) != 1 || r.Columns[0].Name != "3" || r.Columns[0].Kind != Label || !slices.Equal(m.Extras().Columns, s.Columns) {
		t.Fatalf("reading %+v, columns %q: %v", r, m.Extras().Columns, err)
	}
	for _, path := range []string{labelled,
		file("named.csv", "a,b,3,c\n1,0,ann,1\n0,1,bob,0\n1,1,cleo,0\n"),
		file("plain.csv", "a,b,c\n1,0,1\n0,1,0\n1,1,0\n")} {
		got, err := Read([]string{path}, optionsFor(t, Options{}, m))
		if err != nil || got.Len() != 3 {
			t.Fatalf("%s: %v", path, err)
		}
		for i, img := range got.Images {
			if !img.Equal(s.Images[i]) {
				t.Errorf("%s, row %d: %v, want %v", path, i, img, s.Images[i])
			}
		}
	}
	if s, err = Read([]string{file("all.csv", "1,0,1\n0,1,0\n")}, Options{}); err != nil || s.Columns != nil {
		t.Errorf("data from the first column on have names %q: %v", s.Columns, err)
	}
	named := tableModel(t, 3, []string{"a", "b", "c"}, "")
	if s, err = Read([]string{labelled}, optionsFor(t, Options{}, named)); err != nil || s.Columns != nil {
		t.Errorf("for a model with names the columns are called %q: %v", s.Columns, err)
	}
}
