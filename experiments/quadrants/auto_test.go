package quadrants

import (
	"bytes"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// TestAutoFindsEight is a small version of the ledger: from 200 images the
// number eight is found.
func TestAutoFindsEight(t *testing.T) {
	testenv.Slow(t)
	row, err := Auto(t.Context(), Options{N: 200, Sets: 2, Seed: 11, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if row.Found != 1 || row.AllS != 1 || row.Chosen[8] != 2 || row.Took <= 0 {
		t.Errorf("two sets of 200: %+v", row)
	}
}

func TestReportAuto(t *testing.T) {
	var out bytes.Buffer
	if err := ReportAuto(t.Context(), &out, []Options{{N: 20, Sets: 1, Seed: 1}}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 3 || !strings.Contains(out.String(), "| 20 | 1 |") {
		t.Errorf("report:\n%s", out.String())
	}
	if err := ReportAuto(t.Context(), &out, []Options{{N: 0, Sets: 1}}); err == nil {
		t.Error("no images, no error")
	}
}
