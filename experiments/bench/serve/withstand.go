package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"
)

// goodRate is how many requests a second the client with good manners sends.
const goodRate = 10

// bounds of an attack that was withstood.
const (
	mostP99      = time.Second
	mostResident = 1500 << 20
)

// withstand attacks the server by each kind in turn and then by all at once, and returns an
// error unless the client with good manners was answered throughout.
func (p *plan) withstand(ctx context.Context, w io.Writer, s *server, l *load) error {
	files, err := hostileFiles(p.hostile)
	if err != nil {
		return err
	}
	if err := l.prepare(ctx, s.url, p.model, p.data, 1); err != nil {
		return err
	}
	a := &attack{host: strings.TrimPrefix(s.url, "http://"), files: files}
	if text := a.post(ctx, "POST", "/v1/models", largeModel()); !strings.Contains(string(text), `"m1"`) {
		return fmt.Errorf("the model that is asked for could not be uploaded: %.200s", text)
	}
	fmt.Fprintf(w, "%d requests a second by a client with good manners; GOMEMLIMIT=1GiB, 4 GB of addresses\n\n| attack "+
		"| attackers' requests | answered 200 | p50 ms | p99 ms | max ms | 503 | errors | resident MB, most "+
		"|\n|---|---|---|---|---|---|---|---|---|\n", goodRate)
	kinds := a.kinds()
	each := p.attack / time.Duration(2*len(kinds))
	bad := ""
	one := func(name string, some []kind, d time.Duration) {
		r, resident := p.during(ctx, s, l, a, some, d)
		fmt.Fprintf(w, "| %s | %d | %d | %s | %s | %s | %d | %d | %.0f |\n", name, a.sent.Swap(0), len(r.good),
			ms(r.quantile(.5)), ms(r.quantile(.99)), ms(r.quantile(1)), r.busy, r.bad, mb(resident))
		switch {
		case bad != "" || ctx.Err() != nil:
		case r.bad > 0:
			bad = fmt.Sprintf("%s: %d requests failed, the first: %s", name, r.bad, r.badFirst)
		case r.busy > 0:
			bad = fmt.Sprintf("%s: %d requests were answered 503", name, r.busy)
		case r.quantile(.99) > mostP99:
			bad = fmt.Sprintf("%s: p99 %v", name, r.quantile(.99))
		case resident > mostResident:
			bad = fmt.Sprintf("%s: %.0f MB resident", name, mb(resident))
		}
	}
	for i, k := range kinds {
		one(k.name, kinds[i:i+1], each)
	}
	one("all at once", kinds, p.attack-each*time.Duration(len(kinds)))
	if ctx.Err() == nil && bad != "" {
		return fmt.Errorf("not withstood: %s", bad)
	}
	return ctx.Err()
}

// during sends good requests while some kinds attack, and returns how they went and the most
// resident memory.
func (p *plan) during(ctx context.Context, s *server, l *load, a *attack, some []kind, d time.Duration) (*result,
	int64) {
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
