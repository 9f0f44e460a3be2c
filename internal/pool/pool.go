// Package pool distributes numbered pieces of work over goroutines so that the
// result does not depend on their number.
package pool

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
)

// Chunk is the minimum number of images that a worker takes at a time, so that
// handing them out costs nothing.
const Chunk = 16

// Run calls do(worker, i) for i from 0 to n-1 on [Size] goroutines, the
// workers, which are numbered from 0. Each takes chunk numbers at a time, in
// order; calls of one worker do not overlap. To keep results in order, do
// writes the result of i to its own slot.
//
// The error is the context's, or that of the lowest failing i, which is
// returned as at: numbers are handed out in order and every number handed out
// is finished, so all lower ones succeeded. After an error no more are handed
// out.
func Run(ctx context.Context, n, workers, chunk int, do func(worker, i int) error) (at int, err error) {
	workers = Size(n, workers, chunk)
	where, errs := make([]int, workers), make([]error, workers)
	var next atomic.Int64 // chunks handed out
	var failed atomic.Bool
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for !failed.Load() { // checked before taking a chunk: a chunk taken is always finished
				from := (int(next.Add(1)) - 1) * chunk
				if from >= n {
					return
				}
				for i := from; i < min(from+chunk, n); i++ {
					if errs[w] = ctx.Err(); errs[w] == nil {
						errs[w] = do(w, i)
					}
					if errs[w] != nil {
						where[w] = i
						failed.Store(true)
						return
					}
				}
			}
		})
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	w := Lowest(where, errs)
	return where[w], errs[w]
}

// Size returns how many of the requested workers have work to do for n numbers
// taken chunk at a time, at least 1.
func Size(n, workers, chunk int) int { return max(1, min(workers, (n+chunk-1)/chunk)) }

// Lowest returns the worker whose error has the lowest number at, or any worker
// if none has an error. It panics if there are no workers.
func Lowest(at []int, errs []error) int {
	lowest := 0
	for w, err := range errs {
		if err != nil && (errs[lowest] == nil || at[w] < at[lowest]) {
			lowest = w
		}
	}
	return lowest
}

// InTurn computes f(0), ..., f(n-1), up to side at a time, and yields them in
// order. It leaves no goroutine behind: when the caller stops early it cancels
// the context of the running calls and waits for them.
func InTurn[T any](ctx context.Context, n, side int, f func(context.Context, int) (T, error)) iter.Seq2[T, error] {
	type result struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		results := make([]chan result, n)
		for i := range results {
			results[i] = make(chan result, 1)
		}
		var next atomic.Int64
		done := make(chan struct{})
		for range side {
			go func() {
				defer func() { done <- struct{}{} }()
				for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
					v, err := f(ctx, i)
					results[i] <- result{v, err}
				}
			}()
		}
		defer func() {
			cancel()
			for range side {
				<-done
			}
		}()
		for i := range n {
			select {
			case r := <-results[i]:
				if !yield(r.value, r.err) || r.err != nil {
					return
				}
			case <-ctx.Done():
				var none T
				yield(none, ctx.Err())
				return
			}
		}
	}
}
