package learn

// This file has absurd requests, each of which once did worse than be refused.

import (
	"context"
	"testing"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// Learning checks its context between the repetitions of a heavy row.
func TestHeavyRowEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := Learn(ctx, patchwork.Data{Images: []*bitmap.Image{bitmap.Parse("#.")}, Weights: []int64{(1 << 31)}},
			patchwork.Config{Height: 1, Width: 2}, Options{Experts: 1, Method: MethodOnline, Starts: 1})
		done <- err
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Error("still learning minutes after the deadline")
	}
}
