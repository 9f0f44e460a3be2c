//go:build !js

package studio

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Server is the API and the page. Make one with New, and Close it.
type Server struct {
	*core
	token   string
	hosts   []string
	metrics *metrics

	mux     *http.ServeMux
	handler http.Handler
	spec    []byte
}

// New returns a server and starts learning the built-in models in the
// background. The error says which limit, model or data set is invalid.
func New(opt Options) (*Server, error) {
	s := &Server{token: opt.Token, metrics: newMetrics()}
	for _, h := range opt.Hosts {
		s.hosts = append(s.hosts, strings.ToLower(strings.TrimSuffix(h, ".")))
	}
	var err error
	if s.core, err = newCore(&opt, s.metrics); err != nil {
		return nil, err
	}
	s.metrics.watch(s)
	if err := s.routes(); err != nil {
		s.close()
		return nil, err
	}
	if !opt.NoBuiltin {
		s.build()
	}
	return s, nil
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
	api.OpenAPI().Components.Schemas.RegisterTypeAlias(reflect.TypeFor[nats](), reflect.TypeFor[natsSchema]())
	for _, describe := range s.described {
		describe(api)
	}
	correct(api.OpenAPI())
	if err := s.plainRoutes(api); err != nil {
		return err
	}
	s.handler = s.observe(s.guard(s.dispatch()))
	return nil
}

// dispatch reads the body of requests with a route, and answers the others.
func (s *Server) dispatch() http.Handler {
	found, in := s.read(s.mux), map[string]reflect.Type{}
	for i := range s.operations {
		r := &s.operations[i]
		in[r.method+" "+r.path] = r.in
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, pattern := s.mux.Handler(r)
		if of, ok := in[pattern]; ok && r.URL.RawQuery != "" {
			if err := repeated(of, r.URL.Query()); err != nil {
				writeProblem(w, r, err)
				return
			}
		}
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
