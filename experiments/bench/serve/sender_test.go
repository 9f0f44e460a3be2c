package serve

import (
	"context"
	"fmt"
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
	good     []float64 // milliseconds from when each should have been sent
	busy     []float64 // milliseconds until it was answered 503
	bad      int       // answered otherwise, or not at all
	badFirst string    // the first of these
}

func (r *result) total() int { return len(r.good) + len(r.busy) + r.bad }

// achieved returns the rate of good answers.
func (r *result) achieved() float64 { return float64(len(r.good)) / r.took.Seconds() }

// p99 returns within how many milliseconds 99 of 100 good answers came.
func (r *result) p99() float64 { return stat.Quantile(r.good, .99) }

// cells returns the times of good answers, and how many there were of others, for a table.
func (r *result) cells() string {
	return fmt.Sprintf("%.1f | %.1f | %.1f | %d | %d", stat.Median(r.good), r.p99(), stat.Quantile(r.good, 1), len(r.busy),
		r.bad)
}

// held reports whether the rate was held: nothing was refused or failed, and answers did
// not become later and later.
func (r *result) held() bool {
	return len(r.busy) == 0 && r.bad == 0 && r.achieved() > 0.97*r.rate && r.p99() <= heldP99
}

// heldP99 is within how many milliseconds 99 of 100 answers of a rate that counts as held must come.
const heldP99 = 250

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
			took := float64(time.Since(due).Microseconds()) / 1000
			<-places
			mu.Lock()
			defer mu.Unlock()
			switch {
			case problem != "":
				r.fail(problem)
			case status == http.StatusServiceUnavailable:
				r.busy = append(r.busy, took)
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
