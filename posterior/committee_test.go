package posterior

import (
	"context"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testkit"
)

// A model predicts by the mean of its own predictions and those of its committee, whose
// rules may be others; the explanations are its own.
func TestCommitteePredicts(t *testing.T) {
	m, _, visible := hiddenTables(t, 40)
	var all []*patchwork.Model
	for _, name := range []string{"noisy-or", "max"} {
		c := m.Config()
		if err := c.Rule.UnmarshalText([]byte(name)); err != nil {
			t.Fatal(err)
		}
		o, err := m.WithConfig(c)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o.WithTemplates(o.Templates()[:1], patchwork.Extras{Usage: []float64{0.4}}))
	}
	extras := m.Extras()
	extras.Committee = all
	together, err := m.WithExtras(extras)
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, m)
	want := make([][]float64, len(visible))
	for _, o := range all {
		each(t, o, visible, 1, func(i int, p []float64, _ *Posterior) {
			if want[i] == nil {
				want[i] = make([]float64, len(p))
			}
			for j, v := range p {
				want[i][j] += v / 3
			}
		})
	}
	picks := make([]int, len(visible))
	each(t, m, visible, 1, func(i int, _ []float64, post *Posterior) { picks[i] = len(post.Alternatives[0].Picks) })
	for _, workers := range []int{1, 3} {
		got := make([][]float64, len(visible))
		each(t, together, visible, workers, func(i int, p []float64, post *Posterior) {
			if got[i] = p; len(post.Alternatives[0].Picks) != picks[i] {
				t.Errorf("row %d has another explanation", i+1)
			}
		})
		for i := range got {
			testkit.NearAll(t, "prediction", got[i], want[i], 1e-12)
		}
	}
}

func each(t *testing.T, m *patchwork.Model, rows []*bitmap.Image, workers int, f func(int, []float64, *Posterior)) {
	t.Helper()
	if err := Predict(context.Background(), m, rows, Options{}, workers, f); err != nil {
		t.Fatal(err)
	}
}
