package pool_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/patchwork/internal/pool"
)

// TestRun: every number is done once, by an existing worker, or the error is that
// of the lowest failing number, for any number of workers.
func TestRun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, workers, chunk := rapid.IntRange(0, 40).Draw(rt, "n"), rapid.IntRange(-1, 6).Draw(rt, "workers"),
			rapid.IntRange(1, 7).Draw(rt, "chunk")
		bad := map[int]bool{}
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, 45), 0, 3).Draw(rt, "bad") {
			bad[i] = true
		}
		lowest := 0
		for lowest < n && !bad[lowest] {
			lowest++
		}
		done, busy := make([]atomic.Int32, n), make([]atomic.Bool, pool.Size(n, workers, chunk))
		at, err := pool.Run(rt.Context(), n, workers, chunk, func(w, i int) error {
			if !busy[w].CompareAndSwap(false, true) {
				return errors.New("a worker does two things at once")
			}
			defer busy[w].Store(false)
			done[i].Add(1)
			if bad[i] {
				return fmt.Errorf("number %d", i)
			}
			return nil
		})
		if lowest < n {
			if at != lowest || err == nil || err.Error() != fmt.Sprintf("number %d", lowest) {
				rt.Fatalf("at %d: %v, want %d", at, err, lowest)
			}
		} else if err != nil {
			rt.Fatal(err)
		}
		for i := range lowest {
			if d := done[i].Load(); d != 1 {
				rt.Fatalf("number %d was done %d times", i, d)
			}
		}
	})
}

func TestRunStops(t *testing.T) {
	for _, workers := range []int{1, 4} {
		ctx, stop := context.WithCancel(t.Context())
		var calls atomic.Int32
		_, err := pool.Run(ctx, 1000, workers, 3, func(_, i int) error {
			if calls.Add(1) == 10 {
				stop()
			} else if calls.Load() > 10 {
				<-ctx.Done() // the tenth call may be held up before it stops the others
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || calls.Load() > 10+int32(workers) {
			t.Errorf("%d workers: %d calls, %v", workers, calls.Load(), err)
		}
		calls.Store(0)
		at, err := pool.Run(t.Context(), 1000, workers, 1, func(_, i int) error { calls.Add(1); return errors.New("no") })
		if at != 0 || err == nil || calls.Load() > int32(workers) {
			t.Errorf("%d workers: number %d, %v, after %d calls", workers, at, err, calls.Load())
		}
		stop()
	}
}

func TestSize(t *testing.T) {
	for _, c := range [][4]int{{0, 4, 16, 1}, {1, 4, 16, 1}, {17, 4, 16, 2}, {1000, 4, 16, 4}, {1000, 0, 16, 1},
		{5, 9, 1, 5}} {
		if got := pool.Size(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%v: %d", c, got)
		}
	}
}

// collect returns what a sequence yields, and its error.
func collect[T any](seq iter.Seq2[T, error]) (all []T, err error) {
	for v, err := range seq {
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
	return all, nil
}

// TestEmit: everything comes in order, call by call, up to what the first failing
// call has emitted, however many run at a time.
func TestEmit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		counts := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 12).Draw(rt, "emitted by each")
		side, bad := rapid.IntRange(1, 5).Draw(rt, "side"), rapid.IntRange(0, 20).Draw(rt, "the one that fails")
		var busy atomic.Int32
		got, err := collect(pool.Emit(rt.Context(), len(counts), side,
			func(_ context.Context, i int, emit func([2]int)) error {
				defer busy.Add(-1)
				if busy.Add(1) > int32(side) {
					return errors.New("too many at a time")
				}
				for j := range counts[i] {
					emit([2]int{i, j})
					runtime.Gosched()
				}
				if i == bad {
					return fmt.Errorf("number %d", i)
				}
				return nil
			}))
		var want [][2]int
		for i, n := range counts[:min(bad+1, len(counts))] {
			for j := range n {
				want = append(want, [2]int{i, j})
			}
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("%v, want %v", got, want)
		}
		if bad < len(counts) != (err != nil) || err != nil && err.Error() != fmt.Sprintf("number %d", bad) {
			rt.Fatalf("error %v of number %d", err, bad)
		}
	})
}

// TestEmitAsItComes: what the present call emits is yielded before the call ends.
func TestEmitAsItComes(t *testing.T) {
	seen := []chan bool{make(chan bool), make(chan bool)} // of each call: the second waits for its own value, too
	n := 0
	for v, err := range pool.Emit(t.Context(), 2, 2, func(ctx context.Context, i int, emit func(int)) error {
		emit(i)
		select {
		case <-seen[i]:
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Minute):
			return errors.New("the value was not yielded")
		}
		return nil
	}) {
		if err != nil || v != n {
			t.Fatal(v, err)
		}
		n++
		close(seen[v])
	}
	if n != 2 {
		t.Errorf("%d values", n)
	}
}

// TestEmitLeavesNothingBehind: when the caller leaves early or the context ends,
// every call has ended, and nothing but the reason is yielded.
func TestEmitLeavesNothingBehind(t *testing.T) {
	for at := range 12 {
		for _, side := range []int{1, 3, 9} {
			var begun, ended atomic.Int32
			f := func(ctx context.Context, i int, emit func(int)) error {
				begun.Add(1)
				defer ended.Add(1)
				emit(i)
				emit(i)
				if i > 6 {
					<-ctx.Done() // or it would never end
				}
				return ctx.Err()
			}
			n := 0
			for _, err := range pool.Emit(t.Context(), 20, side, f) {
				if err != nil {
					t.Fatal(err)
				}
				if n++; n > at {
					break
				}
			}
			if n != at+1 || begun.Load() != ended.Load() {
				t.Errorf("left at value %d of %d, %d side by side: %d calls of %d have ended", n, at, side, ended.Load(),
					begun.Load())
			}
			ctx, cancel := context.WithCancel(t.Context())
			n = 0
			var last error
			for _, err := range pool.Emit(ctx, 20, side, f) {
				if last = err; err == nil {
					n++
				}
				if n > at {
					cancel()
				}
			}
			cancel()
			if n != at+1 || !errors.Is(last, context.Canceled) || begun.Load() != ended.Load() {
				t.Errorf("cancelled at value %d, %d side by side: %d values, %v, %d calls of %d have ended", at, side, n, last,
					ended.Load(), begun.Load())
			}
		}
	}
}

// TestInTurn: one value each, in order; none of a call that fails.
func TestInTurn(t *testing.T) {
	for _, side := range []int{1, 2, 9} {
		square := func(_ context.Context, i int) (int, error) {
			if i == 7 {
				return 49, errors.New("number 7")
			}
			return i * i, nil
		}
		if got, err := collect(pool.InTurn(t.Context(), 6, side, square)); err != nil ||
			!slices.Equal(got, []int{0, 1, 4, 9, 16, 25}) {
			t.Errorf("%v, %v", got, err)
		}
		if got, err := collect(pool.InTurn(t.Context(), 12, side, square)); err == nil || len(got) != 7 {
			t.Errorf("%v, %v", got, err)
		}
	}
}
