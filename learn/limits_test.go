package learn

// This file has absurd requests, each of which once did worse than be refused.

import (
	"context"
	"math"
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

// Strengths that are negative, NaN or infinite are refused.
func TestBadStrengthIsRefused(t *testing.T) {
	m, _ := patchwork.NewModel(patchwork.Config{Height: 1, Width: 2, Q: 0.1}, [][]float64{{0.5, 0.5}})
	for _, s := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := ResumeOnline(m, [][]float64{{1, s}}, OnlineOptions{Pursuit: patchwork.PursuitOptions{Forced: true}}); err == nil {
			t.Errorf("strength %v is accepted", s)
		}
	}
}

// An image cannot be learned a negative number of times.
func TestNegativeWeightIsRefused(t *testing.T) {
	o, _ := NewOnline(patchwork.Config{Height: 1, Width: 1}, OnlineOptions{Experts: 1})
	if e, err := o.Add(bitmap.Parse("#"), -1); e == nil && err == nil {
		t.Error("weight -1: no explanation and no error")
	}
}
