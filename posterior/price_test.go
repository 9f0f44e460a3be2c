package posterior_test

import (
	"math"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/posterior"
)

// priced returns a model of a table with one rare and one common expert, learned by
// the given method.
func priced(t *testing.T, method string, usage []float64) *patchwork.Model {
	t.Helper()
	cfg := patchwork.Config{Height: 1, Width: 4, Q: 0.1, Rule: patchwork.RuleMax}
	m, err := patchwork.NewModel(cfg, [][]float64{{0.4, 0.1, 0.1, 0.1}, {0.1, 0.1, 0.4, 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.WithExtras(patchwork.Extras{Usage: usage, Record: patchwork.Record{Method: method, Rows: 99}}); err !=
		nil {
		t.Fatal(err)
	}
	return m
}

func TestPickCostsAreThePriorOdds(t *testing.T) {
	usage := []float64{0, 60. / 99}
	m := priced(t, "soft", usage)
	costs := posterior.PickCosts(m)
	if len(costs) != 2 || math.Abs(costs[0]-math.Log(99.5/0.5)) > 1e-12 || math.Abs(costs[1]-math.Log(39.5/60.5)) > 1e-12 {
		t.Fatalf("costs %v, want those of (n + 1/2) / (N + 1)", costs)
	}
	for name, other := range map[string]*patchwork.Model{"batch": priced(t, "random", usage),
		"without usage": priced(t, "soft", nil)} {
		if c := posterior.PickCosts(other); c != nil {
			t.Errorf("%s: costs %v, want none", name, c)
		}
	}
	// A bit that the rare expert explains better by log(0.4 / 0.1) is not worth it.
	row := bitmap.New(1, 4)
	row.Set(0, 0, true)
	p, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{Costs: costs})
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.Explain(row)
	if err != nil {
		t.Fatal(err)
	}
	for _, pick := range e.Picks {
		if pick.Expert == 0 {
			t.Errorf("the rare expert is picked: %+v", e.Picks)
		}
	}
	if e, err = m.Explain(row); err != nil || len(e.Picks) != 1 || e.Picks[0].Expert != 0 {
		t.Errorf("without costs: %+v, %v", e, err)
	}
}
