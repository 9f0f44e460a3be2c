package pool_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/internal/pool"
)

// TestRun: an existing worker does every number once, or the error is that of
// the lowest failing number, for any number of workers.
func TestRun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, workers, chunk := rapid.IntRange(0, 40).Draw(rt, "n"), rapid.IntRange(-1, 6).Draw(rt, "workers"), rapid.IntRange(1, 7).Draw(rt, "chunk")
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
	for _, c := range [][4]int{{0, 4, 16, 1}, {1, 4, 16, 1}, {17, 4, 16, 2}, {1000, 4, 16, 4}, {1000, 0, 16, 1}, {5, 9, 1, 5}} {
		if got := pool.Size(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%v: %d", c, got)
		}
	}
}
