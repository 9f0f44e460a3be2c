// Command serve measures the load that a patchwork server can take: it sends POST
// /v1/explain at rising rates until the server no longer keeps up, holds the highest rate
// that it kept up with for some minutes, and then sends twice as many requests, which must
// be answered by 503 and nothing worse.
//
//	go run ./experiments/bench/serve -hold 10m
//	go run ./experiments/bench/serve -attack 10m
//
// With -attack the server gets 4 GB of addresses and GOMEMLIMIT=1GiB and is attacked in every
// way that is known, while a client with good manners must be answered.
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
)

// plan is what to measure.
type plan struct {
	binary, model, data string
	images              int
	step, hold, over    time.Duration
	limit               time.Duration
	first, rate         float64
	attack              time.Duration
	hostile             string
}

func main() {
	var p plan
	flag.StringVar(&p.binary, "binary", "", "patchwork to run (default: built from this repository)")
	flag.StringVar(&p.model, "model", "letter-t", "built-in model to explain with")
	flag.StringVar(&p.data, "data", "letters-t", "built-in data set to explain")
	flag.IntVar(&p.images, "images", 1, "images per request")
	flag.DurationVar(&p.step, "step", 5*time.Second, "how long each rate is tried")
	flag.DurationVar(&p.hold, "hold", 10*time.Minute, "how long the highest rate is held")
	flag.DurationVar(&p.over, "overload", 20*time.Second, "how long twice that rate is sent")
	flag.DurationVar(&p.limit, "p99", 250*time.Millisecond,
		"a rate counts as held as long as 99 of 100 answers come within this")
	flag.Float64Var(&p.first, "first", 50, "the first rate to try, in requests per second")
	flag.Float64Var(&p.rate, "rate", 0, "hold this rate instead of the highest")
	flag.DurationVar(&p.attack, "attack", 0,
		"attack the server for so long instead, and say what a client with good manners sees")
	flag.StringVar(&p.hostile, "hostile", "", "folder of more files to upload in the attack")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := p.run(ctx, os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		stop()
		os.Exit(1)
	}
}

func (p *plan) run(ctx context.Context, w io.Writer, args []string) error {
	begin := start
	if p.attack > 0 {
		begin = startBounded
	}
	s, err := begin(ctx, p.binary, args)
	if err != nil {
		return err
	}
	l := &load{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512, MaxConnsPerHost: 0}}}
	if p.attack > 0 {
		err = p.withstand(ctx, w, s, l)
	} else {
		err = p.measure(ctx, w, s, l)
	}
	if stopped := s.stop(); err == nil && ctx.Err() == nil {
		err = stopped
	}
	return err
}

func (p *plan) measure(ctx context.Context, w io.Writer, s *server, l *load) error {
	if err := l.prepare(ctx, s.url, p.model, p.data, p.images); err != nil {
		return err
	}
	fmt.Fprintf(w, "POST /v1/explain, model %s, %d image(s) per request; %s, %d processors, load and server on one "+
		"machine\n\n", p.model, p.images, runtime.Version(), runtime.NumCPU())
	fmt.Fprintln(w, "| phase | requests/s sent | answered | p50 ms | p99 ms | max ms | 503 | errors | resident MB |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	rate := p.rate
	if rate == 0 {
		rate = p.climb(ctx, w, s, l)
	}
	if rate == 0 {
		return fmt.Errorf("the first rate, %.0f requests a second, is already too much; give a lower -first", p.first)
	}
	for p.rate == 0 && ctx.Err() == nil && !watch(ctx, w, s, l, "longer", rate, 4*p.step).held(p.limit) {
		rate *= 0.9 // a rate held for seconds may not be held for minutes
	}
	before := s.resident()
	held := watch(ctx, w, s, l, "hold", rate, p.hold)
	after := s.resident()
	over := watch(ctx, w, s, l, "overload", 2*rate, p.over)
	if err := ctx.Err(); err != nil {
		return err
	}
	// Overload must leave nothing behind.
	last := watch(ctx, w, s, l, "afterwards", rate/2, p.step)
	fmt.Fprintf(w, "\nheld %.0f requests/s for %v: %d answered, %d times 503, %d errors, p99 %s ms; resident memory "+
		"%.1f MB before, %.1f MB after\n",
		rate, p.hold, len(held.good), held.busy, held.bad, ms(held.quantile(.99)), mb(before), mb(after))
	fmt.Fprintf(w, "sent %.0f/s: %.0f/s answered, %d times 503 (half of them within %s ms), %d errors\n",
		2*rate, over.achieved(), over.busy, ms(quantile(over.busyTime, .5)), over.bad)
	for _, r := range []*result{held, over, last} {
		if r.bad > 0 {
			return fmt.Errorf("%d requests failed otherwise than by 503, the first: %s", r.bad, r.badFirst)
		}
	}
	return nil
}

// climb tries rising rates and returns the highest that was held, or 0.
// A rate that is not held is tried once more.
func (p *plan) climb(ctx context.Context, w io.Writer, s *server, l *load) float64 {
	best := 0.0
	for rate, factor := p.first, 1.5; ctx.Err() == nil && factor > 1.05; {
		held := false
		for try := 0; try < 2 && !held && ctx.Err() == nil; try++ {
			held = watch(ctx, w, s, l, "climb", rate, p.step).held(p.limit)
		}
		if held {
			best = rate
		} else {
			factor = 1 + (factor-1)/2
			if best == 0 {
				return 0
			}
		}
		rate = best * factor
	}
	return best
}

// watch runs a phase and prints it.
func watch(ctx context.Context, w io.Writer, s *server, l *load, phase string, rate float64, d time.Duration) *result {
	r := l.run(ctx, rate, d)
	fmt.Fprintf(w, "| %s | %.0f | %.0f | %s | %s | %s | %d | %d | %.1f |\n", phase, rate, r.achieved(), ms(r.quantile(.5)),
		ms(r.quantile(.99)), ms(r.quantile(1)), r.busy, r.bad, mb(s.resident()))
	return r
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d.Microseconds())/1000) }

func mb(bytes int64) float64 { return float64(bytes) / 1e6 }
