package studio

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/testenv"
)

// patient is a reader that gives what it has piece by piece.
type patient struct {
	pieces [][]byte
	then   func(i int)
}

func (p *patient) Read(b []byte) (int, error) {
	if len(p.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.pieces[0])
	if p.pieces[0] = p.pieces[0][n:]; len(p.pieces[0]) == 0 {
		p.pieces = p.pieces[1:]
		p.then(len(p.pieces))
	}
	return n, nil
}

// A body counts as it arrives: what a header announces blocks nobody, what came does, and
// small bodies are read in any case.
func TestBodiesCountAsTheyArrive(t *testing.T) {
	s := newServer(t, func(o *Options) { o.bound = func(b *bounds) { b.FlightBytes = 1 << 20 } })
	piece := bytes.Repeat([]byte{' '}, 100<<10)
	most := int64(0)
	a := arriving{of: &s.bodies}
	if err := a.read(&patient{[][]byte{piece, piece, piece}, func(int) { most = max(most, s.bodies.held.Load()) }},
		8e6); err != nil || len(a.bytes) != 3*len(piece) {
		t.Fatalf("%d bytes, %v", len(a.bytes), err)
	}
	if most < 2*int64(len(piece)) || most > 1<<20 {
		t.Errorf("%d bytes were counted of %d that came", most, 3*len(piece))
	}
	large := request{path: "/v1/explain", body: strings.Repeat(" ", 900<<10)}
	if w := large.send(t, s); w.Code != 503 || !strings.Contains(w.Body.String(), "1048576 bytes") ||
		w.Header().Get("Retry-After") == "" {
		t.Errorf("no room: %d %s", w.Code, w.Body)
	}
	if w := (request{path: "/v1/explain", body: `{"model":"m1","images":[` + one + `]}`}).send(t, s); w.Code != 200 {
		t.Errorf("a small one: %d %s", w.Code, w.Body)
	}
	a.free()
	if w := (request{path: "/v1/explain", body: strings.Repeat(" ", 500<<10)}).send(t, s); w.Code != 400 {
		t.Errorf("with room: %d %s", w.Code, w.Body)
	}
	if n := s.bodies.held.Load(); n != 0 {
		t.Errorf("%d bytes are counted afterwards", n)
	}
}

// slow is a writer that looks around while it is written to.
type slow struct {
	http.ResponseWriter
	during func()
}

func (w slow) Write(p []byte) (int, error) {
	w.during()
	return w.ResponseWriter.Write(p)
}

// An answer counts until it is written; one for which there is no room is a problem of
// its own, and small ones are answered whatever happens.
func TestAnswersAreCounted(t *testing.T) {
	set := wideSet(50, 4000)
	s := newServer(t, func(o *Options) {
		o.bound = func(b *bounds) { b.AnswerBytes = 500_000 }
		o.Data = append(o.Data, NamedData{Name: "wide", Set: set})
	})
	get := func(path string, during func()) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(slow{w, during}, httptest.NewRequest("GET", "http://localhost"+path, nil))
		return w
	}
	counted := int64(0)
	w := get("/v1/data/d3/images?n=50", func() { counted = max(counted, s.answers.held.Load()) })
	if w.Code != 200 || counted < int64(w.Body.Len()) || counted > 500_000 {
		t.Errorf("%d, %d bytes counted of %d", w.Code, counted, w.Body.Len())
	}
	if n := s.answers.held.Load(); n != 0 {
		t.Fatalf("%d bytes are counted afterwards", n)
	}
	s.answers.held.Add(500_000)
	if w := get("/v1/data/d3/images?n=20", func() {}); w.Code != 503 || !testenv.Said(t, complaintOf(w)) ||
		w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("no room: %d %.200s", w.Code, w.Body)
	}
	if w := get("/v1/models", func() {}); w.Code != 200 {
		t.Errorf("a small answer: %d", w.Code)
	}
	s.answers.held.Add(-500_000)
	if w := get("/metrics", func() {}); !strings.Contains(w.Body.String(),
		`patchwork_memory_limit_bytes{of="answers"} 500000`) ||
		!strings.Contains(w.Body.String(), `patchwork_refused_total{reason="memory"} 1`) {
		t.Errorf("the metrics do not tell:\n%s", w.Body)
	}
}

