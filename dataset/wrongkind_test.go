package dataset

import (
	"context"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/internal/testkit"
)

// TestWrongKind: a model of a table refuses pictures by the names of its columns, and a
// model of images a table, unless its rows can be images.
func TestWrongKind(t *testing.T) {
	table := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2, Q: 0.1}, [][]float64{{0.9, 0.1}})
	named, err := table.WithExtras(patchwork.Extras{Columns: []string{"Poa", "Salix"}})
	if err != nil {
		t.Fatal(err)
	}
	image := testkit.MustModel(t, patchwork.Config{Height: 2, Width: 2, Q: 0.1}, [][]float64{{0.9, 0.1, 0.1, 0.9}})
	for name, c := range map[string]struct {
		m             *patchwork.Model
		file, content string
		fits          bool
	}{
		"a picture, names":    {named, "1.png", "P1 2 1 1 0", false},
		"a picture, no names": {table, "1.png", "P1 9 9 1 0", false},
		"pictures": {named, "a.zip", string(zipOf(t, entry{"1.png", "P1 1 1 1"}, entry{"2.png", "P1 3 1 1 1 1"})),
			false},
		"a table":           {image, "t.csv", "Poa,Salix\n1,0\n0,1\n", false},
		"counts":            {image, "t.csv", "Poa,Salix\n1,0\n0,7\n", false},
		"rows that fit":     {image, "t.csv", "1,0,0,1\n0,1,1,0\n", false},
		"rows of the model": {named, "t.csv", "Salix,Poa\n1,0\n", true},
	} {
		_, err := Decode(context.Background(), c.file, []byte(c.content), optionsFor(t, Options{}, c.m))
		if c.fits && err != nil || !c.fits && (err == nil || !testenv.Said(t, err.Error())) {
			t.Errorf("%s: %v", name, err)
		}
	}
	opt := optionsFor(t, Options{Height: 2, Width: 2}, image)
	if s, err := Decode(context.Background(), "t.csv", []byte("1,0,0,1\n0,1,1,0\n"), opt); err != nil || s.Table {
		t.Errorf("rows made images: %v, %v", s, err)
	}
}
