// Command serve measures the load that a patchwork server can take: it sends POST
// /v1/explain at rising rates until the server no longer keeps up, holds the highest rate
// that it kept up with for some minutes, and then sends twice as many requests, which must
// be answered by 503 and nothing worse.
//
//	go run ./experiments/bench/serve -hold 10m
//
// A test attacks such a server, with 4 GB of addresses and GOMEMLIMIT=1GiB, in every way that is known, while a client
// with good manners must be answered:
//
//	go test ./experiments/bench/serve -run Attack -v -timeout 30m -args -attack 10m
//
// The server is a process of its own on this machine, so the load uses a part of the
// processors that it measures.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"example.com/patchwork/experiments/stat"
)

func main() {
	hold := flag.Duration("hold", 10*time.Minute, "how long the highest rate is held")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *hold); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, hold time.Duration) error {
	s, err := start(ctx, false)
	if err != nil {
		return err
	}
	l := &load{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512, MaxConnsPerHost: 0}}}
	if err = l.prepare(ctx, s.url); err == nil {
		err = measure(ctx, w, s, l, hold)
	}
	if stopped := s.stop(); err == nil && ctx.Err() == nil {
		err = stopped
	}
	return err
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
