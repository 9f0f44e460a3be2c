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
// order. See Emit.
func InTurn[T any](ctx context.Context, n, side int, f func(context.Context, int) (T, error)) iter.Seq2[T, error] {
	return Emit(ctx, n, side, func(ctx context.Context, i int, emit func(T)) error {
		v, err := f(ctx, i)
		if err == nil {
			emit(v)
		}
		return err
	})
}

// Emit runs f(0), ..., f(n-1), up to side at a time, and yields what each of
// them emits: first all of f(0), as it comes, then all of f(1), and so on. What
// is emitted before its turn waits in memory. The first error ends the sequence;
// after the end of the context nothing is yielded but its error.
// Emit leaves no goroutine behind: if the caller stops early, it cancels the
// context of the calls under way and waits for them.
func Emit[T any](ctx context.Context, n, side int, f func(ctx context.Context, i int, emit func(T)) error) iter.Seq2[T,
	error] {
	return func(yield func(T, error) bool) {
		ctx, cancel := WithCancel(ctx)
		queues := make([]queue[T], n)
		for i := range queues {
			queues[i].more = make(chan struct{}, 1)
		}
		var next atomic.Int64
		var team sync.WaitGroup
		for range side {
			team.Go(func() {
				for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
					queues[i].end(f(ctx, i, queues[i].push))
				}
			})
		}
		defer team.Wait()
		defer cancel()
		var none T
		for i := range queues {
			for over := false; !over; {
				select {
				case <-queues[i].more:
				case <-ctx.Done():
				}
				var values []T
				var err error
				values, over, err = queues[i].take()
				for _, v := range values {
					if ctx.Err() != nil {
						break
					}
					if !yield(v, nil) {
						return
					}
				}
				if ctx.Err() != nil {
					err = ctx.Err()
				}
				if err != nil {
					yield(none, err)
					return
				}
			}
		}
	}
}

// queue holds what one call has emitted and has not been taken.
type queue[T any] struct {
	mu     sync.Mutex
	values []T
	over   bool
	err    error
	more   chan struct{} // holds one element if there is something to take
}

func (q *queue[T]) push(v T) {
	q.mu.Lock()
	q.values = append(q.values, v)
	q.mu.Unlock()
	q.ring()
}

func (q *queue[T]) end(err error) {
	q.mu.Lock()
	q.over, q.err = true, err
	q.mu.Unlock()
	q.ring()
}

func (q *queue[T]) ring() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

func (q *queue[T]) take() (values []T, over bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	values, q.values = q.values, nil
	return values, q.over, q.err
}
