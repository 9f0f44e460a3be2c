//go:build !js

package studio

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// metrics counts what one server does, and tells it in the text form of Prometheus.
type metrics struct {
	inFlight atomic.Int64

	mu     sync.Mutex
	counts map[string]float64 // by name and labels
}

// newMetrics returns metrics that tell the number of images before there are any.
func newMetrics() *metrics { return &metrics{counts: map[string]float64{imagesTotal: 0}} }

func (m *metrics) count(series string, n float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[series] += n
}

// answered counts a request, and the time to answer it, waiting included.
func (m *metrics) answered(route string, status int, took time.Duration) {
	m.count(fmt.Sprintf("patchwork_http_requests_total{route=%q,status=\"%d\"}", route, status), 1)
	m.count(fmt.Sprintf("patchwork_http_request_seconds_sum{route=%q}", route), took.Seconds())
	m.count(fmt.Sprintf("patchwork_http_request_seconds_count{route=%q}", route), 1)
}

// write writes all metrics.
func (m *metrics) write(w io.Writer, s *Server) {
	all := s.gauges()
	m.mu.Lock()
	maps.Copy(all, m.counts)
	m.mu.Unlock()
	var b bytes.Buffer
	last := ""
	for _, series := range slices.Sorted(maps.Keys(all)) {
		name, _, _ := strings.Cut(series, "{")
		if name != last {
			kind := "gauge"
			if strings.HasSuffix(name, "_total") || strings.HasSuffix(name, "_sum") || strings.HasSuffix(name, "_count") {
				kind = "counter"
			}
			fmt.Fprintf(&b, "# TYPE %s %s\n", name, kind)
			last = name
		}
		fmt.Fprintf(&b, "%s %s\n", series, strconv.FormatFloat(all[series], 'f', -1, 64))
	}
	w.Write(b.Bytes()) // an error means that the client has disconnected
}

// gauges returns the metrics that are read from the server on request.
func (s *Server) gauges() map[string]float64 {
	working := len(s.work.working)
	all := map[string]float64{
		"patchwork_models":                  float64(len(s.models.list())),
		"patchwork_memory_bytes":            float64(s.models.size() + s.data.size()),
		"patchwork_data_sets":               float64(len(s.data.list())),
		"patchwork_learn_jobs_running":      float64(s.jobs.active()),
		"patchwork_http_requests_in_flight": float64(s.metrics.inFlight.Load()),
		"patchwork_requests_working":        float64(working),
		"patchwork_requests_queued":         float64(max(0, len(s.work.waiting)-working)),
	}
	return all
}
