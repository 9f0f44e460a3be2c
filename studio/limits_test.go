package studio

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/patchwork/internal/testenv"
)

// TestWaiting: requests wait for those that are worked on.
func TestWaiting(t *testing.T) {
	s := newServer(t, func(o *Options) { o.bound = func(b *bounds) { b.Concurrent = 1 } })
	s.work <- struct{}{} // takes the only slot
	codes := make(chan int, 2)
	for range 2 {
		go func() {
			codes <- request{path: "/v1/explain", body: `{"model":"m1","images":[` + one + `]}`}.send(t, s).Code
		}()
	}
	if w := (request{path: "/healthz"}).send(t, s); w.Code != 200 || len(codes) > 0 {
		t.Errorf("while busy: %d, %d answers", w.Code, len(codes))
	}
	<-s.work
	if a, b := <-codes, <-codes; a != 200 || b != 200 {
		t.Errorf("those who waited got %d and %d", a, b)
	}
}

// TestRequestTimeLimit: a request that waits too long is answered, and so is one
// whose client has disconnected.
func TestRequestTimeLimit(t *testing.T) {
	s := newServer(t, func(o *Options) { o.bound = func(b *bounds) { b.Concurrent = 1; b.Time = 20 * time.Millisecond } })
	s.work <- struct{}{}
	w := request{path: "/v1/explain", body: `{"model":"m1","images":[` + one + `]}`}.send(t, s)
	if w.Code != 503 || !strings.Contains(w.Body.String(), "20ms") || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestConcurrentRequests sends requests of all kinds at the same time, for the race
// detector.
func TestConcurrentRequests(t *testing.T) {
	s := newServer(t, func(o *Options) { o.bound = func(b *bounds) { b.Concurrent = 3 } })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, r := range []request{
				{path: "/v1/explain", body: `{"model":"m1","images":[` + one + `],"detail":true,"predict":true}`},
				{path: "/v1/sample", body: `{"model":"m2","n":2}`},
				{path: "/v1/models"}, {path: "/v1/data"}, {path: "/v1/server"}, {path: "/openapi.json"},
				{path: "/v1/models/m1/overview?data=d1"}, {path: "/v1/models/m2/gallery.png"},
				{path: "/v1/models"},
				{path: "/v1/data?name=a.csv", body: "1,0\n0,1\n"},
			} {
				if w := r.send(t, s); w.Code >= 300 {
					t.Errorf("%s: %d %s", r.path, w.Code, w.Body)
				}
			}
			w := request{path: "/v1/learn", body: `{"data":"d1","experts":1,"starts":2,"shift":1}`}.send(t, s)
			if w.Code != 202 && w.Code != 503 {
				t.Errorf("learn: %d %s", w.Code, w.Body)
			}
		})
	}
	all.Wait()
	for s.jobs.active() > 0 {
		time.Sleep(time.Millisecond)
	}
}

// Limits that are too small are named; all bounds follow from the four, and grow with them.
func TestLimits(t *testing.T) {
	for _, l := range []Limits{{Upload: 1}, {Memory: 1 << 20}, {Jobs: 3}, {Time: -time.Second}} {
		if _, err := New(Options{NoBuiltin: true, Limits: l}); err == nil || !testenv.Said(t, err.Error()) {
			t.Errorf("%v", err)
		}
	}
	small, usual := reflect.ValueOf(least.bounds()), reflect.ValueOf(Limits{}.WithDefaults().bounds())
	for f := range fieldsOf(small.Type()) {
		if a, b := small.FieldByIndex(f.Index), usual.FieldByIndex(f.Index); a.CanInt() &&
			(a.Int() < 1 || a.Int() > b.Int()) {
			t.Errorf("%s is %v at least and %v by default", f.Name, a, b)
		}
	}
	b := Limits{}.WithDefaults().bounds()
	kept := b.ModelBytes + b.DataBytes + 4*b.RecalledBytes
	if kept > 768e6 {
		t.Errorf("%d bytes are kept, more than the limit", kept)
	}
}

// complaintOf returns what the answer to a refused request says.
func complaintOf(w *httptest.ResponseRecorder) string {
	var problem struct{ Detail string }
	if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil {
		return w.Body.String()
	}
	return problem.Detail
}
