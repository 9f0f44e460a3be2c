//go:build !js

package studio

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics holds the metrics of one server, for /metrics.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec   // by route and status
	seconds  *prometheus.HistogramVec // by route
	inFlight prometheus.Gauge
	refusals *prometheus.CounterVec // by reason
	images   prometheus.Counter     // explained
	ended    *prometheus.CounterVec // jobs by how they ended
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "patchwork_http_requests_total", Help: "Requests answered."}, []string{"route", "status"}),
		seconds:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "patchwork_http_request_seconds", Help: "Time to answer, waiting included.", Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "patchwork_http_requests_in_flight", Help: "Requests being answered."}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "patchwork_refused_total", Help: "Requests refused by a guard or limit."}, []string{"reason"}),
		images:   prometheus.NewCounter(prometheus.CounterOpts{Name: "patchwork_images_explained_total", Help: "Images explained on request."}),
		ended:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "patchwork_learn_jobs_total", Help: "Learning jobs that ended."}, []string{"state"}),
	}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.requests, m.seconds, m.inFlight, m.refusals, m.images, m.ended)
	return m
}

func (m *metrics) refused(reason string) { m.refusals.WithLabelValues(reason).Inc() }
func (m *metrics) explained(images int)  { m.images.Add(float64(images)) }
func (m *metrics) learned(state string)  { m.ended.WithLabelValues(state).Inc() }

// watch adds the metrics that are read from the server on request.
func (m *metrics) watch(s *Server) {
	gauge := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	gauge("patchwork_models", "Models kept.", func() float64 { return float64(len(s.models.list())) })
	gauge("patchwork_data_sets", "Data sets kept.", func() float64 { return float64(len(s.data.list())) })
	gauge("patchwork_data_bytes", "Memory of the images of data sets, packed.", func() float64 { return float64(s.data.size()) })
	gauge("patchwork_learn_jobs_running", "Learning jobs running or waiting.", func() float64 { return float64(s.jobs.active()) })
	gauge("patchwork_requests_working", "Requests being processed.", func() float64 { return float64(len(s.work.working)) })
	gauge("patchwork_requests_queued", "Requests that wait for their turn.", func() float64 { return float64(len(s.work.waiting) - len(s.work.working)) })
	gauge("patchwork_body_bytes", "Bytes of request bodies held.", func() float64 { return float64(s.bodies.held.Load()) })
	m.registry.MustRegister(memoryMetrics{s.core})
	gauge("patchwork_event_streams", "Event streams open.", func() float64 { return float64(s.streams.Load()) })
}

// memoryMetrics tells what is held of each kind, and how much may be.
type memoryMetrics struct{ *core }

var (
	heldBytes  = prometheus.NewDesc("patchwork_memory_bytes", "Memory held by kind.", []string{"of"}, nil)
	limitBytes = prometheus.NewDesc("patchwork_memory_limit_bytes", "Memory that may be held by kind.", []string{"of"}, nil)
)

// Describe implements prometheus.Collector.
func (memoryMetrics) Describe(out chan<- *prometheus.Desc) {
	out <- heldBytes
	out <- limitBytes
}

// Collect implements prometheus.Collector.
func (m memoryMetrics) Collect(out chan<- prometheus.Metric) {
	for _, s := range m.shares() {
		out <- prometheus.MustNewConstMetric(heldBytes, prometheus.GaugeValue, float64(s.held), s.of)
		out <- prometheus.MustNewConstMetric(limitBytes, prometheus.GaugeValue, float64(s.limit), s.of)
	}
}
