// Package codingtest holds what every comparison model must pass.
package codingtest

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"example.com/patchwork/experiments/rivals/coding"
)

// Fit checks learning: the same rows and seed give the same model, another seed
// another; rows that are none are refused, and an ended context ends it. fit
// learns from rows such as these few with the seed given.
func Fit[M coding.Coder](t *testing.T, rows [][]float64, fit func(ctx context.Context, rows [][]float64, seed uint64) (M, error)) {
	t.Helper()
	learn := func(seed uint64) M {
		m, err := fit(t.Context(), rows, seed)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if a, b := learn(1), learn(1); !reflect.DeepEqual(a, b) {
		t.Error("two runs from one seed differ")
	}
	if a, b := learn(1), learn(2); reflect.DeepEqual(a.Weights(), b.Weights()) {
		t.Error("the seed changes nothing")
	}
	for _, bad := range [][][]float64{nil, {{}}, {{3}}, {{0, 1}, {1}}} {
		if _, err := fit(t.Context(), bad, 1); err == nil {
			t.Errorf("the rows %v were taken", bad)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := fit(ctx, rows, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
