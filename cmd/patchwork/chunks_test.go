package main

import (
	"context"
	"errors"
	"slices"
	"testing"

	"example.com/patchwork"
)

// What chunks explains is what the library explains, for any number of workers, and it
// ends when the reader or the context does.
func TestChunks(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	set := readSet(t, "t.npz")
	m, err := loadModel("model.npz")
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 7} {
		o, err := newInOrder(&task{model: m, workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var picks [][]patchwork.Pick
		for c, err := range o.chunks(t.Context(), set, func(*chunk) {}) {
			if err != nil {
				t.Fatal(err)
			}
			for i := c.from; i < c.to; i++ {
				picks = append(picks, slices.Clone(c.at(i).Picks))
			}
		}
		if len(picks) != set.Len() {
			t.Fatalf("%d explanations of %d images", len(picks), set.Len())
		}
		for i, img := range set.Images {
			e, err := m.Explain(img)
			if err != nil || !slices.Equal(e.Picks, picks[i]) {
				t.Errorf("%d workers: image %d has %v, %v; the library says %v", workers, i, picks[i], err, e.Picks)
			}
		}
		for range o.chunks(t.Context(), set, func(*chunk) {}) {
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, err := range o.chunks(ctx, set, func(*chunk) {}) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%d workers: error %v", workers, err)
			}
		}
	}
}
