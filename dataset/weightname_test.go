package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

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
