package dataset

import (
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

func TestCalled(t *testing.T) {
	three := patchwork.Data{Images: []*bitmap.Image{bitmap.New(1, 1), bitmap.New(1, 1), bitmap.New(1, 1)}}
	site, year := LabelsOf("site", []string{"A1", "A2\n", "A3"}), LabelsOf("year", []int64{1987, 1987, 1988})
	kind := LabelsOf("kind", []string{"bog", "", "bog"})
	for name, c := range map[string]struct {
		set  Set
		want [3]string
	}{
		"bare rows":   {Set{Table: true}, [3]string{"row 1", "row 2", "row 3"}},
		"bare images": {Set{Index: []int{4, 7, 9}}, [3]string{"image 5", "image 8", "image 10"}},
		"a name each": {Set{Table: true, Meta: []Labels{year, kind, site}}, [3]string{"A1", "A2", "A3"}},
		"what is not seen": {Set{Table: true, Meta: []Labels{LabelsOf("s", []string{"a\u202e1", "\x1b[31mb", "c\u200b"})}},
			[3]string{"a 1", "[31mb", "c"}},
		"labels": {Set{Table: true, Meta: []Labels{kind, year}},
			[3]string{"row 1 (bog, 1987)", "row 2 (1987)", "row 3 (bog, 1988)"}},
		"one value": {Set{Table: true, Meta: []Labels{year, LabelsOf("land", []string{"NO", "NO", "NO"})}},
			[3]string{"row 1 (1987)", "row 2 (1987)", "row 3 (1988)"}},
		"numbers of images": {Set{Meta: []Labels{kind, year}}, [3]string{"image 1 (bog)", "image 2", "image 3 (bog)"}},
	} {
		c.set.Data = three
		called := c.set.Called()
		for i, want := range c.want {
			if got := called(i); got != want {
				t.Errorf("%s: %d is called %q, want %q", name, i, got, want)
			}
		}
	}
}
