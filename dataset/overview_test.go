package dataset

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// TestOverview: the counts are those of the definition, and all sets of any
// form have an overview that is valid JSON.
func TestOverview(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, h, w := rapid.IntRange(0, 6).Draw(rt, "n"), rapid.IntRange(1, 2).Draw(rt, "h"), rapid.IntRange(1, 3).Draw(rt, "w")
		s := &Set{Table: h == 1, Data: patchwork.Data{}, Meta: []Labels{LabelsOf("y", make([]float64, n))}}
		states := make([][]uint8, n)
		on, known := 0, 0
		for i := range n {
			m := bitmap.New(h, w)
			for j := range h * w {
				v := rapid.Uint8Range(0, 2).Draw(rt, "pixel")
				states[i] = append(states[i], v)
				on, known = on+btoi(v == 1), known+btoi(v < 2)
				switch v {
				case 1:
					m.Set(j/w, j%w, true)
				case 2:
					m.SetUnknown(j/w, j%w)
				}
			}
			s.Images = append(s.Images, m)
			s.Meta[0].Cells[i] = ""
		}
		o := s.Overview()
		if _, err := json.Marshal(o); err != nil {
			rt.Fatal(err)
		}
		if o.Ink != ratio(on, known) || o.Unknown != ratio(n*h*w-known, n*h*w) {
			rt.Fatalf("%+v", o)
		}
		for i := range n {
			is := func(v ...uint8) bool {
				return !slices.ContainsFunc(states[i], func(s uint8) bool { return !slices.Contains(v, s) })
			}
			nothing := is(2)
			earlier := slices.IndexFunc(states[:i], func(s []uint8) bool { return slices.Equal(s, states[i]) })
			k := slices.Index(o.Same, i)
			if slices.Contains(o.Nothing, i) != nothing || slices.Contains(o.Blank, i) != (!nothing && is(0, 2)) ||
				slices.Contains(o.Full, i) != (!nothing && is(1, 2)) ||
				(k >= 0) != (earlier >= 0 && !nothing) || k >= 0 && o.SameAs[k] != earlier {
				rt.Fatalf("image %d of %v: %+v", i, states, o)
			}
		}
		for j, c := range o.Columns {
			ones, known := 0, 0
			for i := range n {
				ones, known = ones+btoi(states[i][j] == 1), known+btoi(states[i][j] < 2)
			}
			if (c.Yes == nil) != (known == 0) || c.Yes != nil && *c.Yes != ratio(ones, known) || c.Missing != n-known ||
				slices.Contains(o.Constant, j) != (known > 0 && (ones == 0 || ones == known)) {
				rt.Fatalf("column %d of %v: %+v, %v", j, states, c, o.Constant)
			}
		}
	})
}

func TestNamesForPeople(t *testing.T) {
	if got := (&Set{}).ColumnName(2) + (&Set{Columns: []string{"moss"}}).ColumnName(0); got != "column 3moss" {
		t.Errorf("columns: %q", got)
	}
}
