package pool

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// TestRested: work rests before each of its pieces, also under contexts that are derived; without
// such a context it does not; an end is heard as ever.
func TestRested(t *testing.T) {
	var rests atomic.Int64
	ctx, cancel := WithCancel(Rested(t.Context(), func() { rests.Add(1) }))
	if _, err := Run(ctx, 10, 2, 1, func(int, int) error { return nil }); err != nil || rests.Load() < 10 {
		t.Errorf("Run: %d rests, %v", rests.Load(), err)
	}
	rests.Store(0)
	for _, err := range InTurn(ctx, 5, 1, func(ctx context.Context, i int) (int, error) {
		_, err := Run(ctx, 10, 1, 1, func(int, int) error { return nil })
		return i, err
	}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if rests.Load() < 50 {
		t.Errorf("a Run inside of InTurn: %d rests", rests.Load())
	}
	cancel()
	if at, err := Run(ctx, 10, 2, 1, func(int, int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %d, %v", at, err)
	}
	timed, stop := context.WithTimeout(Rested(t.Context(), func() {}), time.Nanosecond)
	defer stop()
	<-timed.Done()
	if !errors.Is(timed.Err(), context.DeadlineExceeded) {
		t.Errorf("timed: %v", timed.Err())
	}
	rests.Store(0)
	plain, end := WithCancel(t.Context())
	defer end()
	if _, ok := plain.(resting); ok || plain.Err() != nil || rests.Load() != 0 {
		t.Error("a context rests that should not")
	}
}
