package dataset

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
)

// TestWeights: whole weights may be written as 2.0, and decimals have the unit that makes them whole, in every format,
// in parts and in several files.
func TestWeights(t *testing.T) {
	archive := func(weights any) []byte {
		var b bytes.Buffer
		if err := npy.WriteZip(&b, npy.Store, npy.Member{Name: "x", Array: npy.New([]uint8{0, 1, 1}, 3, 1)},
			npy.Member{Name: "weight", Array: &npy.Array{Shape: []int{3}, Data: weights}}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	whole := write(t, "whole.csv", []byte("a,weight\n0,2.0\n1,0.0\n1,3\n"))
	tenths := write(t, "tenths.csv", []byte("a,weight\n0,2.6\n1,0\n1,3\n"))
	for _, c := range []struct {
		paths []string
		unit  int64
		want  []int64
	}{
		{[]string{whole}, 1, []int64{2, 0, 3}},
		{[]string{write(t, "t.npz", archive([]float64{2, 0, 3}))}, 1, []int64{2, 0, 3}},
		{[]string{write(t, "t.npz", archive([]int64{2, 0, 3}))}, 1, []int64{2, 0, 3}},
		{[]string{tenths}, 10, []int64{26, 0, 30}},
		{[]string{write(t, "t.csv", []byte("a;weight\n0;2,6\n1;0\n1;3\n"))}, 10, []int64{26, 0, 30}},
		{[]string{write(t, "t.npz", archive([]float64{2.6, 0, 3}))}, 10, []int64{26, 0, 30}},
		{[]string{write(t, "t.npz", archive([]float64{2.60001, 0, 3.33333}))}, 1000, []int64{2600, 0, 3333}},
		{[]string{whole, tenths}, 10, []int64{20, 0, 30, 26, 0, 30}},
		{[]string{tenths, whole}, 10, []int64{26, 0, 30, 20, 0, 30}},
	} {
		opts := Options{Edits: []Edit{{Column: "weight", Want: "weight"}}}
		s, err := Read(c.paths, opts)
		if err != nil || max(s.Unit, 1) != c.unit || !slices.Equal(s.Weights, c.want) {
			t.Errorf("%v: weights %v in units of %d: %v", c.paths, s, c.unit, err)
			continue
		}
		if w := s.Whole(); c.unit > 1 && (w.Unit != 1 || w.Weights[1] != 0 || w.Weights[0] > 3) {
			t.Errorf("whole weights %v of %v", w.Weights, c.want)
		}
		stream, err := OpenStream(t.Context(), c.paths, opts)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := stream.Set(t.Context()); err != nil || p.Unit != s.Unit || !slices.Equal(p.Weights, s.Weights) {
			t.Errorf("%v in parts: %v in units of %d: %v", c.paths, p.Weights, p.Unit, err)
		}
	}
	late := write(t, "late.csv", []byte("a,weight\n"+strings.Repeat("1,2\n", beyondHead)+"0,1.5\n"))
	if s, err := Read([]string{late}, Options{Edits: []Edit{{Column: "weight", Want: "weight"}}}); err != nil || s.Unit != 10 || s.Weights[0] != 20 {
		t.Errorf("decimals behind the beginning: unit %d, %v", s.Unit, err)
	}
	mixed := write(t, "t.csv", []byte("age,ok,weight\n20.5,1,1.5\n31,0,2\n47,1,0\n"))
	if f, err := read([]string{mixed}, Options{Edits: []Edit{{Column: "weight", Want: "weight"}}}); err != nil || f.Values == nil || f.Unit != 10 ||
		!slices.Equal(f.Weights, []int64{15, 20, 0}) {
		t.Errorf("of numbers: %v, %v", f, err)
	}
	for text, said := range map[string]string{"-1": `the weight "-1" is not`,
		"much": "non-negative number", "": "non-negative number",
		"0.0001": "less than a thousandth"} {
		path := write(t, "t.csv", []byte("a,weight\n1,1.5\n0,"+text+"\n"))
		if _, err := Read([]string{path}, Options{Edits: []Edit{{Column: "weight", Want: "weight"}}}); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A column that is called like weights and holds what weights are is pointed out; one of what people weigh is not.
func TestMaybeWeight(t *testing.T) {
	for _, c := range []struct {
		name string
		size float64
		want bool
	}{{"weight", 1, true}, {"Sample weight", 1, true}, {"wt_", 1, true}, {"weight", 60, false}, {"height", 1, false}} {
		var b strings.Builder
		fmt.Fprintf(&b, "%s,a,b\n", c.name)
		for i := range 30 {
			fmt.Fprintf(&b, "%.3f,%d,%d\n", c.size+float64(i%7)/3, i%2, i%3%2)
		}
		source, err := OpenFiles(t.Context(), []File{{"t.csv", []byte(b.String())}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		set := source.frame
		said := slices.ContainsFunc(set.Notes, func(n Note) bool {
			return strings.HasSuffix(n.Text, "may say how much each row counts") && len(n.Fix) == 1
		})
		if said != c.want {
			t.Errorf("%s about %v: notes %v", c.name, c.size, set.Notes)
		}
	}
}