// A client that does not read its answer is cut off, and what it holds is free again.
func TestClientThatDoesNotRead(t *testing.T) {
	set := wideSet(1000, 32_000)
	s := newServer(t, func(o *Options) {
		o.bound = func(b *bounds) { b.WriteTime = 300 * time.Millisecond }
		o.Data = append(o.Data, NamedData{Name: "wide", Set: set})
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(t.Context(), ln, "", "")
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /v1/data/d3/images?n=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	wait := func(what string, most time.Duration, is func() bool) {
		t.Helper()
		for began := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > most {
				t.Fatalf("%s: not within %v; %d bytes are held", what, most, s.answers.held.Load())
			}
		}
	}
	wait("the answer is counted", 3*time.Minute, func() bool { return s.answers.held.Load() > 4e6 })
	wait("it is given up", 5*time.Minute, func() bool { return s.answers.held.Load() == 0 })
	if w := (request{path: "/metrics"}).send(t, s); !strings.Contains(w.Body.String(),
		`patchwork_refused_total{reason="slow"} 1`) {
		t.Error("a slow client is not counted")
	}
}

// wideSet returns a table.
func wideSet(rows, columns int) *dataset.Set {
	set := &dataset.Set{Table: true, Source: "wide"}
	for i := range columns {
		set.Columns = append(set.Columns, fmt.Sprint("column ", i))
	}
	for range rows {
		set.Images = append(set.Images, bitmap.New(1, columns))
	}
	return set
}

// Names of columns are counted, and labels.
func TestAllThatIsKeptIsCounted(t *testing.T) {
	s := newServer(t, nil)
	before := s.data.size()
	name := strings.Repeat("x", 2000)
	head := strings.TrimSuffix(strings.Repeat(name+"%d,", 50), ",")
	numbers := make([]any, 50)
	for i := range numbers {
		numbers[i] = i
	}
	csv := fmt.Sprintf(head, numbers...) + "\n" + strings.TrimSuffix(strings.Repeat("1,", 50), ",") + "\n" +
		strings.TrimSuffix(strings.Repeat("0,", 50), ",") + "\n"
	w := request{path: "/v1/data?name=a.csv", body: csv}.send(t, s)
	if w.Code != 201 || s.data.size()-before < 50*2000 {
		t.Errorf("%d %.200s: %d bytes are counted for the names of 50 columns", w.Code, w.Body, s.data.size()-before)
	}
	if w := (request{path: "/v1/data"}).send(t, s); w.Body.Len() > 20_000 ||
		!strings.Contains(w.Body.String(), `"id":"d3"`) {
		t.Errorf("the list has %d bytes", w.Body.Len())
	}
	if w := (request{path: "/v1/data/d3"}).send(t, s); !strings.Contains(w.Body.String(), name+"49") {
		t.Errorf("alone it is not told whole: %.200s", w.Body)
	}
}

// A data set is not deleted while a job learns from it, or will.
func TestLearnedDataStay(t *testing.T) {
	s := newServer(t, nil)
	if w := (request{path: "/v1/data?name=a.csv", body: "a,b\n1,0\n0,1\n"}).send(t, s); w.Code != 201 {
		t.Fatal(w.Body)
	}
	s.jobs.turn <- struct{}{} // the job waits
	if w := (request{path: "/v1/learn", body: `{"data":"d3","experts":1}`}).send(t, s); w.Code != 202 {
		t.Fatal(w.Body)
	}
	remove := request{method: "DELETE", path: "/v1/data/d3"}
	if w := remove.send(t, s); w.Code != 409 || !strings.Contains(w.Body.String(), "job j1") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	<-s.jobs.turn
	for s.jobs.active() > 0 {
		time.Sleep(time.Millisecond)
	}
	if w := remove.send(t, s); w.Code != 204 || s.data.size() != 0 {
		t.Errorf("%d %s, %d bytes are counted after it", w.Code, w.Body, s.data.size())
	}
}

// docs/serve.md says what may be held of each kind, and the sum.
func TestSumOfLimitsIsDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "serve.md"))
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, nil)
	sum := int64(0)
	for _, x := range s.shares() {
		if row := fmt.Sprintf("| %s | %d MB |", x.of, (x.limit+5e5)/1e6); !strings.Contains(string(text), row) {
			t.Errorf("docs/serve.md has no row %q", row)
		}
		sum += x.limit
	}
	if want := fmt.Sprintf("Together %d MB", (sum+5e5)/1e6); !strings.Contains(string(text), want) {
		t.Errorf("docs/serve.md does not say %q", want)
	}
}
