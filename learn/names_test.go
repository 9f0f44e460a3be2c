package learn

import (
	"encoding/json"
	"fmt"
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

// A name stays with its expert; the columns stay.
func TestNamesFollowExperts(t *testing.T) {
	cfg := quadrantConfig()
	m := withTexts(t, testkit.MustModel(t, cfg, randomTemplates(t, 3)))
	checkTexts(t, Settle(m), m.Extras().Names)
	if bare := testkit.MustModel(t, cfg, randomTemplates(t, 3)); rows.NamesWithout(bare, 1) != nil {
		t.Error("names from nowhere")
	}
}
