package main

import (
	"strings"
	"testing"
	"time"

	"net/http"

	"example.com/patchwork/internal/testenv"
)

// Attacked in every way at once for some seconds, the server goes on and answers a client
// with good manners, in bounded memory. How fast is measured by the program, not here.
func TestAttackIsWithstood(t *testing.T) {
	testenv.Slow(t)
	files, err := hostileFiles("")
	if err != nil {
		t.Fatal(err)
	}
	s, err := startBounded(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.cmd.Process.Kill() // if it fails before it is stopped
	l := &load{client: &http.Client{}}
	p := &plan{model: "letter-t", data: "letters-t"}
	if err := l.prepare(t.Context(), s.url, p.model, p.data, 1); err != nil {
		t.Fatal(err)
	}
	a := &attack{host: strings.TrimPrefix(s.url, "http://"), files: files}
	if text := a.post(t.Context(), "POST", "/v1/models", largeModel()); !strings.Contains(string(text), `"m1"`) {
		t.Fatalf("no model to ask for: %.200s", text)
	}
	r, resident := p.during(t.Context(), s, l, a, a.kinds(), 5*time.Second)
	if r.bad > 0 || len(r.good) == 0 {
		t.Errorf("%d of %d requests failed, the first: %s", r.bad, r.total(), r.badFirst)
	}
	if resident > mostResident {
		t.Errorf("%.0f MB resident", mb(resident))
	}
	if a.sent.Load() < 50 {
		t.Errorf("only %d requests attacked", a.sent.Load())
	}
	t.Logf("%d requests of attackers; %d good ones answered, %d times 503, %.0f MB resident at most", a.sent.Load(), len(r.good), r.busy, mb(resident))
	if err := s.stop(); err != nil {
		t.Errorf("it did not end well: %v", err)
	}
}

// The files of the attack are small outside and large inside.
func TestHostileFilesAreSmall(t *testing.T) {
	files, err := hostileFiles("")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for i, f := range files {
		if len(f) == 0 || len(f) > 4<<20 {
			t.Errorf("file %d has %d bytes", i, len(f))
		}
	}
}
