package studio

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Names of columns are counted, and labels.
func TestAllThatIsKeptIsCounted(t *testing.T) {
	s := newServer(t, nil)
	before := used(s)
	name := strings.Repeat("x", 2000)
	head := strings.TrimSuffix(strings.Repeat(name+"%d,", 50), ",")
	numbers := make([]any, 50)
	for i := range numbers {
		numbers[i] = i
	}
	csv := fmt.Sprintf(head, numbers...) + "\n" + strings.TrimSuffix(strings.Repeat("1,", 50), ",") + "\n" +
		strings.TrimSuffix(strings.Repeat("0,", 50), ",") + "\n"
	w := request{path: "/v1/data?name=a.csv", body: csv}.send(t, s)
	if w.Code != 201 || used(s)-before < 50*2000 {
		t.Errorf("%d %.200s: %d bytes are counted for the names of 50 columns", w.Code, w.Body, used(s)-before)
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
	if w := remove.send(t, s); w.Code != 204 || used(s) != 0 {
		t.Errorf("%d %s, %d bytes are counted after it", w.Code, w.Body, used(s))
	}
}

// used returns how many bytes are counted for data.
func used(s *Server) int64 {
	_, n := s.data.loose()
	return n
}
