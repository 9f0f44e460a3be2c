package studio

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
)

// Requests with large bodies wait for each other, and small ones do not.
func TestLargeBodiesWait(t *testing.T) {
	s := newServer(t, func(o *Options) { o.bound = func(b *bounds) { b.Bodies = 1 } })
	for range 5 { // one that is read and four that wait
		s.arriving.waiting <- struct{}{}
	}
	large := request{path: "/v1/explain", body: strings.Repeat(" ", 100<<10)}
	if w := large.send(t, s); w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("no room: %d %s", w.Code, w.Body)
	}
	if w := (request{path: "/v1/explain", body: `{"model":"m1","images":[` + one + `]}`}).send(t, s); w.Code != 200 {
		t.Errorf("a small one: %d %s", w.Code, w.Body)
	}
	<-s.arriving.waiting
	if w := large.send(t, s); w.Code != 400 {
		t.Errorf("with room: %d %s", w.Code, w.Body)
	}
}

// A client that does not read its answer is cut off, and what it holds is free again.
func TestClientThatDoesNotRead(t *testing.T) {
	set := wideSet(1000, 12_000)
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
				t.Fatalf("%s: not within %v; %d answers are not read", what, most, len(s.leaving.working))
			}
		}
	}
	wait("the answer is counted", 3*time.Minute, func() bool { return len(s.leaving.working) == 1 })
	wait("it is given up", 5*time.Minute, func() bool { return len(s.leaving.working) == 0 })
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
