//go:build !js

package studio

import (
	"io"
	"mime"
	"net/http"
)

// operate answers a request to the API as a desk does, once its body has arrived.
func (s *Server) operate(w http.ResponseWriter, r *http.Request) {
	route, path, err := s.routeOf(method(r), r.URL.Path)
	if err != nil {
		writeProblem(w, r, err)
		return
	}
	content, err := s.read(r, route)
	if err != nil {
		w.Header().Set("Connection", "close") // the rest of the body is not read
		writeProblem(w, r, err)
		return
	}
	c := &Call{Query: r.URL.Query(), Body: content}
	kind, boundary := mediaType(r)
	b := body{bytes: content, kind: kind}
	if kind == formKind {
		b.form = func() ([]File, error) { return filesOf(b.bytes, boundary) }
	}
	a, err := s.reply(r.Context(), route, path, c, b)
	if err != nil {
		s.writeError(w, r, s.workError(err))
		return
	}
	for name, value := range a.Header {
		if value != "" {
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(a.Status)
	if a.Status != http.StatusNoContent {
		w.Write(a.Body) // an error means that the client has disconnected
	}
}

// method returns the method of the operation that a request asks for: HEAD is GET without its body.
func method(r *http.Request) string {
	if r.Method == http.MethodHead {
		return http.MethodGet
	}
	return r.Method
}

// writeError is writeProblem, and logs what nobody expected.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if p := problemOf(err); p.Status == http.StatusInternalServerError {
		s.log.Error("unexpected", "id", requestID(r.Context()), "error", err)
	}
	writeProblem(w, r, err)
}

// writeProblem answers a request with an error.
func writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	p := *problemOf(err)
	p.Instance = requestID(r.Context())
	a := problemAnswer(&p)
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.Status)
	if r.Method != http.MethodHead {
		w.Write(append(a.Body, '\n')) // an error means that the client has disconnected
	}
}

// read reads the body of a request, within its limit.
func (s *Server) read(r *http.Request, route *route) ([]byte, error) {
	limit := s.bodyLimit(route)
	if r.ContentLength > limit {
		return nil, tooLarge(r, limit)
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return nil, problemf(http.StatusUnsupportedMediaType,
			"the Content-Encoding %.40q is not accepted; send the body unencoded", e)
	}
	content, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	switch {
	case err != nil:
		return nil, s.readError(err)
	case int64(len(content)) > limit:
		return nil, tooLarge(r, limit)
	}
	return content, nil
}

func tooLarge(r *http.Request, limit int64) error {
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
