// Package studio serves models over HTTP: an API that explains, scores, samples
// and learns, and the page that uses it.
//
// The API is described at /openapi.json (OpenAPI 3.1) and in docs/serve.md.
// Everything that a request can demand, and everything that is kept, is bounded
// (Limits); requests beyond a limit are refused with a problem (RFC 9457) that
// says so. Nothing is written to disk and nothing leaves the machine.
package studio

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
)

// Options says what a Server serves. The zero value serves the built-in models.
type Options struct {
	Models  []NamedModel // besides the built-in ones
	Data    []NamedData
	Real    []NamedReal // for the page of real values
	Version string      // of the program

	// Token, if not empty, must be sent with every request to /v1 and /metrics,
	// as Authorization: Bearer TOKEN.
	Token string

	// Hosts lists names of the server besides localhost and IP addresses: a
	// request with another Host header is refused (DNS rebinding).
	Hosts []string

	NoLearn   bool // no learning on request
	NoUpload  bool // no uploads of models and data
	NoBuiltin bool // without the built-in models

	Limits Limits
	Log    *slog.Logger // nil: nothing is logged
}

// NamedModel is a model to serve.
type NamedModel struct {
	Name  string
	Model *patchwork.Model
}

// NamedData is a data set to serve.
type NamedData struct {
	Name string // preferably that of its file
	Set  *dataset.Set
	Args []string // flags of patchwork learn that read the file the same way
}

// Server is the API and the page. Make one with New, and Close it.
type Server struct {
	version           string
	token             string
	hosts             []string
	noLearn, noUpload bool
	limits            Limits
	log               *slog.Logger

	real     []NamedReal
	learning sync.Mutex // of models of real
	models   *models
	pursuits pursuits
	classes  learnedClasses
	data     *library
	jobs     *jobs
	metrics  *metrics
	work     *gate
	uploads  *gate // decoding uploads takes memory: one at a time
	flight   atomic.Int64
	streams  atomic.Int64

	closing context.Context // ends when the server stops
	close   context.CancelFunc
	tasks   sync.WaitGroup

	building atomic.Pointer[string] // what is still being learned; nil: the server is ready

	mux     *http.ServeMux
	handler http.Handler
	spec    []byte
}

// New returns a server and starts learning the built-in models in the
// background. The error says which limit, model or data set is invalid.
func New(opt Options) (*Server, error) {
	s := &Server{version: opt.Version, token: opt.Token, real: slices.Clone(opt.Real), noLearn: opt.NoLearn, noUpload: opt.NoUpload,
		limits: opt.Limits.WithDefaults(), log: opt.Log, metrics: newMetrics()}
	if err := s.limits.validate(); err != nil {
		return nil, err
	}
	for _, h := range opt.Hosts {
		s.hosts = append(s.hosts, strings.ToLower(strings.TrimSuffix(h, ".")))
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.closing, s.close = context.WithCancel(context.Background())
	s.work, s.uploads = newGate(s.limits.Concurrent, s.limits.Queue), newGate(1, 4)
	s.models, s.data, s.jobs = newModels(s.limits.Models, s.limits.ModelBytes), newLibrary(s.limits.Data, s.limits.DataBytes), newJobs(s)
	s.pursuits.space = s.limits.SearchBytes
	s.metrics.watch(s)
	if err := s.take(&opt); err != nil {
		s.close()
		return nil, err
	}
	if err := s.routes(); err != nil {
		s.close()
		return nil, err
	}
	if !opt.NoBuiltin {
		s.build()
	}
	return s, nil
}

// take adds the operator's models and data.
func (s *Server) take(opt *Options) error {
	for i := range opt.Data {
		if err := s.data.keep(&data{name: opt.Data[i].Name, set: opt.Data[i].Set, files: []string{opt.Data[i].Name}, args: opt.Data[i].Args, fixed: true}); err != nil {
			return err
		}
	}
	for _, m := range opt.Models {
		columns := m.Model.Extras().Columns
		for j := 0; columns == nil && j < len(opt.Data); j++ {
			columns = namesFor(m.Model, opt.Data[j].Set)
		}
		named, err := withColumns(m.Model, columns)
		if err != nil {
			return err // they fit
		}
		if err := s.models.keep(&model{name: m.Name, source: "file", m: named, fixed: true}); err != nil {
			return err
		}
	}
	return nil
}

// namesFor returns the column names of a set if it fits the model, or nil.
func namesFor(m *patchwork.Model, set *dataset.Set) []string {
	if set.Table && m.Height() == 1 && len(set.Columns) == m.Width() {
		return set.Columns
	}
	return nil
}

// withColumns returns the model with names of its columns, or without for nil.
func withColumns(m *patchwork.Model, columns []string) (*patchwork.Model, error) {
	extras := m.Extras()
	extras.Columns = columns
	return m.WithExtras(extras)
}

// routes builds the handler.
func (s *Server) routes() error {
	s.mux = http.NewServeMux()
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{OpenAPI: "3.1.0", Components: &huma.Components{Schemas: registry},
			Info: &huma.Info{Title: "Patchwork studio", Version: s.version, Description: "Explain binary images by a few parts (fields of this API call a part expert), and learn such parts."}},
		Formats: huma.DefaultFormats, DefaultFormat: "application/json", RejectUnknownQueryParameters: true,
		Transformers: []huma.Transformer{s.finishProblem},
	}
	if s.token != "" {
		config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
		config.Security = []map[string][]string{{"token": {}}}
	}
	api := humago.New(s.mux, config)
	s.modelRoutes(api)
	s.dataRoutes(api)
	s.explainRoutes(api)
	s.classifyRoutes(api)
	s.sampleRoutes(api)
	s.findRoutes(api)
	s.learnRoutes(api)
	s.ruleRoutes(api)
	s.serverRoutes(api)
	s.realRoutes()
	correct(api.OpenAPI())
	if err := s.plainRoutes(api); err != nil {
		return err
	}
	s.handler = s.observe(s.guard(s.dispatch()))
	return nil
}

