package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// The scores of the rows add up to the score, and are those of explain, also where both
// charge the prior of the model.
func TestScoreRows(t *testing.T) {
	t.Chdir(t.TempDir())
	votes(t)
	must(t, fields("learn x.npz -q -o soft.npz -k 5 --method soft --rows :200")...)
	for _, model := range []string{"m.npz", "soft.npz"} {
		t.Run(model, func(t *testing.T) { scoreRows(t, model) })
	}
	if free := must(t, fields("score -m soft.npz x.npz --pursuit paper")...); free == must(t,
		fields("score -m soft.npz x.npz")...) {
		t.Errorf("the prior of the model costs nothing: %s", free)
	}
}

func scoreRows(t *testing.T, model string) {
	o := patchworkCommand(t, fields("score x.npz --where label<3 -o rows.npz --json -m "+model)...)
	var report struct {
		Images  int
		LogLik  float64 `json:"log_lik"`
		Weight  int64
		PerRow  float64 `json:"picks_per_image"`
		PerCell float64 `json:"log_lik_per_pixel"`
	}
	if err := json.Unmarshal([]byte(o.out), &report); err != nil || o.code != 0 ||
		o.err != "wrote rows.npz: scores of 900 rows of 20 columns\n" {
		t.Fatalf("exit %d, %q, %q: %v", o.code, o.out, o.err, err)
	}
	names, a := arraysOf(t, "rows.npz")
	if strings.Join(names, " ") != "label row weight log_lik picks pixels surprise rank blame" || a["row"].Len() != report.Images {
		t.Fatalf("arrays %v, %d rows of %d", names, a["row"].Len(), report.Images)
	}
	lines := explained(t, must(t, fields("explain x.npz --where label<3 -m "+model)...))
	sum, picks, pixels := 0.0, 0.0, 0.0
	for i, l := range lines {
		weight, logLik := float64(a["weight"].Data.([]int64)[i]), a["log_lik"].Data.([]float64)[i]
		if rounded(logLik) != *l.LogLikModel || a["row"].Data.([]int64)[i] != int64(*l.Index)+1 ||
			a["picks"].Data.([]int64)[i] != int64(len(l.Picks)) {
			t.Fatalf("row %d has %v nats, the line is %+v", i, logLik, l)
		}
		sum += weight * logLik
		picks += weight * float64(len(l.Picks))
		pixels += weight * float64(a["pixels"].Data.([]int64)[i])
	}
	if math.Abs(sum-report.LogLik) > 1e-6*math.Abs(sum) || math.Abs(picks/float64(report.Weight)-report.PerRow) > 1e-9 ||
		math.Abs(sum/pixels-report.PerCell) > 1e-6 {
		t.Errorf("the rows have %v nats and %v picks, the score is %+v", sum, picks, report)
	}
}

// In every format the rows are the same, streamed or not, for any number of workers.
func TestScoreRowsAreTheSameBytes(t *testing.T) {
	t.Chdir(t.TempDir())
	votes(t)
	for _, f := range outputFormats["score"] {
		must(t, fields("score -m m.npz x.npz -q --workers 1 -o want"+f)...)
		must(t, fields("score -m m.npz x.npz -q --workers 7 --memory 64KiB -o got"+f)...)
		if read(t, "got"+f) != read(t, "want"+f) {
			t.Errorf("%s: other bytes", f)
		}
	}
	if first, _, _ := strings.Cut(read(t, "want.csv"), "\n"); first != "label,row,weight,log_lik,picks,pixels,surprise,rank,blame" {
		t.Errorf("header %s", first)
	}
}
