package tables

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork/table"

	"example.com/patchwork"
	"example.com/patchwork/internal/testenv"
)

func dir(t *testing.T) string { return filepath.Dir(testenv.Shared(t, "data/splits.json")) }

// TestVotes is a small version of the ledger: on one split of the votes, hidden bits
// are predicted far better than by the marginals (0.67 nats), and than by the best
// explanation alone.
func TestVotes(t *testing.T) {
	splits, err := Load(dir(t), "votes")
	if err != nil {
		t.Fatal(err)
	}
	if s := splits[0]; len(splits) != 8 || len(s.Train.Images) != 261 ||
		s.Test.Visible[0].CountKnown() >= s.Test.Data.Images[0].CountKnown() {
		t.Fatalf("%d splits, %d rows to learn from", len(splits), len(s.Train.Images))
	}
	opt := table.Options{Experts: 8, StartFrom: table.StartFromMixture, Workers: 2}
	learned, err := Measure(t.Context(), splits[0], patchwork.RuleMax, opt)
	if err != nil {
		t.Fatal(err)
	}
	if learned.Test > 0.44 || learned.Single < learned.Test+0.03 || learned.Parts > 1.6 || learned.Experts > 8 {
		t.Errorf("%+v", learned)
	}
}

func TestReport(t *testing.T) {
	var out bytes.Buffer
	o := Options{MaxExperts: 2, Splits: 1, Workers: 2, Rules: Rules()[2:4]}
	if !testenv.Long() {
		t.Setenv("PYTHON", "none") // the row says so
		o.Rows = 100
	}
	if err := Report(t.Context(), &out, dir(t), "spect", o); err != nil {
		t.Fatal(err)
	}
	o.Rules = o.Rules[:1]
	if err := ReportAims(t.Context(), &out, dir(t), []string{"debd_kdd"}, patchwork.RuleMax, 1, o); err == nil ||
		!strings.Contains(err.Error(), "plants msnbc") {
		t.Errorf("a table that is not there: %v", err)
	}
	if err := ReportAims(t.Context(), &out, dir(t), []string{"kdd"}, patchwork.RuleMax, 1, o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"spect, 1 splits", "| max | ", "| mean | ", "| 0.455 |", "rule chosen on",
		"| mixture | ", "| truncated SVD", "± ", "| kdd | 0.0"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if err := Report(t.Context(), &out, dir(t), "nosuch", Options{}); err == nil ||
		!strings.Contains(err.Error(), "votes") {
		t.Errorf("no such table: %v", err)
	}
}
