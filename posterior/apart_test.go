package posterior

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"
)

// What all other pixels say of one, or of all of a group, is what is predicted where it is hidden: exactly so where all
// explanations are found.
func TestApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const columns = 5
		q, part := make([]float64, columns), make([]float64, columns)
		for j := range q {
			q[j] = rapid.Float64Range(.01, .9).Draw(t, "q")
			part[j] = rapid.Float64Range(q[j], .99).Draw(t, "p")
		}
		cfg := patchwork.Config{Height: 1, Width: columns, QMap: q, Rule: patchwork.RuleMax}
		m, err := patchwork.NewModel(cfg, [][]float64{part})
		if err != nil {
			t.Fatal(err)
		}
		var groups Exclusive
		if rapid.Bool().Draw(t, "groups") {
			groups = Exclusive{{1, 3}}
		}
		img := testkit.DrawImage(t, 1, columns, "#.?")
		for _, by := range []patchwork.Predictor{nil, halves(columns)} {
			extras := m.Extras()
			if extras.Predictor = by; by != nil {
				m, err = m.WithExtras(extras)
			}
			s, wrong := NewSearcher(m, Options{})
			if err != nil || wrong != nil {
				t.Fatal(err, wrong)
			}
			got, err := s.Apart(img, groups)
			if err != nil {
				t.Fatal(err)
			}
			for _, unit := range groups.units(img) {
				hidden := img.Clone()
				for _, j := range unit {
					hidden.SetUnknown(0, j)
				}
				want, _, err := s.Predict(hidden)
				if err != nil {
					t.Fatal(err)
				}
				groups.Normalize(want, hidden)
				for _, j := range unit {
					if math.Abs(got[j]-want[j]) > 1e-9 {
						t.Fatalf("%s, column %d: %v, hidden %v", img, j, got[j], want[j])
					}
				}
			}
		}
	})
}
