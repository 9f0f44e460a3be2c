package studio

import (
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/dataset"
)

// TestDataOfOtherOrder: a data set whose columns are in another order is matched with the
// model by name, where it is explained and where it is shown; one with another column is
// refused by its name.
func TestDataOfOtherOrder(t *testing.T) {
	turned := &dataset.Set{Table: true, Columns: []string{"tofu", "bread", "jam"}, Source: "turned"}
	for _, img := range tableSet().Images {
		other := img.Clone()
		for x, from := range []int{2, 0, 1} {
			if other.Set(0, x, img.At(0, from)); !img.Known(0, from) {
				other.SetUnknown(0, x)
			}
		}
		turned.Images = append(turned.Images, other)
	}
	foreign := &dataset.Set{Table: true, Columns: []string{"bread", "jam", "tofuu"}, Source: "foreign",
		Data: tableSet().Data}
	s := newServer(t, func(o *Options) {
		o.Data = append(o.Data, NamedData{Name: "turned", Set: turned}, NamedData{Name: "foreign", Set: foreign})
	})
	type images struct{ Images []labelled }
	want := ask[images](t, s, request{path: "/v1/data/d2/images?from=3&n=5"}, 200).Images
	got := ask[images](t, s, request{path: "/v1/data/d3/images?from=3&n=5&model=m2"}, 200).Images
	if len(want) != 5 || len(got) != 5 {
		t.Fatalf("%d and %d images", len(want), len(got))
	}
	for i := range want {
		if want[i].Bits != got[i].Bits || want[i].Index != got[i].Index {
			t.Errorf("image %d: %+v, want %+v", i, got[i], want[i])
		}
	}
	a := ask[overview](t, s, request{path: "/v1/models/m2/overview?data=d2"}, 200).Rows
	b := ask[overview](t, s, request{path: "/v1/models/m2/overview?data=d3"}, 200).Rows
	if len(a) == 0 || len(a) != len(b) {
		t.Fatalf("%d and %d rows", len(a), len(b))
	}
	for i := range a {
		if !slices.Equal(a[i].Parts, b[i].Parts) || a[i].Loss != b[i].Loss {
			t.Errorf("row %d: %+v, want %+v", i, b[i], a[i])
		}
	}
	for _, path := range []string{"/v1/data/d4/images?model=m2", "/v1/models/m2/overview?data=d4"} {
		if w := (request{path: path}).send(t, s); w.Code != 422 || !strings.Contains(w.Body.String(), "tofuu") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
