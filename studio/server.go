//go:build !js

package studio

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"
)

// Server is the API and the page. Make one with New, and Close it.
type Server struct {
	*core
	token string
	hosts []string

	plain   map[string]http.Handler // beside the API, by path
	handler http.Handler
	spec    []byte
}

// New returns a server and starts learning the built-in models in the
// background. The error says which limit, model or data set is invalid.
func New(opt Options) (*Server, error) {
	s := &Server{token: opt.Token}
	for _, h := range opt.Hosts {
		s.hosts = append(s.hosts, strings.ToLower(strings.TrimSuffix(h, ".")))
	}
	var err error
	if s.core, err = newCore(&opt); err != nil {
		return nil, err
	}
	if err := s.plainRoutes(); err != nil {
		s.close()
		return nil, err
	}
	s.handler = s.observe(s.guard(http.HandlerFunc(s.dispatch)))
	if !opt.NoBuiltin {
		s.build()
	}
	return s, nil
}

// dispatch answers requests to the API, and those for the files beside it.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) {
	plain := s.plain[r.URL.Path]
	switch {
	case plain == nil:
		s.operate(w, r)
	case method(r) != http.MethodGet:
		writeProblem(w, r, notAllowed(r.Method, r.URL.Path, "GET, HEAD"))
	default:
		plain.ServeHTTP(w, r)
	}
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
		ReadTimeout: s.limits.Time, WriteTimeout: 2*s.limits.Time + time.Minute,
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
