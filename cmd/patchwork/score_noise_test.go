package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"example.com/patchwork/workbench"
)

// TestScoreLearnsTheNoiseOfScenes checks that score judges scenes as explain explains
// them, by the parts as they look under the noise of each image.
func TestScoreLearnsTheNoiseOfScenes(t *testing.T) {
	t.Chdir(t.TempDir())
	const scenes = "synth scenes --n 3 --side 50 --objects 2 --exemplars 1 --seed 4 -q "
	must(t, fields(scenes+"--flip 0.01 -o clean.npz --model d.npz")...)
	must(t, fields(scenes+"--flip 0.1 -o s.npz")...)
	var r workbench.Scores
	if err := json.Unmarshal([]byte(must(t, "score", "-m", "d.npz", "s.npz", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	sum, missing, clutter := 0.0, 0.0, 0.0
	for _, text := range strings.Split(strings.TrimSpace(must(t, "explain", "-m", "d.npz", "s.npz")), "\n") {
		var l map[string]any
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		number := func(name string) float64 { v, _ := l[name].(float64); return v }
		sum, missing, clutter = sum+number("log_lik"), missing+number("missing")/3, clutter+number("clutter")/3
	}
	if math.Abs(float64(r.LogLik)-sum) > 1e-5 || math.Abs(r.Missing-missing) > 1e-9 || math.Abs(r.Clutter-clutter) > 1e-9 {
		t.Errorf("%+v; the explanations have %.6f, %.4f missing, %.4f clutter", r, sum, missing, clutter)
	}
	if r.Missing <= 0.05 || r.Clutter <= 0.05 {
		t.Errorf("%+v", r)
	}
	if out := must(t, "score", "-m", "d.npz", "s.npz", "-o", "rows.csv", "-q"); !strings.Contains(out,
		"% of the ink missing") {
		t.Errorf("the report is silent about the noise:\n%s", out)
	}
	if rows, err := os.ReadFile("rows.csv"); err != nil || strings.Count(string(rows), "\n") != 4 {
		t.Errorf("%q, %v", rows, err)
	}
}
