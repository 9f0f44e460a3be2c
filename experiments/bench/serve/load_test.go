package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// Every request is sent, on time, whatever becomes of the others, and counted by its
// outcome.
func TestLoadCounts(t *testing.T) {
	var n atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		switch i := n.Add(1); {
		case i%10 == 0:
			w.WriteHeader(http.StatusServiceUnavailable)
		case i == 5:
			w.WriteHeader(http.StatusTeapot)
		case i == 7:
			time.Sleep(300 * time.Millisecond)
		}
	}))
	defer site.Close()
	l := &load{client: site.Client(), url: site.URL, bodies: [][]byte{[]byte("{}")}}
	r := l.run(t.Context(), 200, 500*time.Millisecond)
	if r.total() != 100 || len(r.busy) != 10 || r.bad != 1 || len(r.good) != 89 {
		t.Errorf("%d requests: %d good, %d busy, %d bad", r.total(), len(r.good), len(r.busy), r.bad)
	}
	if r.badFirst == "" || r.held() {
		t.Errorf("a failing rate counts as held; first problem %q", r.badFirst)
	}
	if most := slices.Max(r.good); most < 300 || r.p99() > most {
		t.Errorf("the slowest took %v ms, 99 of 100 at most %v", most, r.p99())
	}
}

// A latency counts from when the request should have been sent.
func TestLatencyIncludesWaiting(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer site.Close()
	l := &load{client: site.Client(), url: site.URL, bodies: [][]byte{nil}}
	if r := l.run(t.Context(), 100, 200*time.Millisecond); len(r.good) != 20 || r.achieved() > 110 {
		t.Errorf("%d good at %.0f a second", len(r.good), r.achieved())
	}
}
