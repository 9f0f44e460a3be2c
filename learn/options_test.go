package learn

import (
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/pose"
)

// Parse reads what String returns, and refuses other names with the choices.
func TestNames(t *testing.T) {
	names := map[string]func(string) (string, error){}
	for _, v := range []Method{MethodAuto, MethodOnline, MethodBatch, MethodBoth} {
		names["method "+v.String()] = func(s string) (string, error) { r, err := ParseMethod(s); return r.String(), err }
	}
	for _, v := range []StartFrom{StartFromBoth, StartFromOrders, StartFromSplits} {
		names["start "+v.String()] = func(s string) (string, error) { r, err := ParseStartFrom(s); return r.String(), err }
	}
	if len(names) != 7 {
		t.Fatalf("%d distinct names of 7", len(names))
	}
	for name, parse := range names {
		_, value, _ := strings.Cut(name, " ")
		if got, err := parse(value); err != nil || got != value {
			t.Errorf("%s is read as %s, %v", name, got, err)
		}
		if _, err := parse("nonsense"); err == nil || !strings.Contains(err.Error(), `"nonsense"`) {
			t.Errorf("%s: error %v for nonsense", name, err)
		}
	}
	for _, s := range []string{Method(9).String(), StartFrom(9).String()} {
		if !strings.HasSuffix(s, "(9)") {
			t.Errorf("an unknown value prints as %s", s)
		}
	}
}

// A configuration without a prior takes the recommended one, a given one stays,
// and the paper's is Beta(1, 1).
func TestPriors(t *testing.T) {
	ink, own := patchwork.NewConfig(patchwork.RuleMax, 2, 2, pose.Grid{}),
		patchwork.NewConfig(patchwork.RuleMax, 2, 2, pose.Grid{})
	own.Prior = patchwork.Prior{On: 2, Off: 3}
	one := patchwork.Prior{On: 1, Off: 1}
	for _, c := range []struct {
		cfg           patchwork.Config
		paper         bool
		batch, online patchwork.Prior
	}{
		{ink, false, patchwork.Prior{On: 0.05, Off: 1}, patchwork.Prior{On: 0.1, Off: 1}},
		{ink, true, one, one},
		{patchwork.NewConfig(patchwork.RuleMaxMinusMin, 2, 2, pose.Grid{}), false, one, one},
		{own, false, own.Prior, own.Prior},
		{PaperConfig(patchwork.RuleMax, 2, 2, pose.Grid{}), true, one, one},
	} {
		if batch, online := rows.Priors(c.cfg, c.paper); batch != c.batch || online != c.online {
			t.Errorf("%v, paper %v: %v and %v, want %v and %v", c.cfg.Prior, c.paper, batch, online, c.batch, c.online)
		}
	}
	m, err := Learn(t.Context(), memoryData(), patchwork.NewConfig(patchwork.RuleMax, 4, 4, pose.Grid{}),
		Options{Experts: 1, Starts: 1})
	if err != nil || m.Config().Prior != rows.BatchInk {
		t.Errorf("learned with the prior %v, %v", m.Config().Prior, err)
	}
}
