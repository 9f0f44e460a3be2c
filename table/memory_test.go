package table

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/internal/wire"
	"example.com/patchwork/posterior"
)

// tableSteps returns all steps of learning a table as text.
func tableSteps(t *testing.T, d patchwork.Data, cfg patchwork.Config, opt Options) string {
	t.Helper()
	out := ""
	for s, err := range Run(t.Context(), d, cfg, opt) {
		if err != nil {
			t.Fatal(err)
		}
		extras := s.Model.Extras()
		out += fmt.Sprintf("%+v %v %v %v\n", s.CurvePoint, s.Model.Templates(), s.Model.Config().QMap, extras)
	}
	return out
}

// A table learned with a memory, empty, full, full of holes, of another run or
// of nonsense, is the table learned without, in every step; a full memory is
// asked for everything, and nothing is explained again.
func TestTableWithAMemory(t *testing.T) {
	for name, c := range map[string]struct {
		cfg patchwork.Config
		opt Options
	}{
		"of a sample": {patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 12},
			Options{MaxExperts: 6, Iterations: 3, Workers: 2, Seed: 4, Sample: 60}},
		"max": {patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 12},
			Options{Experts: 4, Iterations: 3, StartFrom: StartFromMixture}},
		"interpreting": {patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 12},
			Options{MaxExperts: 5, Iterations: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			want := tableSteps(t, bars(90, 1), c.cfg, c.opt)
			n := &testkit.Notes{Values: map[string][]byte{}}
			for _, forget := range []int{0, 0, 2, 7} {
				n.Forget, n.Asked, n.Recalled = forget, 0, 0
				kept := len(n.Values)
				if got := tableSteps(t, testkit.WithMemory(bars(90, 1), n), c.cfg, c.opt); got != want {
					t.Fatalf("forget %d: other steps", forget)
				}
				if kept > 0 && (len(n.Values) != kept || forget == 0 && n.Recalled != n.Asked) {
					t.Errorf("forget %d: %d values, then %d; %d of %d recalled", forget, kept, len(n.Values), n.Recalled, n.Asked)
				}
			}
			other := tableSteps(t, bars(90, 2), c.cfg, c.opt)
			if got := tableSteps(t, testkit.WithMemory(bars(90, 2), n), c.cfg, c.opt); got != other {
				t.Error("the memory of other rows changed the steps")
			}
			i := 0
			for key, v := range n.Values {
				if i++; i%3 == 0 {
					n.Values[key] = v[:len(v)/2]
				} else if i%3 == 1 {
					n.Values[key] = append(bytes.Clone(v), 7)
				}
			}
			if got := tableSteps(t, testkit.WithMemory(bars(90, 1), n), c.cfg, c.opt); got != want {
				t.Error("values of the wrong length changed the steps")
			}
			n = &testkit.Notes{Values: map[string][]byte{}, Broken: errors.New("disk full")}
			if _, err := Learn(t.Context(), testkit.WithMemory(bars(90, 1), n), c.cfg, c.opt); !errors.Is(err, n.Broken) {
				t.Errorf("a memory that fails: %v", err)
			}
		})
	}
}

// A tally comes back from its bytes as it was, and no cut of them is one.
func TestTallyBytes(t *testing.T) {
	for _, rule := range []patchwork.Rule{patchwork.RuleMaxMinusMin, noisyOr} {
		m, err := Learn(t.Context(), bars(60, 3), patchwork.Config{Rule: rule, Height: 1, Width: 12},
			Options{Experts: 3, StartFrom: StartFromMixture, Iterations: 1})
		if err != nil {
			t.Fatal(err)
		}
		data := bars(60, 3)
		data.Images[7].SetUnknown(0, 3)
		tally, err := eStep(t.Context(), m, data, posterior.Options{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		b := wire.Marshal(tally.code)
		back := newCounts(m, 1)
		if err := wire.Unmarshal(b, back.code); err != nil || !bytes.Equal(wire.Marshal(back.code), b) {
			t.Fatalf("%v: %v", rule, err)
		}
		for cut := range b {
			if wire.Unmarshal(b[:cut], newCounts(m, 1).code) == nil {
				t.Fatalf("%v: %d of %d bytes are a tally", rule, cut, len(b))
			}
		}
	}
}
