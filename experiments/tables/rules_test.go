package tables

import (
	"bytes"
	"strings"
	"testing"

	"example.com/patchwork"
)

// The parts of a set are found in the model of the truth, and in no other; experts that
// say off count under rules that know them only.
func TestRuleSetJudge(t *testing.T) {
	s, err := QuadrantSet(50, 1)
	if err != nil {
		t.Fatal(err)
	}
	templates := make([][]float64, len(s.Parts))
	for k, part := range s.Parts {
		for _, v := range part {
			templates[k] = append(templates[k], 0.5+0.45*float64(v))
		}
	}
	for _, rule := range Rules() {
		cfg := patchwork.Config{Rule: rule, Height: s.Height, Width: s.Width, Q: 0.5}
		m, err := patchwork.NewModel(cfg, templates)
		if !rule.TwoSided() {
			m, err = patchwork.NewModel(cfg, [][]float64{templates[1], templates[3], templates[5], templates[7]})
		}
		if err != nil {
			t.Fatal(err)
		}
		want := 8
		if !rule.TwoSided() {
			want = 4
		}
		if found, there, purity := s.judge(m); found != want || there != want || purity < 0.999 {
			t.Errorf("%v: %d of %d found, purity %v", rule, found, there, purity)
		}
		whole := make([]float64, len(templates[0]))
		for i := range whole {
			whole[i] = 0.95
		}
		if m, err = patchwork.NewModel(cfg, [][]float64{whole}); err != nil {
			t.Fatal(err)
		}
		if found, _, purity := s.judge(m); found != 0 || purity > 0.26 {
			t.Errorf("%v: %d found in one part of all pixels, purity %v", rule, found, purity)
		}
	}
}

// A small version of the ledger: all bars are found, and nothing else.
func TestLearnRule(t *testing.T) {
	s, err := BarSet(5, 300, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin} {
		r, err := LearnRule(t.Context(), s, rule, Options{Seed: 1, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if r.Found != 10 || r.There != 10 || r.Experts != 10 || r.Purity < 0.98 || r.Loss > 0.31 {
			t.Errorf("%v: %+v", rule, r)
		}
	}
}

func TestReportRules(t *testing.T) {
	var out bytes.Buffer
	if err := ReportRules(t.Context(), &out, "", []string{"nosuch"}, 1, Options{}); err == nil ||
		!strings.Contains(err.Error(), "quadrants100") {
		t.Errorf("no such set: %v", err)
	}
}
