package main

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/patchwork"
)

// Chunks reach the reader in their order and complete, however the workers take turns.
func TestRing(t *testing.T) {
	for round := range 50 {
		const n = 200
		workers := 1 + round%7
		r := newRing(1+round%5, n)
		var team sync.WaitGroup
		for range workers {
			team.Go(func() {
				for i, c := r.take(t.Context()); c != nil; i, c = r.take(t.Context()) {
					c.from = -1
					if i%3 == round%3 {
						runtime.Gosched()
					}
					c.from = i
					r.give(i)
				}
			})
		}
		for i := range n {
			if c := r.wait(t.Context(), i); c.from != i {
				t.Fatalf("chunk %d is %d", i, c.from)
			}
			r.free(i)
		}
		team.Wait()
	}
}

// An interruption ends the workers and the reader.
func TestRingInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := newRing(2, 10)
	var team sync.WaitGroup
	team.Go(func() {
		for i, c := r.take(ctx); c != nil; i, c = r.take(ctx) {
			r.give(i)
		}
	})
	r.wait(ctx, 0)
	time.AfterFunc(5*time.Millisecond, cancel)
	team.Wait()
	if c := r.wait(ctx, 1); c != nil {
		t.Error("a chunk after the interruption")
	}
}

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
