package studio

import (
	"testing"

	"example.com/patchwork/rule"
)

// TestRules: the API describes the rules as package rule implements them.
func TestRules(t *testing.T) {
	s := newServer(t, nil)
	rules := ask[struct{ Rules []ruleInfo }](t, s, request{path: "/v1/rules"}, 200).Rules
	composed := ask[struct{ Rules []composed }](t, s, request{path: "/v1/rules/compose?p=.7&p=.2&p=.2"}, 200).Rules
	if len(rules) != 7 || len(composed) != 7 {
		t.Fatalf("%d and %d rules", len(rules), len(composed))
	}
	for i, r := range rule.All() {
		info := rules[i]
		if info.Name != r.Name() || info.Title == "" || info.Formula == "" || info.Symmetric != r.Symmetric() {
			t.Errorf("%+v", info)
		}
		if q, ok := r.Abstain(); ok != (info.Abstention != nil) || ok && *info.Abstention != q {
			t.Errorf("%s abstains by %v, says the API", info.Name, info.Abstention)
		}
		if composed[i].P != r.Compose(.7, .2, .2) {
			t.Errorf("%s composes to %v", info.Name, composed[i].P)
		}
		if once := r.Compose(.7, .2, .2) == r.Compose(.7, .2); once != info.Idempotent {
			t.Errorf("%s is idempotent: %v, says the API", info.Name, info.Idempotent)
		}
		if _, err := rule.Parse(info.Name); err != nil {
			t.Error(err)
		}
	}
}

// TestComposeWithQ: an abstention value is that of max and max-minus-min alone.
func TestComposeWithQ(t *testing.T) {
	s := newServer(t, nil)
	got := ask[struct{ Rules []composed }](t, s, request{path: "/v1/rules/compose?p=.1&p=.2&q=.3"}, 200).Rules
	for i, r := range rule.All() {
		want := r.Compose(.1, .2)
		switch r.Name() {
		case "max":
			want = .3
		case "max-minus-min":
			want = rule.MaxMinusMin{Q: .3}.Compose(.1, .2)
		}
		if got[i].P != want {
			t.Errorf("%s: %v, want %v", r.Name(), got[i].P, want)
		}
	}
	if w := (request{path: "/v1/rules/compose?p=.1&q=2"}).send(t, s); w.Code != 422 {
		t.Errorf("q = 2: %d", w.Code)
	}
}

// TestRuleCurves: curves are the rules along one opinion, with other abstention
// values on request.
func TestRuleCurves(t *testing.T) {
	s := newServer(t, nil)
	got := ask[struct {
		P2     []float64
		Curves []ruleCurve
	}](t, s, request{path: "/v1/rules/curves?p1=.6&p1=.1&q=.25&points=11"}, 200)
	if len(got.P2) != 11 || got.P2[10] != 1 || len(got.Curves) != 9 {
		t.Fatalf("%d points, %d curves", len(got.P2), len(got.Curves))
	}
	want := append(rule.All(), rule.Max{Q: .25}, rule.MaxMinusMin{Q: .25})
	for i, c := range got.Curves {
		for j, p := range got.P2 {
			if c.Rule != want[i].Name() || c.P[j] != want[i].Compose(.6, .1, p) {
				t.Errorf("%s at %v: %v", c.Rule, p, c.P[j])
			}
		}
	}
}
