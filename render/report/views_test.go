package report

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
)

// TestCategories checks that of the values of one column, a part shows the one that it
// speaks for, and not that it speaks against the others.
func TestCategories(t *testing.T) {
	set, err := dataset.Decode(t.Context(), "sites.csv",
		[]byte("wet,soil\n1,peat\n1,peat\n0,clay\n0,sand\n1,peat\n0,clay\n"),
		dataset.Options{Edits: []dataset.Edit{{Column: "soil", Want: "category"}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"wet", "soil=clay", "soil=peat", "soil=sand"}; !slices.Equal(set.Columns, want) {
		t.Fatalf("columns %v, want %v", set.Columns, want)
	}
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 4, Q: 0.4},
		[][]float64{{0.9, 0.05, 0.9, 0.05}})
	if err != nil {
		t.Fatal(err)
	}
	r := build(t, m, set, Options{Stability: -1})
	implied := impliedVotes(set, r.Parts[0].Votes)
	if got := slices.Sorted(maps.Keys(implied)); !slices.Equal(got, []int{2, 4}) {
		t.Errorf("implied %v, want columns 2 and 4", got)
	}
	page := html(t, r)
	checkPage(t, page)
	parts, _, _ := strings.Cut(page, `id="rest"`)
	if strings.Contains(parts, `"name">soil=clay`) ||
		!strings.Contains(parts, "soil=clay and soil=peat are the values of one column") {
		t.Error("the page shows votes against the other values")
	}
	if n := len(r.Parts[0].Votes); n != 4 {
		t.Errorf("%d votes in the tables, want 4", n)
	}
	other := []Vote{{Number: 2, Value: 0.1, Otherwise: 0.4}, {Number: 3, Value: 0.1, Otherwise: 0.4}}
	if implied := impliedVotes(set, other); len(implied) > 0 {
		t.Errorf("against two values, for none: implied %v", implied)
	}
}

// TestSelectedRows checks which rows of many the page shows.
func TestSelectedRows(t *testing.T) {
	r := &Report{Table: true, Parts: []Part{{Typical: []Typical{{Row: 501}, {Row: 3}}}}}
	for i := range 1000 {
		r.ByRow = append(r.ByRow, Row{Row: i + 1, Known: 4, Loss: Number((i*7)%1000) / 1000})
	}
	r.ByRow[7].Known = 0
	p := &page{Report: r}
	order := r.Unusual()
	if order[0] != 857 || order[999] != 7 { // 857*7 = 5999; nothing is known of row 7
		t.Errorf("the most unusual is %d, the last %d", order[0], order[999])
	}
	got := p.selected(order)
	if !slices.IsSorted(got) || len(got) < 200 || len(got) > 202 {
		t.Errorf("%d rows", len(got))
	}
	for _, i := range []int{500, 2, 857, 7} {
		if !slices.Contains(got, i) {
			t.Errorf("row %d is not shown", i)
		}
	}
}