// dispatch reads the body of requests with a route, and answers the others.
func (s *Server) dispatch() http.Handler {
	found := s.read(s.mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Event streams set their own. An error means no deadline, as in tests.
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.limits.Time + s.limits.ReadTime + time.Minute))
		h, pattern := s.mux.Handler(r)
		if pattern != "" {
			found.ServeHTTP(w, r)
			return
		}
		answer := &dry{header: http.Header{}}
		h.ServeHTTP(answer, r)
		if answer.status != http.StatusMethodNotAllowed {
			writeProblem(w, r, problemf(http.StatusNotFound, "there is nothing at %.100q; /openapi.json describes the API", r.URL.Path))
			return
		}
		allow := answer.header.Get("Allow")
		w.Header().Set("Allow", allow)
		writeProblem(w, r, problemf(http.StatusMethodNotAllowed, "%.20s is not allowed for %.100q; use %s", r.Method, r.URL.Path, allow))
	})
}

// dry is a response writer that discards everything.
type dry struct {
	header http.Header
	status int
}

func (d *dry) Header() http.Header         { return d.header }
func (d *dry) WriteHeader(status int)      { d.status = status }
func (d *dry) Write(p []byte) (int, error) { return len(p), nil }

// route returns the pattern that matches a request, for metrics.
func (s *Server) route(r *http.Request) string {
	_, pattern := s.mux.Handler(r)
	if pattern == "" {
		return "other"
	}
	return pattern
}

// Handler returns the whole server as a handler, guards included.
func (s *Server) Handler() http.Handler { return s.handler }

// Ready returns what the server still waits for, or "" if it is ready.
func (s *Server) Ready() string {
	if what := s.building.Load(); what != nil {
		return *what
	}
	return ""
}

// drainTime is the time that current requests have to finish when the server
// stops.
const drainTime = 10 * time.Second

// Serve answers on a listener until the context ends, then drains: it accepts
// no new connections, lets current requests finish and cancels learning.
// certFile and keyFile, both or neither, make it HTTPS. The error is nil after
// draining. The server cannot be used again.
func (s *Server) Serve(ctx context.Context, ln net.Listener, certFile, keyFile string) error {
	srv := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() {
		if certFile != "" {
			failed <- srv.ServeTLS(ln, certFile, keyFile)
		} else {
			failed <- srv.Serve(ln)
		}
	}()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		s.log.Info("stopping", "reason", context.Cause(ctx).Error())
		s.jobs.closeStreams()
		drain, cancel := context.WithTimeout(context.Background(), drainTime)
		defer cancel()
		if err = srv.Shutdown(drain); errors.Is(err, context.DeadlineExceeded) {
			err = srv.Close() // cuts off unfinished requests
		}
	}
	s.Close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Close cancels all learning and waits for it to end.
func (s *Server) Close() {
	s.jobs.closeStreams()
	s.close()
	s.tasks.Wait()
}

// operation returns the description of an operation; the id is its name in
// client code.
func operation(method, path, id, summary string, status int) huma.Operation {
	return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, DefaultStatus: status}
}

type serverLimits struct {
	BodyBytes   int64   `json:"body_bytes"`
	UploadBytes int64   `json:"upload_bytes"`
	Pixels      int     `json:"pixels" doc:"of one image"`
	Batch       int     `json:"batch" doc:"images in one request"`
	Samples     int     `json:"samples" doc:"in one request"`
	LearnImages int     `json:"learn_images" doc:"in one job"`
	Seconds     float64 `json:"seconds" doc:"time limit of a request"`
	Models      int     `json:"models" doc:"maximum number of uploaded and learned models"`
	Data        int     `json:"data" doc:"uploaded data sets kept"`
	Jobs        int     `json:"jobs" doc:"kept"`
	Concurrent  int     `json:"concurrent" doc:"requests processed at a time"`
	Queue       int     `json:"queue" doc:"requests that wait"`
}

type serverInfo struct {
	Body struct {
		Version       string       `json:"version"`
		GoVersion     string       `json:"go_version"`
		TokenRequired bool         `json:"token_required"`
		Learn         bool         `json:"learn"`
		Upload        bool         `json:"upload"`
		Ready         bool         `json:"ready" doc:"false while built-in models are being learned"`
		Limits        serverLimits `json:"limits"`
	}
}

func (s *Server) serverRoutes(api huma.API) {
	huma.Register(api, operation("GET", "/v1/server", "server", "What this server is and allows", 200),
		func(context.Context, *struct{}) (*serverInfo, error) {
			l, out := &s.limits, new(serverInfo)
			b := &out.Body
			b.Version, b.GoVersion, b.TokenRequired, b.Learn, b.Upload, b.Ready = s.version, runtime.Version(), s.token != "", !s.noLearn, !s.noUpload, s.Ready() == ""
			b.Limits = serverLimits{l.BodyBytes, l.UploadBytes, l.Pixels, l.Batch, l.Samples, l.LearnImages, l.Time.Seconds(), l.Models, l.Data, l.Jobs, l.Concurrent, l.Queue}
			return out, nil
		})
}
