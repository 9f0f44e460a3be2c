package scenes

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestScenesAreResolved is a small version of the ledger's experiment, on the
// project's own digits: with little overlap and noise, every pursuit that the
// paper recommends must find the truth.
func TestScenesAreResolved(t *testing.T) {
	row, err := Run(t.Context(), Setting{Side: 100, Flip: .05}, Options{Scenes: 8, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for v, variant := range Variants {
		if name := variant.Name; name != "truncated" && name != "hybrid" {
			continue
		}
		if row.Right[v] < 7./8 {
			t.Errorf("%s: %.2f of 8 easy scenes right, %.1f picks a scene", variant.Name, row.Right[v], row.Picks[v])
		}
	}
	if row.Overlap <= 0 || row.Overlap >= .5 {
		t.Errorf("overlap %.2f of scenes of 100 x 100", row.Overlap)
	}
}

// TestHybridHelps: with crowding and noise the hybrid must not be worse than
// its greedy first step.
func TestHybridHelps(t *testing.T) {
	row, err := Run(t.Context(), Setting{Side: 48, Flip: .15}, Options{Scenes: 10, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	if truncated, hybrid := row.Right[0], row.Right[4]; hybrid < truncated {
		t.Errorf("hybrid right in %.2f of the scenes, truncated in %.2f", hybrid, truncated)
	}
}

func TestReportEndsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if err := Report(ctx, &out, Options{Scenes: 1}); err == nil {
		t.Error("a cancelled report claims success")
	}
	if !strings.HasPrefix(out.String(), "| side, flips") {
		t.Errorf("the table begins %q", out.String())
	}
}
