package dataset

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"example.com/patchwork"
)

// The columns of a column of categories are one group, by the model's own numbers.
func TestExclusiveColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte("a,colour,b\n1,red,0\n0,green,1\n1,blue,1\n0,red,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := Read([]string{path}, Options{Edits: []Edit{{Column: "colour", Want: "category"}}})
	if err != nil {
		t.Fatal(err)
	}
	_, w := set.Size()
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: w}, [][]float64{make([]float64, w)})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ExclusiveColumns(m); err != nil || len(got) != 0 {
		t.Errorf("of a model that knows no reading: %v, %v", got, err)
	}
	if m, err = set.Describe(m); err != nil {
		t.Fatal(err)
	}
	got, err := ExclusiveColumns(m)
	if err != nil || !reflect.DeepEqual(got, [][]int{{1, 2, 3}}) {
		t.Errorf("%v of the columns %v, %v", got, set.Columns, err)
	}
}
