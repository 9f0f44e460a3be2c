package dataset

// encoders encodes groups of rows on several goroutines and writes them in their order.
type encoders struct {
	encode  func(values []any, rows int) (write func() error, err error)
	most    int         // goroutines
	pending []*encoding // in their order
}

// encoding is a group on its way.
type encoding struct {
	values []any
	done   chan struct{} // closed when the rest is set
	write  func() error
	err    error
}

// put begins to encode a group, and takes its memory. Before, if there are as many
// under way as may be, it waits for the first and writes it; it returns the memory of
// that, else nil.
func (q *encoders) put(values []any, rows int) (spare []any, err error) {
	if len(q.pending) == q.most {
		if spare, err = q.next(); err != nil {
			return spare, err
		}
	}
	e := &encoding{values: values, done: make(chan struct{})}
	q.pending = append(q.pending, e)
	go func() {
		defer close(e.done)
		e.write, e.err = q.encode(values, rows)
	}()
	return spare, nil
}

// next writes the first of the groups under way and returns its memory.
func (q *encoders) next() ([]any, error) {
	e := q.pending[0]
	q.pending = q.pending[1:]
	<-e.done
	return e.values, now(e.write, e.err)
}

// now calls what encode returned.
func now(write func() error, err error) error {
	if err != nil {
		return err
	}
	return write()
}

// finish writes all groups under way.
func (q *encoders) finish() error {
	for len(q.pending) > 0 {
		if _, err := q.next(); err != nil {
			return err
		}
	}
	return nil
}

// wait waits until no goroutine is at work.
func (q *encoders) wait() {
	for _, e := range q.pending {
		<-e.done
	}
}
