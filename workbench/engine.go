package workbench

import (
	"context"
	"iter"
	"slices"
	"sync"

	"example.com/patchwork/dataset"
)

// engine explains the parts of frames, as many at once as it has hands.
type engine struct {
	hands       []hand
	least, most int   // rows of a part
	err         error // why it cannot explain
}

// hand explains rows, whose number and frame are given, on one goroutine.
type hand func(context.Context, *Explained) error

// least is so few rows that an interruption need not wait.
const least = 16

// forked returns an engine that does something with rows by forks of the first, one for each worker.
func forked[P any](workers int, first P, err error, fork func(P) P,
	do func(context.Context, P, *Explained) error) *engine {
	e := &engine{least: least, most: 1024, err: err}
	for w := range max(workers, 1) {
		p := first
		if w > 0 && err == nil {
			p = fork(first)
		}
		e.hands = append(e.hands, func(ctx context.Context, x *Explained) error { return do(ctx, p, x) })
	}
	return e
}

// explain explains frames in their order, of which only one is in memory. What is yielded is valid until the next: its
// memory is used again.
func (e *engine) explain(ctx context.Context, data iter.Seq2[*dataset.Frame, error],
	then func(*Explained)) iter.Seq2[*Explained, error] {
	return func(yield func(*Explained, error) bool) {
		if e.err != nil {
			yield(nil, e.err)
			return
		}
		for f, err := range data {
			if err != nil {
				yield(nil, err)
				return
			}
			if !e.frame(ctx, f, then, yield) {
				return
			}
		}
	}
}

// frame explains a frame, and reports whether more are wanted. At most two parts for each hand are in memory.
func (e *engine) frame(ctx context.Context, f *dataset.Frame, then func(*Explained),
	yield func(*Explained, error) bool) (more bool) {
	ctx, cancel := context.WithCancel(ctx)
	spare, order := make(chan *Explained, 2*len(e.hands)), make(chan chan *Explained, 2*len(e.hands))
	for range cap(spare) {
		spare <- new(Explained)
	}
	var team sync.WaitGroup
	team.Go(func() { e.handOut(ctx, f, then, spare, order, &team) })
	defer team.Wait()
	defer cancel()
	for done := range order {
		x := <-done
		switch {
		case ctx.Err() != nil:
		case x.err != nil:
			yield(nil, x.err)
			return false
		case !yield(x, nil):
			return false
		}
		spare <- x
	}
	if ctx.Err() != nil {
		yield(nil, context.Cause(ctx))
		return false
	}
	return true
}

// handOut gives the parts of a frame to hands that are idle, and puts what each will send into order.
func (e *engine) handOut(ctx context.Context, f *dataset.Frame, then func(*Explained), spare chan *Explained,
	order chan chan *Explained, team *sync.WaitGroup) {
	defer close(order)
	idle := make(chan hand, len(e.hands))
	for _, h := range e.hands {
		idle <- h
	}
	size := min(max(e.least, f.Len()/64), e.most)
	for from := 0; from < f.Len() && ctx.Err() == nil; from += size {
		select {
		case x := <-spare:
			x.begin(f, from, min(size, f.Len()-from))
			h, done := <-idle, make(chan *Explained, 1)
			order <- done // there is room for as many as there are parts
			team.Go(func() {
				if x.err = h(ctx, x); x.err == nil && then != nil {
					then(x)
				}
				idle <- h
				done <- x
			})
		case <-ctx.Done():
		}
	}
}

// begin makes x n rows of a frame that are not explained yet.
func (x *Explained) begin(f *dataset.Frame, from, n int) {
	x.Frame, x.From = f, from
	clear(x.Rows)
	x.Rows = slices.Grow(x.Rows[:0], n)[:n]
	for i := range x.Rows {
		x.Rows[i].Index = f.InputRow(from + i)
	}
}

// fill yields what the hands of an engine predict.
func (e *engine) fill(ctx context.Context, data iter.Seq2[*dataset.Frame, error]) iter.Seq2[*Filled, error] {
	return mapped(e.explain(ctx, data, nil), func(x *Explained) *Filled { return x.Out.(*Filled) })
}

// mapped yields what is made of each of some parts of data.
func mapped[F, T any](parts iter.Seq2[F, error], of func(F) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for f, err := range parts {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			if !yield(of(f), nil) {
				return
			}
		}
	}
}
