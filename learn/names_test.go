package learn

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/testkit"
)

// withTexts names every expert and every column of a model.
func withTexts(t *testing.T, m *patchwork.Model) *patchwork.Model {
	t.Helper()
	e := m.Extras()
	e.Names, e.Columns, e.Reading = nil, nil, json.RawMessage(`{"invert":true}`)
	for k := range m.K() {
		e.Names = append(e.Names, fmt.Sprint("name ", k))
	}
	for i := range m.Height() * m.Width() {
		e.Columns = append(e.Columns, fmt.Sprint("column ", i))
	}
	m, err := m.WithExtras(e)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkTexts checks that a model has these names of experts, and what withTexts says of
// its columns.
func checkTexts(t *testing.T, m *patchwork.Model, names []string) {
	t.Helper()
	e := m.Extras()
	if !slices.Equal(e.Names, names) {
		t.Errorf("names %q, want %q", e.Names, names)
	}
	if len(e.Columns) != m.Height()*m.Width() || e.Columns[1] != "column 1" || string(e.Reading) != `{"invert":true}` {
		t.Errorf("columns %.3q, reading %s", e.Columns, e.Reading)
	}
}

// A name stays with its expert, and goes when the expert is dropped or replaced; the
// columns stay.
func TestNamesFollowExperts(t *testing.T) {
	data, cfg := quadrants(t, 40), quadrantConfig()
	opt := Options{Experts: 3}.WithDefaults(cfg)
	m := withTexts(t, testkit.MustModel(t, cfg, randomTemplates(t, 3)))
	checkTexts(t, withoutExpert(m, 1), []string{"name 0", "name 2"})
	d, err := opt.describe(t.Context(), m, data, make([]float64, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := newView(t.Context(), d, data, opt)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := v.move(t.Context(), 1, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	checkTexts(t, moved.model, []string{"name 0", "", "name 2"})
	checkTexts(t, Settle(m), m.Extras().Names)
	if bare := testkit.MustModel(t, cfg, randomTemplates(t, 3)); rows.NamesWithout(bare, 1) != nil || namesUnless(bare, 1) != nil {
		t.Error("names from nowhere")
	}
}
