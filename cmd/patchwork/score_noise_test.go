package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

// TestScoreLearnsTheNoiseOfScenes checks that score judges scenes as explain explains
// them, by the parts as they look under the noise of each image; that --calibrate never
// judges them by the parts as they are; and that tables have no such noise.
func TestScoreLearnsTheNoiseOfScenes(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "synth", "scenes", "--n", "3", "--side", "50", "--objects", "2", "--exemplars", "1", "--flip", "0.1", "--template-on", "0.99",
		"--template-off", "0.01", "--seed", "4", "-o", "s.npz", "--model", "d.npz", "-q")
	report := func(args ...string) (r scoreReport) {
		t.Helper()
		if err := json.Unmarshal([]byte(must(t, append([]string{"score", "-m", "d.npz", "s.npz", "--json"}, args...)...)), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, c := range []struct{ how, field string }{{"auto", "log_lik"}, {"always", "log_lik"}, {"never", "log_lik_model"}} {
		sum, missing, clutter := 0.0, 0.0, 0.0
		for _, text := range strings.Split(strings.TrimSpace(must(t, "explain", "-m", "d.npz", "s.npz", "--calibrate", c.how)), "\n") {
			var l map[string]any
			if err := json.Unmarshal([]byte(text), &l); err != nil {
				t.Fatal(err)
			}
			number := func(name string) float64 { v, _ := l[name].(float64); return v }
			sum, missing, clutter = sum+number(c.field), missing+number("missing")/3, clutter+number("clutter")/3
		}
		r := report("--calibrate", c.how)
		if math.Abs(float64(r.LogLik)-sum) > 1e-5 || math.Abs(r.Missing-missing) > 1e-9 || math.Abs(r.Clutter-clutter) > 1e-9 {
			t.Errorf("--calibrate %s: %+v; the explanations have %.6f, %.4f missing, %.4f clutter", c.how, r, sum, missing, clutter)
		}
		if noisy := r.Missing > 0.05 && r.Clutter > 0.05; noisy != (c.how != "never") {
			t.Errorf("--calibrate %s: %+v", c.how, r)
		}
	}
	if plain, never := report(), report("--calibrate", "never"); plain.LogLik <= never.LogLik {
		t.Errorf("by the noise %v, without %v", plain.LogLik, never.LogLik)
	}
	if out := must(t, "score", "-m", "d.npz", "s.npz", "-o", "rows.csv", "-q"); !strings.Contains(out, "% of the ink missing") {
		t.Errorf("the report is silent about the noise:\n%s", out)
	}
	if rows, err := os.ReadFile("rows.csv"); err != nil || strings.Count(string(rows), "\n") != 4 {
		t.Errorf("%q, %v", rows, err)
	}
	must(t, "synth", "quadrants", "--n", "20", "--seed", "1", "-o", "q.npz", "-q")
	must(t, "learn", "q.npz", "-o", "q-model.npz", "-k", "2", "-q")
	if o := patchworkCommand(t, "score", "-m", "q-model.npz", "q.npz", "--calibrate", "always"); o.code != 2 || !strings.Contains(o.err, "where parts can move") {
		t.Errorf("exit %d, %q", o.code, o.err)
	}
}
