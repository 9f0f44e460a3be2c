package figures

import (
	"context"
	"sync"

	"example.com/patchwork/internal/pool"
)

// each runs f(0) to f(n-1) on the workers of the options and reports the
// progress of a figure. f must write its result to its own slot, so that
// nothing depends on the order. The error is the context's, or that of the
// lowest index.
func (o Options) each(ctx context.Context, figure string, n int, f func(ctx context.Context, i int) error) error {
	var mu sync.Mutex
	done := 0
	_, err := pool.Run(ctx, n, o.Workers, 1, func(_, i int) error {
		if err := f(ctx, i); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if done++; o.Progress != nil {
			o.Progress(figure, done, n)
		}
		return nil
	})
	return err
}
