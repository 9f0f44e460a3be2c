package studio

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// call returns a request as a desk gets it; ok is false for one that only HTTP has.
func (r request) call(t testing.TB, req *http.Request, content []byte) (c *Call, ok bool) {
	query, err := url.ParseQuery(req.URL.RawQuery)
	if err != nil || !strings.HasPrefix(req.URL.Path, "/v1/") ||
		req.Header.Get("Content-Encoding") != "" || req.Method == "GET" && len(content) > 0 {
		return nil, false
	}
	c = &Call{Method: req.Method, Path: req.URL.Path, Query: query, Body: content}
	if text := req.Header.Get("Content-Type"); text != "" {
		kind, fields, err := mime.ParseMediaType(text)
		if err != nil {
			return nil, false
		}
		if c.Kind = kind; kind == formKind {
			if c.Files, err = filesOf(content, fields["boundary"]); err != nil {
				return nil, false
			}
		}
	}
	return c, true
}

var milliseconds = regexp.MustCompile(`"milliseconds":[^,}]*`)

// sameAtDesk fails where a desk with the models and data of a server does not answer as the
// server does. It asks what changes nothing. Where other requests change meanwhile what this one
// asks for, it asks again: an answer is compared if the server gives it before and after.
func sameAtDesk(t testing.TB, s *Server, r request, req *http.Request, content []byte, w *httptest.ResponseRecorder) {
	t.Helper()
	c, ok := r.call(t, req, content)
	asks := c != nil && (c.Method == "GET" ||
		regexp.MustCompile(`^/v1/(explain|sample|classify)$`).MatchString(c.Path))
	if !ok || !asks || c.Path == "/v1/server" ||
		strings.HasPrefix(c.Path, "/v1/learn") || w.Code == 401 || w.Code == 403 || w.Code >= 500 ||
		t.Context().Err() != nil {
		return
	}
	for {
		differs := atDesk(s, c, w)
		if differs == "" {
			return
		}
		after := httptest.NewRecorder()
		again, _ := r.http(t)
		s.Handler().ServeHTTP(after, again)
		if after.Code == w.Code && bytes.Equal(timeless(after.Body.Bytes()), timeless(w.Body.Bytes())) {
			t.Errorf("%s %.200s: %s", c.Method, r.path, differs)
			return
		}
		w = after
	}
}

// atDesk asks a desk with what a server has, and says how its answer differs from the server's;
// "" is not at all.
func atDesk(s *Server, c *Call, w *httptest.ResponseRecorder) string {
	a := (&Desk{s.core}).Answer(context.Background(), c)
	if a.Status != w.Code {
		return fmt.Sprintf("a server answers %d, a desk %d: %.300s; %.300s", w.Code, a.Status, w.Body, a.Body)
	}
	if w.Code >= 300 {
		return ""
	}
	if got, want := timeless(a.Body), timeless(w.Body.Bytes()); !bytes.Equal(got, want) {
		return fmt.Sprintf("a server answers %.300s\nand a desk %.300s", want, got)
	}
	for name, value := range a.Header {
		if w.Header().Get(name) != value {
			return fmt.Sprintf("the header %s is %q of a server and %q of a desk", name, w.Header().Get(name), value)
		}
	}
	return ""
}

// timeless returns an answer without the milliseconds that it took.
func timeless(body []byte) []byte {
	return milliseconds.ReplaceAll(bytes.TrimSpace(body), nil)
}

