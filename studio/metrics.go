//go:build !js

package studio

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// metrics counts what one server does, and tells it in the text form of Prometheus.
type metrics struct {
	inFlight atomic.Int64

	mu     sync.Mutex
	counts map[string]map[string]int64 // of each counter, by labels
	times  map[string]*times           // by route
}

// seconds are the upper ends of the classes of times.
var seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// times are those to answer one route; the last count is of all.
type times struct {
	counts []int64
	sum    float64
}

// The counters.
const (
	requestsTotal = "patchwork_http_requests_total"
	refusedTotal  = "patchwork_refused_total"
	imagesTotal   = "patchwork_images_explained_total"
	jobsTotal     = "patchwork_learn_jobs_total"
)

var helpOfCounters = map[string]string{requestsTotal: "Requests answered.",
	refusedTotal: "Requests refused by a guard or limit.",
	imagesTotal:  "Images explained on request.", jobsTotal: "Learning jobs that ended."}

func newMetrics() *metrics {
	m := &metrics{counts: map[string]map[string]int64{}, times: map[string]*times{}}
	for name := range helpOfCounters {
		m.counts[name] = map[string]int64{}
	}
	m.counts[imagesTotal][""] = 0
	return m
}

func (m *metrics) count(name, labels string, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[name][labels] += int64(n)
}

func (m *metrics) refused(reason string) {
	m.count(refusedTotal, fmt.Sprintf("{reason=%q}", reason), 1)
}
func (m *metrics) explained(images int) { m.count(imagesTotal, "", images) }
func (m *metrics) learned(state string) { m.count(jobsTotal, fmt.Sprintf("{state=%q}", state), 1) }

// answered counts a request.
func (m *metrics) answered(route string, status int, took time.Duration) {
	m.count(requestsTotal, fmt.Sprintf("{route=%q,status=\"%d\"}", route, status), 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.times[route]
	if t == nil {
		t = &times{counts: make([]int64, len(seconds)+1)}
		m.times[route] = t
	}
	t.sum += took.Seconds()
	for i := range t.counts {
		if i == len(seconds) || took.Seconds() <= seconds[i] {
			t.counts[i]++
		}
	}
}

// write writes all metrics.
func (m *metrics) write(w io.Writer, s *Server) {
	var b bytes.Buffer
	for _, g := range s.gauges() {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n%s %d\n", g.name, g.help, g.name, g.name, g.value)
	}
	fmt.Fprintf(&b, "# HELP patchwork_memory_bytes Memory held by kind.\n# TYPE patchwork_memory_bytes gauge\n")
	for _, x := range s.shares() {
		fmt.Fprintf(&b, "patchwork_memory_bytes{of=%q} %d\n", x.of, x.held)
	}
	fmt.Fprintf(&b, "# HELP patchwork_memory_limit_bytes Memory that may be held by kind.\n# TYPE "+
		"patchwork_memory_limit_bytes gauge\n")
	for _, x := range s.shares() {
		fmt.Fprintf(&b, "patchwork_memory_limit_bytes{of=%q} %d\n", x.of, x.limit)
	}
	m.mu.Lock()
	for _, name := range slices.Sorted(maps.Keys(m.counts)) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s counter\n", name, helpOfCounters[name], name)
		for _, labels := range slices.Sorted(maps.Keys(m.counts[name])) {
			fmt.Fprintf(&b, "%s%s %d\n", name, labels, m.counts[name][labels])
		}
	}
	const name = "patchwork_http_request_seconds"
	fmt.Fprintf(&b, "# HELP %s Time to answer, waiting included.\n# TYPE %s histogram\n", name, name)
	for _, route := range slices.Sorted(maps.Keys(m.times)) {
		t := m.times[route]
		for i, end := range seconds {
			fmt.Fprintf(&b, "%s_bucket{route=%q,le=\"%v\"} %d\n", name, route, end, t.counts[i])
		}
		all := t.counts[len(seconds)]
		fmt.Fprintf(&b, "%s_bucket{route=%q,le=\"+Inf\"} %d\n%s_sum{route=%q} %v\n%s_count{route=%q} %d\n", name, route, all,
			name, route, t.sum, name, route, all)
	}
	m.mu.Unlock()
	w.Write(b.Bytes()) // an error means that the client has disconnected
}

// gauge is a metric that is read from the server on request.
type gauge struct {
	name, help string
	value      int64
}

func (s *Server) gauges() []gauge {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	working := len(s.work.working)
	return []gauge{
		{"go_goroutines", "Goroutines.", int64(runtime.NumGoroutine())},
		{"go_memstats_alloc_bytes", "Memory in use.", int64(memory.Alloc)},
		{"go_memstats_sys_bytes", "Memory from the system.", int64(memory.Sys)},
		{"patchwork_models", "Models kept.", int64(len(s.models.list()))},
		{"patchwork_data_sets", "Data sets kept.", int64(len(s.data.list()))},
		{"patchwork_data_bytes", "Memory of the images of data sets, packed.", s.data.size()},
		{"patchwork_learn_jobs_running", "Learning jobs running or waiting.", int64(s.jobs.active())},
		{"patchwork_http_requests_in_flight", "Requests being answered.", s.metrics.inFlight.Load()},
		{"patchwork_requests_working", "Requests being processed.", int64(working)},
		{"patchwork_requests_queued", "Requests that wait for their turn.", int64(max(0, len(s.work.waiting)-working))},
		{"patchwork_body_bytes", "Bytes of request bodies held.", s.bodies.held.Load()},
		{"patchwork_event_streams", "Event streams open.", s.streams.Load()},
	}
}
