package paper

import (
	"context"
	"sync"
)

// each runs f(0) to f(n-1) on the workers of the options and counts them in
// the progress of a figure. f must write its result to a place of its own, so
// that nothing depends on the order. The error is that of the lowest index
// among those that failed before the rest was given up.
func (o Options) each(ctx context.Context, figure string, n int, f func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		mu         sync.Mutex
		wait       sync.WaitGroup
		next, done int
		failed     = n
		first      error
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == n || first != nil || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	finish := func(i int, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			if i < failed {
				failed, first = i, err
			}
			return
		}
		if done++; o.Progress != nil {
			o.Progress(figure, done, n)
		}
	}
	for range max(1, min(o.Workers, n)) {
		wait.Go(func() {
			for {
				i, ok := take()
				if !ok {
					return
				}
				finish(i, f(ctx, i))
			}
		})
	}
	wait.Wait()
	if first != nil {
		return first
	}
	return ctx.Err()
}
