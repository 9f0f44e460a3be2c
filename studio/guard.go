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

const (
	requestIDKey key = iota
	bodyKey
)

// requestID is the id of the request of a context.
func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey).(string)
	return id
}

var goodRequestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	begun  bool // the operation has begun to answer
}

// fresh is for an answer instead of the operation's.
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

// Unwrap is for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// observe gives every request an id, counts and logs it, and answers 500 where
// the code behind it panics.
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
			s.log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("id", id), slog.String("method", r.Method),
				slog.String("path", cut(r.URL.Path, longestValue)), slog.Int("status", rec.status), slog.Int64("bytes", rec.bytes),
				slog.Duration("took", took.Round(time.Microsecond)), slog.String("from", r.RemoteAddr))
			if p == http.ErrAbortHandler || p != nil && rec.begun {
				panic(http.ErrAbortHandler) // an answer cut off must not look complete
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

// recovered deals with a panic p, nil for none. huma panics where an answer
// cannot be written, which is mostly because the client has left.
func (s *Server) recovered(w *recorder, r *http.Request, p any) {
	if p == nil || p == http.ErrAbortHandler {
		return
	}
	var gone *net.OpError
	if err, ok := p.(error); ok && (errors.As(err, &gone) || r.Context().Err() != nil) {
		s.log.Info("the client left", "id", requestID(r.Context()), "error", err)
		return
	}
	s.log.Error("panic", "id", requestID(r.Context()), "error", fmt.Sprint(p), "stack", string(debug.Stack()))
	if w.status == 0 {
		writeProblem(w.fresh(), r, problemf(http.StatusInternalServerError, "a fault of the server; its log has the details under this request's id"))
	}
}

// policy is the Content-Security-Policy: all comes from this server, nothing
// goes elsewhere.
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

// guard refuses requests that are not for this server, not from its page or a
// program, or without the token.
func (s *Server) guard(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secureHeaders(w.Header())
		refuse := func(reason string, err error) {
			s.metrics.refused.WithLabelValues(reason).Inc()
			writeProblem(w, r, err)
		}
		api := strings.HasPrefix(r.URL.Path, "/v1/")
		switch {
		case !s.goodHost(r.Host):
			refuse("host", problemf(http.StatusForbidden, "the Host %.100q is not one of this server; add it with --allow-host if it is", r.Host))
			return
		case !cleanPath(r.URL.Path) || !cleanPath(r.URL.EscapedPath()):
			refuse("path", problemf(http.StatusBadRequest, "the path is not plain: it holds .., //, a backslash or a control character"))
			return
		case cross.Check(r) != nil || api && foreign(r):
			refuse("origin", problemf(http.StatusForbidden, "a request from another site (Sec-Fetch-Site %.40q, Origin %.100q) is not taken",
				r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")))
			return
		case (api || r.URL.Path == "/metrics") && !s.goodToken(r):
			w.Header().Set("WWW-Authenticate", `Bearer realm="patchwork"`)
			refuse("token", problemf(http.StatusUnauthorized, "this server wants its token: send the header Authorization: Bearer TOKEN"))
			return
		}
		if api {
			w.Header().Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r)
	})
}

// foreign reports whether a request to read came from another site's page.
// What changes something is the business of http.CrossOriginProtection.
func foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site != "same-origin" && site != "none"
	}
	origin := r.Header.Get("Origin")
	_, host, _ := strings.Cut(origin, "://")
	return origin != "" && host != r.Host
}

// goodHost reports whether a Host header names this server: localhost, an IP
// address, which no DNS server can make point elsewhere, or a name allowed.
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

// cleanPath reports whether a path means what it says.
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

// goodToken compares in constant time, also for tokens of other lengths.
func (s *Server) goodToken(r *http.Request) bool {
	if s.token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(s.token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "bearer")
}

// body is the body of a request, read.
type body struct {
	bytes []byte
	kind  string // media type, without parameters
}

// bodyOf is the body of the request of a context.
func bodyOf(ctx context.Context) body {
	b, _ := ctx.Value(bodyKey).(body)
	return b
}

// read reads the bodies of requests, within the limits of one and of all.
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
			writeProblem(w, r, problemf(http.StatusUnsupportedMediaType, "the Content-Encoding %.40q is not taken; send the body as it is", e))
			return
		}
		need := r.ContentLength
		if need < 0 {
			need = limit
		}
		if s.flight.Add(need) > s.limits.FlightBytes {
			s.flight.Add(-need)
			s.metrics.refused.WithLabelValues("memory").Inc()
			writeProblem(w, r, retryLater(1, "the bodies of the requests under way are %d bytes, as much as this server holds at a time", s.limits.FlightBytes))
			return
		}
		defer s.flight.Add(-need)
		rc.SetReadDeadline(time.Now().Add(s.limits.ReadTime)) // an error means that there is no deadline, as in tests
		b := body{kind: mediaType(r)}
		var err error
		if b.bytes, err = io.ReadAll(io.LimitReader(r.Body, limit+1)); err != nil || int64(len(b.bytes)) > limit {
			w.Header().Set("Connection", "close")
			if err == nil {
				err = s.tooLarge(r, limit)
			}
			writeProblem(w, r, readError(err, s.limits.ReadTime))
			return
		}
		rc.SetReadDeadline(time.Time{})
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), bodyKey, b)))
	})
}

func readError(err error, limit time.Duration) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problemf(http.StatusRequestTimeout, "the body did not come within %v", limit)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return problemf(http.StatusBadRequest, "the body was cut off")
	}
	var tooLarge interface{ GetStatus() int }
	if errors.As(err, &tooLarge) {
		return err
	}
	return problemf(http.StatusBadRequest, "the body could not be read")
}

// bodyLimit is how large the body of a request may be.
func (s *Server) bodyLimit(r *http.Request) int64 {
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodDelete:
		return 0
	case r.URL.Path == "/v1/models" || r.URL.Path == "/v1/data":
		return s.limits.UploadBytes
	}
	return s.limits.BodyBytes
}

func (s *Server) tooLarge(r *http.Request, limit int64) error {
	s.metrics.refused.WithLabelValues("body").Inc()
	if limit == 0 {
		return problemf(http.StatusRequestEntityTooLarge, "%s requests have no body here", r.Method)
	}
	return problemf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes, the limit of this server", limit)
}

func mediaType(r *http.Request) string {
	text := r.Header.Get("Content-Type")
	if text == "" {
		return ""
	}
	kind, _, err := mime.ParseMediaType(text)
	if err != nil {
		return "malformed"
	}
	return kind
}
