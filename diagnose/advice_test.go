package diagnose

import (
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
)

// Advice does not contradict itself: more parts beside fewer, or fewer than one.
func TestAdviceAgrees(t *testing.T) {
	for k, templates := range [][][]float64{1: {{0.1, 0.1, 0.1}}, 2: {{0.9, 0.9, 0.1}, {0.9, 0.9, 0.1}}} {
		if templates == nil {
			continue
		}
		m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 3, Q: 0.1}, templates)
		if err != nil {
			t.Fatal(err)
		}
		m, err = m.WithExtras(patchwork.Extras{Usage: slices.Repeat([]float64{0}, k)})
		if err != nil {
			t.Fatal(err)
		}
		found := Model(m, Evidence{Explained: []*patchwork.Explanation{{}, {}}})
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.Kind == KindUnexplained }) {
			t.Fatalf("%d parts: %v", k, found)
		}
		for _, f := range found {
			if strings.Contains(f.Advice, "learn more parts") || k == 1 && strings.Contains(f.Advice, "fewer parts") {
				t.Errorf("%d parts: %v", k, f)
			}
		}
	}
}