// newDesk returns a desk with the models and data of newServer.
func newDesk(t *testing.T, change func(*Options)) *Desk {
	var opt Options
	newServer(t, func(o *Options) { change(o); opt = *o })
	d, err := NewDesk(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// TestDeskRefuses: what a server refuses by its description, a desk refuses by the tags.
func TestDeskRefuses(t *testing.T) {
	d, n := newDesk(t, func(o *Options) { o.bound = func(b *bounds) { b.UploadBytes, b.Effort = 4e6, 5e4 } }), 0
	for _, h := range hostile(t) {
		req, content := h.http(t)
		c, ok := h.call(t, req, content)
		if !ok || h.status == 401 || h.status == 403 {
			continue
		}
		n++
		if a := d.Answer(t.Context(), c); a.Status != h.status {
			t.Errorf("%s %.200s %.200s: %d, want %d: %.300s", c.Method, h.path, content, a.Status, h.status, a.Body)
		}
	}
	if n < 50 {
		t.Errorf("only %d requests", n)
	}
}

// TestDeskBounds: bounds and defaults of parameters and bodies, which a server takes from its description.
func TestDeskBounds(t *testing.T) {
	d := newDesk(t, func(*Options) {})
	for _, c := range []struct {
		method, path, body string
		status             int
		contains           string
	}{
		{"GET", "/v1/data/d1/images?n=0", "", 422, "at least 1"},
		{"GET", "/v1/data/d1/images?n=x", "", 422, "not a value"},
		{"GET", "/v1/data/d1/images?many=1", "", 422, "no parameter"},
		{"GET", "/v1/data/d1/images", "", 200, `"total"`},
		{"GET", "/v1/rules/compose", "", 422, "missing"},
		{"GET", "/v1/rules/compose?p=0.7&p=0.1", "", 200, `"max-minus-min","p":0.29`},
		{"GET", "/v1/rules/compose?p=0.7&q=0.1&q=0.2", "", 422, "at most 1"},
		{"GET", "/v1/nothing", "", 404, "nothing at"},
		{"DELETE", "/v1/rules", "", 405, "use GET"},
		{"POST", "/v1/explain", `{"model":"m1","images":[` + one + `],"pursuit":"paper"}`, 422, "pursuit"},
		{"POST", "/v1/explain", `{"images":[` + one + `]}`, 422, "lacks model"},
		{"POST", "/v1/explain", `{"model":"m1","images":[{"height":6,"width":6}]}`, 422, "0 characters in bits"},
		{"POST", "/v1/explain", `{"model":null,"images":[` + one + `]}`, 422, "is null"},
		{"POST", "/v1/classify", `{"classes":[{"name":"","images":[` + one + `]},{"name":"a","images":[` + one +
			`]}],"images":[` + one + `]}`, 422, "at least 1 characters"},
		{"PATCH", "/v1/models/m1", `{"name":"` + strings.Repeat("x", 201) + `"}`, 422, "at most 200 characters"},
	} {
		req, content := request{method: c.method, path: c.path, body: c.body}.http(t)
		call, _ := request{}.call(t, req, content)
		if a := d.Answer(t.Context(), call); a.Status != c.status || !strings.Contains(string(a.Body), c.contains) {
			t.Errorf("%s %s %s: %d %.300s, want %d and %q", c.method, c.path, c.body, a.Status, a.Body, c.status, c.contains)
		}
	}
}

// TestDeskLearns: a job from its request to its model.
func TestDeskLearns(t *testing.T) {
	var rests atomic.Int64
	var opt Options
	newServer(t, func(o *Options) { opt = *o })
	opt.Rest = func() { rests.Add(1) }
	d, err := NewDesk(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	a := d.Answer(t.Context(), &Call{Method: "POST", Path: "/v1/learn", Kind: "application/json",
		Body: []byte(`{"data":"d1","experts":2,"shift":2,"starts":2}`)})
	if a.Status != 202 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	for !bytes.Contains(a.Body, []byte(`"state":"done"`)) {
		time.Sleep(2 * time.Millisecond)
		if a = d.Answer(t.Context(), &Call{Method: "GET", Path: "/v1/learn/j1"}); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	if a := d.Answer(t.Context(), &Call{Method: "GET", Path: "/v1/models/m3/file"}); a.Status != 200 ||
		!bytes.HasPrefix(a.Body, []byte("PK")) {
		t.Errorf("the model: %d %.300s", a.Status, a.Body)
	}
	if rests.Load() == 0 {
		t.Error("learning did not rest")
	}
}

// TestMadeBuiltins: built-in models that were made before are the ones that are learned.
func TestMadeBuiltins(t *testing.T) {
	made, err := Builtins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDesk(Options{Made: made})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.tasks.Wait()
	for id, want := range made {
		if a := d.Answer(t.Context(), &Call{Method: "GET", Path: "/v1/models/" + id + "/file"}); !bytes.Equal(a.Body, want) {
			t.Errorf("%s: %d, other bytes", id, a.Status)
		}
	}
	if len(made) != len(builtins) {
		t.Errorf("%d models", len(made))
	}
}
