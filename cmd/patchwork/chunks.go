package main

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
)

// chunk holds consecutive images of a set, their explanations, and what was made of
// them for the output. Its memory is used again.
type chunk struct {
	patchwork.Explanations
	set      *dataset.Set
	from, to int

	text  []byte // of outputs that are text
	table codes  // of outputs that are tables
	err   error
}

// at returns the explanation of image i of the set.
func (c *chunk) at(i int) patchwork.Explanation { return c.At(i - c.from) }

// inOrder explains images on several goroutines and yields them in the order of the
// input, a chunk at a time. The pursuits serve one part of a task after the other.
type inOrder struct {
	pursuits []*patchwork.Pursuit // one for each worker
	most     int                  // images of a chunk
}

// Bounds of a chunk: where parts do not move, as many images as the pursuit explains
// together, and fewer where few are to be divided among workers or there are many
// parts; else so few that an interruption need not wait.
const (
	chunkMost, chunkLeast = 8192, 16
	chunkCells            = 1 << 20 // images times parts
)

func newInOrder(t *task) (*inOrder, error) {
	first, err := patchwork.NewPursuit(t.model, t.opt)
	if err != nil {
		return nil, request(err)
	}
	o := &inOrder{pursuits: []*patchwork.Pursuit{first}, most: chunkLeast}
	if c := t.model.Config(); !c.Scene && c.Poses.Len() == 1 {
		o.most = max(chunkLeast, min(chunkMost, chunkCells/t.model.K()))
	}
	for range t.workers - 1 {
		o.pursuits = append(o.pursuits, first.Fork())
	}
	return o, nil
}

// chunks yields the images of a set, explained. The workers call finish with every
// chunk, to prepare the output. A chunk is valid until the next one. At most two
// chunks for each worker are in memory.
func (o *inOrder) chunks(ctx context.Context, set *dataset.Set, finish func(*chunk)) iter.Seq2[*chunk, error] {
	return func(yield func(*chunk, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		size := min(max(chunkLeast, set.Len()/64), o.most)
		n := (set.Len() + size - 1) / size
		workers := min(len(o.pursuits), n)
		r := newRing(2*workers, n)
		var team sync.WaitGroup
		for _, p := range o.pursuits[:workers] {
			team.Go(func() {
				for i, c := r.take(ctx); c != nil; i, c = r.take(ctx) {
					c.set, c.from, c.to = set, i*size, min((i+1)*size, set.Len())
					if c.err = p.ExplainAll(set.Images[c.from:c.to], &c.Explanations); c.err == nil {
						finish(c)
					}
					r.give(i)
				}
			})
		}
		defer team.Wait()
		defer cancel()
		for i := range n {
			c := r.wait(ctx, i)
			switch {
			case c == nil:
				yield(nil, context.Cause(ctx))
				return
			case c.err != nil:
				yield(nil, request(fmt.Errorf("%s: %w", set.Source, c.err)))
				return
			case !yield(c, nil):
				return
			}
			r.free(i)
		}
	}
}

// eachChunk explains a task and calls do with every chunk in turn, after finish. The
// gallery gets what it shows. It returns the number of images.
func (a *app) eachChunk(ctx context.Context, t *task, o *inOrder, g *gallery, finish func(*chunk),
	do func(*chunk) error) (int, error) {
	return a.inParts(ctx, t, func(part *task) error {
		for c, err := range o.chunks(ctx, part.set, finish) {
			if err != nil {
				return err
			}
			g.putAll(part.first, c)
			if err := do(c); err != nil {
				return err
			}
			part.bar.add(c.to - c.from)
		}
		return nil
	})
}

// ring passes n numbered chunks from workers to a reader in the order of their numbers.
type ring struct {
	mu      sync.Mutex
	next, n int // the chunk to be taken next, and their number

	slots        []chunk
	empty, ready []chan struct{} // for each slot, at most one signal
}

func newRing(slots, n int) *ring {
	r := &ring{n: n, slots: make([]chunk, slots)}
	for range slots {
		empty := make(chan struct{}, 1)
		empty <- struct{}{}
		r.empty, r.ready = append(r.empty, empty), append(r.ready, make(chan struct{}, 1))
	}
	return r
}

// take returns the next chunk, once its memory is free; nil after the last, or when the
// context ends. Chunks get their memory in their order, or a later one could take that
// of an earlier one.
func (r *ring) take(ctx context.Context) (int, *chunk) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.next
	if i == r.n {
		return i, nil
	}
	r.next++
	return i, r.signal(ctx, r.empty, i)
}

// wait waits until chunk i is complete.
func (r *ring) wait(ctx context.Context, i int) *chunk { return r.signal(ctx, r.ready, i) }

func (r *ring) signal(ctx context.Context, of []chan struct{}, i int) *chunk {
	select {
	case <-of[i%len(of)]:
	case <-ctx.Done():
		return nil
	}
	if ctx.Err() != nil { // both were possible
		return nil
	}
	return &r.slots[i%len(r.slots)]
}

// give says that chunk i is complete, free that it is read.
func (r *ring) give(i int) { r.ready[i%len(r.ready)] <- struct{}{} }
func (r *ring) free(i int) { r.empty[i%len(r.empty)] <- struct{}{} }
