package serve

import (
	"context"
	"flag"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/testenv"
)

var (
	attacked = flag.Duration("attack", 0, "attack the server for so long, and judge how fast it answers, too")
	hostile  = flag.String("hostile", "", "folder of more files to upload in the attack")
)

// goodRate is how many requests a second the client with good manners sends.
const goodRate = 10

// bounds of an attack that was withstood.
const (
	mostP99      = 1000 // ms
	mostResident = 1500 << 20
)

// Attacked in every way at once for some seconds, the server goes on and answers a client
// with good manners, in bounded memory. With -attack it is attacked by each kind in turn and then by all at once,
// and must answer fast.
func TestAttackIsWithstood(t *testing.T) {
	if *attacked == 0 {
		testenv.Slow(t)
	}
	files, err := hostileFiles(*hostile)
	if err != nil {
		t.Fatal(err)
	}
	s, err := start(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer s.cmd.Process.Kill() // if it fails before it is stopped
	l := &load{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}}
	if err := l.prepare(t.Context(), s.url); err != nil {
		t.Fatal(err)
	}
	a := &attack{host: strings.TrimPrefix(s.url, "http://"), files: files}
	if text := a.post(t.Context(), "POST", "/v1/models", largeModel()); !strings.Contains(string(text), `"m1"`) {
		t.Fatalf("no model to ask for: %.200s", text)
	}
	var out strings.Builder
	table := stat.NewTable(&out, "attack", "attackers' requests", "answered 200", "p50 ms", "p99 ms", "max ms", "503",
		"errors", "resident MB, most")
	by := func(name string, some []kind, d time.Duration) {
		r, resident := during(t.Context(), s, l, a, some, d)
		sent := a.sent.Swap(0)
		table.Row("%s | %d | %d | %s | %.0f", name, sent, len(r.good), r.cells(), mb(resident))
		if r.bad > 0 || len(r.good) == 0 {
			t.Errorf("%s: %d of %d requests failed, the first: %s", name, r.bad, r.total(), r.badFirst)
		}
		if resident > mostResident {
			t.Errorf("%s: %.0f MB resident", name, mb(resident))
		}
		if *attacked > 0 && (len(r.busy) > 0 || r.p99() > mostP99) {
			t.Errorf("%s: %d requests were answered 503, p99 %.0f ms", name, len(r.busy), r.p99())
		}
		if *attacked == 0 && sent < 50 {
			t.Errorf("only %d requests attacked", sent)
		}
	}
	kinds, all := a.kinds(), 5*time.Second
	if *attacked > 0 {
		each := *attacked / time.Duration(2*len(kinds))
		for i, k := range kinds {
			by(k.name, kinds[i:i+1], each)
		}
		all = *attacked - each*time.Duration(len(kinds))
	}
	by("all at once", kinds, all)
	t.Logf("%d requests a second by a client with good manners; GOMEMLIMIT=1GiB, 4 GB of addresses\n\n%s", goodRate, &out)
	if err := s.stop(); err != nil {
		t.Errorf("it did not end well: %v", err)
	}
}

// during sends good requests while some kinds attack, and returns how they went and the most
// resident memory.
func during(ctx context.Context, s *server, l *load, a *attack, some []kind, d time.Duration) (*result, int64) {
	attacked, end := context.WithCancel(ctx)
	wait := a.begin(attacked, some)
	var most atomic.Int64
	wait.Go(func() {
		for attacked.Err() == nil {
			most.Store(max(most.Load(), s.resident()))
			pause(attacked, 50*time.Millisecond)
		}
	})
	r := l.run(ctx, goodRate, d)
	end()
	wait.Wait()
	return r, most.Load()
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
