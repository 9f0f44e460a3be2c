//go:build !js

package studio

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// key is the type of this package's context values.
type key int

const requestIDKey key = iota

// requestID returns the id of the request of a context.
func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey).(string)
	return id
}

// recorder records the status and size of an answer.
type recorder struct {
	http.ResponseWriter
	status int // 0 until it is sent
	bytes  int64
}

// WriteHeader sends the status.
func (w *recorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// observe gives every request an id, logs it, and answers 500 if the
// code behind it panics.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		id := rand.Text()
		w.Header().Set("X-Request-Id", id)
		rec := &recorder{ResponseWriter: w}
		r = r.WithContext(context.WithValue(r.Context(), requestIDKey, id))
		defer func() {
			p, begun := recover(), rec.status != 0
			s.recovered(rec, r, p)
			took := time.Since(began)
			level := slog.LevelInfo
			if rec.status == http.StatusInternalServerError { // 503 is an answer like others
				level = slog.LevelWarn
			}
			s.log.LogAttrs(r.Context(), level, "request", slog.String("id", id), slog.String("method", r.Method),
				slog.String("path", cut(r.URL.Path, longestValue)), slog.Int("status", rec.status), slog.Int64("bytes", rec.bytes),
				slog.Duration("took", took.Round(time.Microsecond)), slog.String("from", r.RemoteAddr))
			if p == http.ErrAbortHandler || p != nil && begun {
				panic(http.ErrAbortHandler) // an answer cut off must not look complete
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

// recovered handles a panic p, nil for none.
func (s *Server) recovered(w *recorder, r *http.Request, p any) {
	if p == nil || p == http.ErrAbortHandler {
		return
	}
	s.log.Error("panic", "id", requestID(r.Context()), "error", fmt.Sprint(p), "stack", string(debug.Stack()))
	if w.status == 0 {
		writeProblem(w, r, problemf(http.StatusInternalServerError,
			"internal error; the server's log has the details under this request id"))
	}
}

// policy is the Content-Security-Policy: everything is loaded from this server,
// and nothing is sent elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; " +
	"font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func secureHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
}

// guard refuses requests that are not for this server, come from another site's
// page, or lack the token.
func (s *Server) guard(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secureHeaders(w.Header())
		api := strings.HasPrefix(r.URL.Path, "/v1/")
		_, malformed := url.ParseQuery(r.URL.RawQuery)
		switch {
		case !s.goodHost(r.Host):
			writeProblem(w, r, problemf(http.StatusForbidden,
				"the Host %.100q is not a name of this server; if it should be, add it with --allow-host", r.Host))
			return
		case malformed != nil: // what could not be read would be left out in silence
			writeProblem(w, r, problemf(http.StatusBadRequest, "the query is malformed: %.100s", malformed))
			return
		case cross.Check(r) != nil || api && foreign(r):
			writeProblem(w, r, problemf(http.StatusForbidden,
				"requests from another site are refused (Sec-Fetch-Site %.40q, Origin %.100q)",
				r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")))
			return
		case api && !s.goodToken(r):
			w.Header().Set("WWW-Authenticate", `Bearer realm="patchwork"`)
			writeProblem(w, r, problemf(http.StatusUnauthorized,
				"this server requires a token: send the header Authorization: Bearer TOKEN"))
			return
		}
		if api {
			w.Header().Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r)
	})
}

// foreign reports whether a read request came from another site's page.
// http.CrossOriginProtection handles requests that change something.
func foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site != "same-origin" && site != "none"
	}
	origin := r.Header.Get("Origin")
	_, host, _ := strings.Cut(origin, "://")
	return origin != "" && host != r.Host
}

// goodHost reports whether a Host header names this server: localhost, an IP
// address, which no DNS server can redirect, or an allowed name.
func (s *Server) goodHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"), "."))
	if name == "localhost" || slices.Contains(s.hosts, name) {
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

// goodToken compares in constant time, even for tokens of other lengths.
func (s *Server) goodToken(r *http.Request) bool {
	if s.token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(s.token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "bearer")
}

func (s *Server) readError(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problemf(http.StatusRequestTimeout, "the body did not arrive within %v", s.limits.Time)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return problemf(http.StatusBadRequest, "the body was cut off")
	}
	return problemf(http.StatusBadRequest, "the body could not be read")
}
