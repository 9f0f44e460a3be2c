package posterior

import (
	"context"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// halves predicts half of what the parts say.
type halves int

func (halves) Predict(_ *bitmap.Image, parts []float64) []float64 {
	out := slices.Clone(parts)
	for i := range out {
		out[i] /= 2
	}
	return out
}

func (h halves) Len() int { return int(h) }

func (halves) String() string { return "halves" }

// A model with a predictor predicts by it; the explanations are its own.
func TestPredictor(t *testing.T) {
	m, _, visible := hiddenTables(t, 40)
	want := make([][]float64, len(visible))
	each(t, m, visible, 1, func(i int, p []float64, _ *Posterior) { want[i] = halves(0).Predict(nil, p) })
	extras := m.Extras()
	extras.Predictor = halves(3)
	if _, err := m.WithExtras(extras); err == nil {
		t.Error("a predictor of other rows")
	}
	extras.Predictor = halves(m.Width())
	together, err := m.WithExtras(extras)
	if err != nil {
		t.Fatal(err)
	}
	each(t, together, visible, 3, func(i int, p []float64, _ *Posterior) {
		if !slices.Equal(p, want[i]) {
			t.Errorf("row %d is predicted as %v, not %v", i, p, want[i])
		}
	})
}

func each(t *testing.T, m *patchwork.Model, rows []*bitmap.Image, workers int, f func(int, []float64, *Posterior)) {
	t.Helper()
	if err := Predict(context.Background(), m, rows, Options{}, workers, f); err != nil {
		t.Fatal(err)
	}
}
