//go:build !js

package studio

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"os"
	"regexp"
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

var goodRequestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// recorder records the status and size of an answer.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	begun  bool // the operation has started to answer
}

// fresh returns a writer for an answer that replaces the operation's.
func (w *recorder) fresh() http.ResponseWriter {
	w.status = http.StatusInternalServerError
	return w.ResponseWriter
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status, w.begun = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status, w.begun = http.StatusOK, true
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap returns the wrapped writer, as http.ResponseController needs.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// observe gives every request an id, counts and logs it, and answers 500 if the
// code behind it panics.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		id := r.Header.Get("X-Request-Id")
		if !goodRequestID.MatchString(id) {
			var b [8]byte
			rand.Read(b[:])
			id = hex.EncodeToString(b[:])
		}
		w.Header().Set("X-Request-Id", id)
		r = r.WithContext(context.WithValue(r.Context(), requestIDKey, id))
		rec := &recorder{ResponseWriter: w}
		s.metrics.inFlight.Inc()
		defer func() {
			p := recover()
			s.recovered(rec, r, p)
			s.metrics.inFlight.Dec()
			route := s.route(r)
			took := time.Since(began)
			s.metrics.requests.WithLabelValues(route, fmt.Sprint(rec.status)).Inc()
			s.metrics.seconds.WithLabelValues(route).Observe(took.Seconds())
			level := slog.LevelInfo
			if rec.status >= http.StatusInternalServerError {
				level = slog.LevelWarn
			}
			s.log.LogAttrs(r.Context(), level, "request", slog.String("id", id), slog.String("method", r.Method),
				slog.String("path", cut(r.URL.Path, longestValue)), slog.Int("status", rec.status), slog.Int64("bytes", rec.bytes),
				slog.Duration("took", took.Round(time.Microsecond)), slog.String("from", r.RemoteAddr))
			if p == http.ErrAbortHandler || p != nil && rec.begun {
				panic(http.ErrAbortHandler) // an answer cut off must not look complete
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

// recovered handles a panic p, nil for none. huma panics if it cannot write an
// answer, mostly because the client has disconnected.
func (s *Server) recovered(w *recorder, r *http.Request, p any) {
	if p == nil || p == http.ErrAbortHandler {
		return
	}
	var gone *net.OpError
	if err, ok := p.(error); ok && (errors.As(err, &gone) || r.Context().Err() != nil) {
		s.log.Info("the client disconnected", "id", requestID(r.Context()), "error", err)
		return
	}
	s.log.Error("panic", "id", requestID(r.Context()), "error", fmt.Sprint(p), "stack", string(debug.Stack()))
	if w.status == 0 {
		writeProblem(w.fresh(), r, problemf(http.StatusInternalServerError, "internal error; the server's log has the details under this request id"))
	}
}

// policy is the Content-Security-Policy: everything is loaded from this server,
// and nothing is sent elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
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
		refuse := func(reason string, err error) {
			s.metrics.refusals.WithLabelValues(reason).Inc()
			writeProblem(w, r, err)
		}
		api := strings.HasPrefix(r.URL.Path, "/v1/")
		switch {
		case !s.goodHost(r.Host):
			refuse("host", problemf(http.StatusForbidden, "the Host %.100q is not a name of this server; if it should be, add it with --allow-host", r.Host))
			return
		case !cleanPath(r.URL.Path) || !cleanPath(r.URL.EscapedPath()):
			refuse("path", problemf(http.StatusBadRequest, "the path is not plain: it contains .., //, a backslash or a control character"))
			return
		case cross.Check(r) != nil || api && foreign(r):
			refuse("origin", problemf(http.StatusForbidden, "requests from another site are refused (Sec-Fetch-Site %.40q, Origin %.100q)",
				r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")))
			return
		case (api || r.URL.Path == "/metrics") && !s.goodToken(r):
			w.Header().Set("WWW-Authenticate", `Bearer realm="patchwork"`)
			refuse("token", problemf(http.StatusUnauthorized, "this server requires a token: send the header Authorization: Bearer TOKEN"))
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

// cleanPath reports whether a path is plain, without "..", "//" or control
// characters.
func cleanPath(path string) bool {
	if !strings.HasPrefix(path, "/") || strings.Contains(path, "//") || strings.Contains(path, `\`) {
		return false
	}
	lower := strings.ToLower(path)
	if strings.Contains(lower, "%2e") || strings.Contains(lower, "%2f") || strings.Contains(lower, "%5c") {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == ".." || part == "." {
			return false
		}
	}
	return !strings.ContainsFunc(path, func(c rune) bool { return c < ' ' || c == 0x7f })
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

// read reads the bodies of requests, within the limits for each and for all.
func (s *Server) read(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		limit := s.bodyLimit(r)
		if r.ContentLength > limit {
			w.Header().Set("Connection", "close")
			writeProblem(w, r, s.tooLarge(r, limit))
			return
		}
		if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
			writeProblem(w, r, problemf(http.StatusUnsupportedMediaType, "the Content-Encoding %.40q is not accepted; send the body unencoded", e))
			return
		}
		need := r.ContentLength
		if need < 0 {
			need = limit
		}
		if s.flight.Add(need) > s.limits.FlightBytes {
			s.flight.Add(-need)
			s.metrics.refusals.WithLabelValues("memory").Inc()
			writeProblem(w, r, retryLater(1, "the bodies of current requests take %d bytes, the limit of this server", s.limits.FlightBytes))
			return
		}
		defer s.flight.Add(-need)
		rc.SetReadDeadline(time.Now().Add(s.limits.ReadTime)) // an error means that there is no deadline, as in tests
		var b body
		var err error
		kind, boundary := mediaType(r)
		b.kind = kind
		if b.bytes, err = io.ReadAll(io.LimitReader(r.Body, limit+1)); err != nil || int64(len(b.bytes)) > limit {
			w.Header().Set("Connection", "close")
			if err == nil {
				err = s.tooLarge(r, limit)
			}
			writeProblem(w, r, readError(err, s.limits.ReadTime))
			return
		}
		if kind == formKind {
			b.form = func() ([]File, error) { return filesOf(b.bytes, boundary) }
		}
		rc.SetReadDeadline(time.Time{})
		next.ServeHTTP(w, r.WithContext(withBody(r.Context(), b)))
	})
}

func readError(err error, limit time.Duration) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problemf(http.StatusRequestTimeout, "the body did not arrive within %v", limit)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return problemf(http.StatusBadRequest, "the body was cut off")
	}
	var tooLarge *problemError
	if errors.As(err, &tooLarge) {
		return err
	}
	return problemf(http.StatusBadRequest, "the body could not be read")
}

// bodyLimit returns the maximum size of a request's body.
func (s *Server) bodyLimit(r *http.Request) int64 {
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodDelete:
		return 0
	case r.URL.Path == "/v1/models" || r.URL.Path == "/v1/data" || r.URL.Path == "/v1/find" || r.URL.Path == "/real":
		return s.limits.UploadBytes
	}
	return s.limits.BodyBytes
}

func (s *Server) tooLarge(r *http.Request, limit int64) error {
	s.metrics.refusals.WithLabelValues("body").Inc()
	if limit == 0 {
		return problemf(http.StatusRequestEntityTooLarge, "%s requests have no body here", r.Method)
	}
	return problemf(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes, the limit of this server", limit)
}

func mediaType(r *http.Request) (kind, boundary string) {
	text := r.Header.Get("Content-Type")
	if text == "" {
		return "", ""
	}
	kind, fields, err := mime.ParseMediaType(text)
	if err != nil {
		return "malformed", ""
	}
	return kind, fields["boundary"]
}
