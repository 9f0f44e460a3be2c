package dataset

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
)

// TestAbsent: data may lack columns that no part of a model speaks of, and no others; numbers in another unit are noted.
func TestAbsent(t *testing.T) {
	s, err := Read([]string{write(t, "t.csv", []byte("a,b,soil\n"+many("1,0,sand", "0,1,clay", "0,0,peat")))},
		Options{Edits: []Edit{{Column: "soil", Want: "category"}}})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := s.Reading()
	if err != nil {
		t.Fatal(err)
	}
	model := func(voted ...string) *Plan {
		p, err := PlanOf(kept, s.Columns, 1, len(s.Columns), true)
		if err != nil {
			t.Fatal(err)
		}
		var uses []Use
		for _, name := range s.Columns {
			uses = append(uses, Use{Voted: slices.Contains(voted, name)})
		}
		p.Uses(uses)
		return p
	}
	var b bytes.Buffer
	err = npy.WriteZip(&b, npy.Store, npy.Member{Name: "x", Array: npy.New([]uint8{1, 0, 1, 0}, 1, 4)},
		npy.Member{Name: "columns", Array: npy.New([]string{"b", "soil=clay", "soil=peat", "soil=sand"}, 4)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text, want, said string
		model                  *Plan
	}{
		{"t.csv", "a,soil\n1,sand\n0,peat\n", "#?..#\n.?.#.\n", "the column b is not there and taken as unknown",
			model("a", "soil=sand")},
		{"t.csv", "b,a\n1,0\n", ".#???\n", "the column soil is not there", model("a")},
		{"t.csv", "b,a\n1,0\n", "", "soil", model("a", "soil=sand")},
		{"t.csv", "b,soil\n1,clay\n", "", "a", model("a")},
		{"t.npz", b.String(), "?#.#.\n", "the column a is not there", model("b")},
		{"t.npz", b.String(), "", "a", model("a")},
	} {
		path := write(t, c.name, []byte(c.text))
		got, err := Read([]string{path}, Options{Model: c.model})
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), `missing: "`+c.said) {
				t.Errorf("%q: %v, %v; want %s to be missing", c.text, got, err, c.said)
			}
			continue
		}
		if err != nil || pixels(got) != c.want || !strings.Contains(strings.Join(sentences(got), "\n"), c.said) {
			t.Errorf("%q: %v, %v", c.text, got, err)
			continue
		}
		stream, err := OpenStream(t.Context(), []string{path}, Options{Model: c.model})
		if err != nil {
			t.Fatal(err)
		}
		if all, err := stream.Set(t.Context()); err != nil || pixels(all) != c.want {
			t.Errorf("%q in parts: %v, %v", c.text, all, err)
		}
	}
	ages, err := PlanOf(nil, []string{"age", "size"}, 1, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	ages.Uses([]Use{{true, 18, 90}, {true, math.NaN(), math.NaN()}})
	got, err := Read([]string{write(t, "t.csv", []byte("age,size\n540,1e9\n150,2.5\n240,3.5\n,1\n"))}, Options{Model: ages})
	if want := "in age 2 of 3 values lie far from those that the model was learned from, 18 to 90, such as 240: is the " +
		"unit another?"; err != nil || len(got.Notes) != 1 || got.Notes[0].Text != want {
		t.Errorf("%v, %v; want the note %q", got, err, want)
	}
}
