package main

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"example.com/patchwork/experiments/stat"
)

// load sends requests at a fixed rate, whatever becomes of them.
type load struct {
	client *http.Client
	url    string
	bodies [][]byte // sent in turn
}

// most is the largest number of requests in progress; further ones are not sent, and count
// as errors.
const most = 8192

// result is the outcome of requests.
type result struct {
	rate     float64 // requests sent per second
	took     time.Duration
	good     []time.Duration // from when each should have been sent, sorted
	busy     int             // answered 503
	bad      int             // answered otherwise, or not at all
	badFirst string          // the first of these
	busyTime []time.Duration // how long 503 took
}

func (r *result) total() int { return len(r.good) + r.busy + r.bad }

// achieved returns the rate of good answers.
func (r *result) achieved() float64 { return float64(len(r.good)) / r.took.Seconds() }

// quantile returns a quantile of how long good answers took.
func (r *result) quantile(q float64) time.Duration { return quantile(r.good, q) }

// quantile returns a quantile of times; 0 if there are none.
func quantile(took []time.Duration, q float64) time.Duration {
	if len(took) == 0 {
		return 0
	}
	x := make([]float64, len(took))
	for i, t := range took {
		x[i] = float64(t)
	}
	return time.Duration(stat.Quantile(x, q))
}

// held reports whether the rate was held: nothing was refused or failed, and answers did
// not become later and later.
func (r *result) held(limit time.Duration) bool {
	return r.busy == 0 && r.bad == 0 && r.achieved() > 0.97*r.rate && r.quantile(.99) <= limit
}

// run sends requests at a rate for some time and waits for all answers. A latency counts
// from when the request should have been sent, so that a slow server does not slow the
// requests down (coordinated omission).
func (l *load) run(ctx context.Context, rate float64, duration time.Duration) *result {
	r := &result{rate: rate}
	var mu sync.Mutex
	var wait sync.WaitGroup
	places := make(chan struct{}, most)
	began := time.Now()
	n := int(rate * duration.Seconds())
	for i := range n {
		due := began.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		time.Sleep(time.Until(due))
		if ctx.Err() != nil {
			break
		}
		select {
		case places <- struct{}{}:
		default:
			mu.Lock()
			r.fail("too many requests in progress")
			mu.Unlock()
			continue
		}
		wait.Go(func() {
			status, problem := l.send(ctx, i)
			took := time.Since(due)
			<-places
			mu.Lock()
			defer mu.Unlock()
			switch {
			case problem != "":
				r.fail(problem)
			case status == http.StatusServiceUnavailable:
				r.busy++
				r.busyTime = append(r.busyTime, took)
			default:
				r.good = append(r.good, took)
			}
		})
	}
	wait.Wait()
	r.took = time.Since(began)
	return r
}

func (r *result) fail(problem string) {
	if r.bad++; r.badFirst == "" {
		r.badFirst = problem
	}
}

// send sends request i and reads the answer. The problem is "" for 200 and 503.
func (l *load) send(ctx context.Context, i int) (status int, problem string) {
	res, err := l.post(ctx, l.url, l.bodies[i%len(l.bodies)])
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusServiceUnavailable {
		return res.StatusCode, res.Status + " " + string(text[:min(len(text), 200)])
	}
	return res.StatusCode, ""
}
