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
	for set := range 2 {
		r, err := Learn(t.Context(), Options{N: 200, Seed: 11, Workers: 2, Count: true}, set)
		if err != nil || r.Experts != 8 || !r.all() {
			t.Errorf("set %d of 200: %+v, %v", set, r, err)
		}
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
