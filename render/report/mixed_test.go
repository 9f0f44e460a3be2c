package report_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/render/report"
	"example.com/patchwork/workbench"
)

// A report of a table of every kind says words as words: what parts say of them, what is expected, what is odd, and what
// is predicted of an empty cell.
func TestMixedReport(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,ward,fever,pulse\n")
	for i := range 120 {
		ward, fever, pulse := []string{"north", "east", "<south>"}[i%7%3], "no", 70+float64(i*37%101)/10
		if i%3 == 0 {
			ward, fever, pulse = "east", "yes", 95+float64(i*37%101)/10
		}
		if i == 30 {
			ward = ""
		}
		fmt.Fprintf(&b, "p%d,%s,%s,%.2f\n", i, ward, fever, pulse)
	}
	path := filepath.Join(t.TempDir(), "ill.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	src, err := dataset.Open(t.Context(), []string{path}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := src.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data := workbench.Data{Frame: set}
	l, err := workbench.NewLearning(data, recipe.Recipe{Starts: 1}, data.Facts())
	if err != nil {
		t.Fatal(err)
	}
	var m workbench.Model
	for s, err := range l.Steps(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		m = s.Model
	}
	r, err := report.Build(t.Context(), m, set, report.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Parts) == 0 || len(r.Missing.Predicted) != 1 {
		t.Fatalf("%d parts, missing %+v", len(r.Parts), r.Missing)
	}
	if c := r.Missing.Predicted[0]; c.Row != 31 || c.Column != "ward" || !strings.HasPrefix(c.Expected, "east ") ||
		!math.IsNaN(float64(c.Value)) || !(c.Mean > .5 && c.Mean < 1) {
		t.Errorf("predicted %+v", c)
	}
	if p := r.Parts[0]; !(p.Share > .3 && p.Share < .4) {
		t.Errorf("part 1: %+v", p)
	}
	for _, c := range r.ByColumn {
		if !(c.Left <= c.Deviation*1.01) {
			t.Errorf("the parts leave more of %s than there is: %+v", c.Name, c)
		}
	}
	checkAgain(t, r)
	checkReal(t, r, "ward", "pulse", "Missing cells", "1 cell is unknown")
}

// checkAgain fails unless the parts of a table of every kind predict hidden cells better than the columns alone, and come
// back when learned again.
func checkAgain(t *testing.T, r *report.Report) {
	t.Helper()
	if r.Quality == nil || r.Stability == nil {
		t.Fatalf("no quality, %q, or no stability, %q", r.NoQuality, r.NoStability)
	}
	parts, alone := r.Quality.By[0], r.Quality.By[1]
	if !(parts.LogLoss < alone.LogLoss-.05) || !(parts.Accuracy > alone.Accuracy) || r.Quality.Cells < 50 {
		t.Errorf("%d cells hidden: by parts %+v, by the columns %+v", r.Quality.Cells, parts, alone)
	}
	for _, p := range r.Stability.Parts {
		if report.Mean(p.Restarts) < .9 || report.Mean(p.Bootstrap) < .7 {
			t.Errorf("part %d comes back with %v and %v", p.Part, p.Restarts, p.Bootstrap)
		}
	}
}
