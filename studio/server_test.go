package studio

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/pose"
	"example.com/patchwork/workbench"
)

// strokes returns a model of two bars in a frame of 6 x 6, which may be
// shifted.
func strokes(t testing.TB) *patchwork.Model {
	t.Helper()
	cfg := patchwork.NewConfig(patchwork.RuleMax, 6, 6,
		pose.Grid{DY: pose.Symmetric(2, 1), DX: pose.Symmetric(2, 1), Angles: []float64{-45, 0, 45}})
	across, down := make([]float64, 36), make([]float64, 36)
	for i := range across {
		across[i], down[i] = 0.005, 0.005
		if i/6 == 2 {
			across[i] = 0.95
		}
		if i%6 == 3 {
			down[i] = 0.9
		}
	}
	m, err := patchwork.NewModel(cfg, [][]float64{across, down})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// voters returns a model of a table of three columns.
func voters(t testing.TB) *patchwork.Model {
	t.Helper()
	cfg := patchwork.NewConfig(patchwork.RuleMaxMinusMin, 1, 3, pose.Grid{})
	m, err := patchwork.NewModel(cfg, [][]float64{{.9, .8, .5}, {.5, .1, .95}})
	if err != nil {
		t.Fatal(err)
	}
	m, err = m.WithExtras(patchwork.Extras{Columns: []string{"bread", "jam", "tofu"}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// drawings returns images that strokes explains.
func drawings(t testing.TB, n int) *dataset.Set {
	t.Helper()
	set := &dataset.Set{Source: "drawings"}
	var y []string
	var writer []int64
	for i := range n {
		img := bitmap.New(6, 6)
		for x := range 6 {
			img.Set(1+i%4, x, true)
			if i%2 == 0 {
				img.Set(x, 1+i%3, true)
			}
		}
		set.Images = append(set.Images, img)
		y, writer = append(y, []string{"plus", "minus"}[i%2]), append(writer, int64(i))
	}
	set.Meta = []dataset.Labels{dataset.LabelsOf("y", y), dataset.LabelsOf("writer", writer)}
	return set
}

// table returns rows that voters explains.
func tableSet() *dataset.Set {
	set := &dataset.Set{Table: true, Columns: []string{"bread", "jam", "tofu"}, Source: "table"}
	for i := range 20 {
		set.Images = append(set.Images, bitmap.Parse([]string{"110", "001", "111", "0?1"}[i%4]))
	}
	return set
}

// newServer returns a server with models m1 (strokes) and m2 (voters) and data
// d1 (drawings) and d2 (table).
func newServer(t testing.TB, change func(*Options)) *Server {
	t.Helper()
	opt := Options{
		Version: "test", NoBuiltin: true, Log: slog.New(slog.DiscardHandler),
		Models: []NamedModel{{Name: "strokes", Model: workbench.Bits{Model: strokes(t)}},
			{Name: "voters", Model: workbench.Bits{Model: voters(t)}}},
		Data: []NamedData{{Name: "drawings", Set: drawings(t, 12)}, {Name: "table", Set: tableSet()}},
	}
	if change != nil {
		change(&opt)
	}
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// request is a request of a test.
type request struct {
	method, path string
	headers      []string // Name: value
	body         any      // string, []byte, or a value to encode as JSON
}

// http returns the request as a client sends it, and its body.
func (r request) http(t testing.TB) (*http.Request, []byte) {
	t.Helper()
	var body []byte
	switch b := r.body.(type) {
	case nil:
	case string:
		body = []byte(b)
	case []byte:
		body = b
	default:
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		body = text
	}
	method := r.method
	if method == "" {
		method = "GET"
		if r.body != nil {
			method = "POST"
		}
	}
	req := httptest.NewRequestWithContext(t.Context(), method, "http://localhost:8080", bytes.NewReader(body))
	// Unchanged, not normalized by url.Parse.
	path, query, _ := strings.Cut(r.path, "?")
	req.URL.Path, req.URL.RawQuery, req.RequestURI = path, query, r.path
	for _, h := range r.headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	return req, body
}

func (r request) send(t testing.TB, s *Server) *httptest.ResponseRecorder {
	t.Helper()
	req, content := r.http(t)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, req)
	if w.Code < 300 && w.Header().Get("Content-Type") == "application/json" {
		route, _, err := s.routeOf(method(req), req.URL.Path)
		if err != nil {
			t.Fatal(err)
		}
		wantDescribed(t, s, route.method+" "+route.path, w.Body.Bytes())
	}
	sameAtDesk(t, s, r, req, content, w)
	return w
}

// ask sends a request that must be answered with status, and decodes the JSON.
func ask[T any](t testing.TB, s *Server, r request, status int) T {
	t.Helper()
	w := r.send(t, s)
	if w.Code != status {
		t.Fatalf("%s %s: %d, want %d: %.500s", r.method, r.path, w.Code, status, w.Body)
	}
	var out T
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%s: %v", r.path, err)
	}
	return out
}

func modelBytes(t testing.TB, m *patchwork.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := modelfile.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func npyBytes(t testing.TB, a *npy.Array) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := npy.Write(&b, a); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestDescription: the API's description names every operation and the form of
// errors.
func TestDescription(t *testing.T) {
	s := newServer(t, nil)
	d := ask[struct {
		OpenAPI string
		Paths   map[string]map[string]struct{ OperationID string }
	}](t, s, request{path: "/openapi.json"}, 200)
	ids := map[string]bool{}
	for path, methods := range d.Paths {
		for method, op := range methods {
			if op.OperationID == "" || ids[op.OperationID] {
				t.Errorf("%s %s has no id of its own: %q", method, path, op.OperationID)
			}
			ids[op.OperationID] = true
		}
	}
	if !strings.HasPrefix(d.OpenAPI, "3.1") || len(ids) != 32 {
		t.Errorf("OpenAPI %s with %d operations", d.OpenAPI, len(ids))
	}
}

func TestHealthAndPage(t *testing.T) {
	s := newServer(t, nil)
	for path, says := range map[string]string{"/healthz": "ok", "/readyz": "ready", "/": "<!doctype html"} {
		w := request{path: path}.send(t, s)
		if w.Code != 200 || !strings.Contains(strings.ToLower(w.Body.String()), says) {
			t.Errorf("%s: %d without %q", path, w.Code, says)
		}
		if w.Header().Get("Content-Security-Policy") != policy || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s lacks its security headers", path)
		}
	}
	if w := (request{path: "/",
		headers: []string{"If-None-Match: " + request{path: "/"}.send(t, s).Header().Get("ETag")}}).send(t,
		s); w.Code != http.StatusNotModified {
		t.Errorf("the page is sent again: %d", w.Code)
	}
}

// TestPageFitsItsPolicy: the page obeys its Content-Security-Policy: no inline
// scripts or styles.
func TestPageFitsItsPolicy(t *testing.T) {
	files, err := assets()
	if err != nil {
		t.Fatal(err)
	}
	page := string(files["/index.html"].content)
	for _, bad := range []string{"<style", "style=", "onclick", "onload", "javascript:", "https://", "http://"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for rest := page; ; {
		_, after, ok := strings.Cut(rest, "<script")
		if !ok {
			break
		}
		tag, inside, _ := strings.Cut(after, ">")
		if !strings.Contains(tag, "src=") || !strings.HasPrefix(strings.TrimSpace(inside), "</script>") {
			t.Errorf("a script in line: %.80q", after)
		}
		rest = after
	}
}

// TestBuiltinModels: the built-in models are learned at the start; /readyz says
// when they are ready.
func TestBuiltinModels(t *testing.T) {
	if testing.Short() {
		t.Skip("learns three models; left out by -short")
	}
	s := newServer(t, func(o *Options) { o.NoBuiltin, o.Models, o.Data = false, nil, nil })
	deadline := time.Now().Add(8 * time.Minute)
	for (request{path: "/readyz"}).send(t, s).Code != 200 {
		if time.Now().After(deadline) {
			t.Fatal("not ready after minutes")
		}
		time.Sleep(5 * time.Millisecond)
	}
	experts := func(id string) []expertInfo {
		return ask[struct{ Experts []expertInfo }](t, s, request{path: "/v1/models/" + id + "/experts"}, 200).Experts
	}
	// The strokes of a T are long; the quadrants are 8 votes, half of them for off.
	for _, e := range experts("letter-t") {
		if e.Elongation < 4 {
			t.Errorf("expert %d of the T is no stroke: elongation %.2f", e.Index, e.Elongation)
		}
	}
	// Along a principal direction every expert moves as the model's description says.
	info := ask[struct{ Components []component }](t, s, request{path: "/v1/models/letter-t"}, 200)
	drawn := ask[struct{ Samples []sample }](t, s,
		request{path: "/v1/sample", body: `{"model":"letter-t","along":[0,1.5]}`}, 200).Samples[0]
	for k, e := range experts("letter-t") {
		by, at := info.Components[1].Moves[k], drawn.Picks[k]
		if math.Abs(e.Pose.DY+1.5*by.DY-float64(at.DY)) > 0.5 || math.Abs(e.Pose.DX+1.5*by.DX-float64(at.DX)) > 0.5 ||
			math.Abs(e.Pose.Angle+1.5*by.Angle-at.Angle) > 1e-9 {
			t.Errorf("expert %d is at %+v, from %+v by 1.5 times %+v", k, at, *e.Pose, by)
		}
	}
	if n := len(experts("quadrants")); n != 8 {
		t.Errorf("%d experts of the quadrants", n)
	}
	// Habits and experts match one to one.
	found := map[int]bool{}
	for _, e := range experts("baskets") {
		for i, h := range habits {
			if len(e.Columns) != len(h.buys)+len(h.leavesIt) {
				continue
			}
			fits := true
			for _, c := range e.Columns {
				list := h.buys
				if c.P < c.Q {
					list = h.leavesIt
				}
				fits = fits && strings.Contains(strings.Join(list, ","), c.Name)
			}
			found[i] = found[i] || fits
		}
	}
	if len(found) != len(habits) || len(experts("baskets")) != len(habits) {
		t.Errorf("experts of the baskets fit habits %v of %d", found, len(habits))
	}
}
