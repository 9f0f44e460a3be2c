package report

import (
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/workbench"
)

// TestDataFindings: a report tells of columns that never change and of names that two rows
// have, and its advice for tables says nothing of poses.
func TestDataFindings(t *testing.T) {
	m, set := planted(t, 60)
	for i, img := range set.Images {
		img.Set(0, 8, false)
		img.SetUnknown(0, 9)
		if i == 7 { // nothing to explain
			set.Images[i] = bitmap.New(1, 10)
			set.Images[i].SetUnknown(0, 9)
		}
	}
	names := set.Meta[0].Cells
	names[4] = names[3]
	r, err := Build(t.Context(), workbench.Bits{Model: m}, set, Options{Stability: -1, Sample: 20})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Facts+" "+f.Advice)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"1 column is 0 in every row (species I).",
		"1 column is unknown in every row (species J).",
		"1 name of the column site stands for more than one row (site <4>)."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if !strings.Contains(text, "Nothing explains") || strings.Contains(text, "poses") ||
		strings.Contains(text, "habitat") {
		t.Errorf("findings\n%s", text)
	}
	if got := doubledNames([]string{"a", "b", "a", "b"}); got != nil { // a category
		t.Errorf("names %q", got)
	}
	if got := (&builder{r: &Report{}, set: &dataset.Set{}}).dataFindings(); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}
