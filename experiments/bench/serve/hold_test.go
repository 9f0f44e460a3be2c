package serve

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"testing"
	"time"

	"example.com/patchwork/experiments/stat"
)

var holdFor = flag.Duration("hold", 0, "find the highest rate that the server keeps up with, and hold it for so long")

// Twice the highest rate that is held brings nothing worse than 503, and leaves nothing behind.
func TestRateIsHeld(t *testing.T) {
	if *holdFor == 0 {
		t.Skip("a measurement: -args -hold 10m")
	}
	s, err := start(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.cmd.Process.Kill() // if it fails before it is stopped
	l := &load{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512, MaxConnsPerHost: 0}}}
	if err := l.prepare(t.Context(), s.url); err != nil {
		t.Fatal(err)
	}
	if err := measure(t.Context(), t.Output(), s, l, *holdFor); err != nil {
		t.Error(err)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}

// A rate is tried for a step, at first firstRate, in requests per second; twice the highest is sent for overload.
const (
	step      = 5 * time.Second
	overload  = 20 * time.Second
	firstRate = 50.
)

func measure(ctx context.Context, w io.Writer, s *server, l *load, hold time.Duration) error {
	fmt.Fprintf(w, "POST /v1/explain, model %s, one image per request; %s, %d processors, load and server on one "+
		"machine\n\n", model, runtime.Version(), runtime.NumCPU())
	t := stat.NewTable(w, "phase", "requests/s sent", "answered", "p50 ms", "p99 ms", "max ms", "503", "errors",
		"resident MB")
	watch := func(phase string, rate float64, d time.Duration) *result {
		r := l.run(ctx, rate, d)
		t.Row("%s | %.0f | %.0f | %s | %.1f", phase, rate, r.achieved(), r.cells(), mb(s.resident()))
		return r
	}
	rate := climb(ctx, func(rate float64) bool { return watch("climb", rate, step).held() })
	if rate == 0 {
		return fmt.Errorf("the first rate, %.0f requests a second, is already too much", firstRate)
	}
	for ctx.Err() == nil && !watch("longer", rate, 4*step).held() {
		rate *= 0.9 // a rate held for seconds may not be held for minutes
	}
	before := s.resident()
	held := watch("hold", rate, hold)
	after := s.resident()
	over := watch("overload", 2*rate, overload)
	if err := ctx.Err(); err != nil {
		return err
	}
	// Overload must leave nothing behind.
	last := watch("afterwards", rate/2, step)
	fmt.Fprintf(w, "\nheld %.0f requests/s for %v: %d answered, %d times 503, %d errors, p99 %.1f ms; resident memory "+
		"%.1f MB before, %.1f MB after\n",
		rate, hold, len(held.good), len(held.busy), held.bad, held.p99(), mb(before), mb(after))
	fmt.Fprintf(w, "sent %.0f/s: %.0f/s answered, %d times 503 (half of them within %.1f ms), %d errors\n",
		2*rate, over.achieved(), len(over.busy), stat.Median(over.busy), over.bad)
	for _, r := range []*result{held, over, last} {
		if r.bad > 0 {
			return fmt.Errorf("%d requests failed otherwise than by 503, the first: %s", r.bad, r.badFirst)
		}
	}
	return nil
}

// climb tries rising rates and returns the highest that was held, or 0.
// A rate that is not held is tried once more.
func climb(ctx context.Context, held func(rate float64) bool) float64 {
	best := 0.0
	for rate, factor := firstRate, 1.5; ctx.Err() == nil && factor > 1.05; rate = best * factor {
		if held(rate) || ctx.Err() == nil && held(rate) {
			best = rate
		} else if factor = 1 + (factor-1)/2; best == 0 {
			return 0
		}
	}
	return best
}

func mb(bytes int64) float64 { return float64(bytes) / 1e6 }
