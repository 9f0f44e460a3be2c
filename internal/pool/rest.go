package pool

import "context"

// Rested returns a context whose Err calls rest before it answers; so do contexts that
// [WithCancel], [Run] and [Emit] derive from it. Long work asks for the error again and
// again: where one thread does everything, as in a browser, rest can let others have their
// turn. Several goroutines may call it at once.
func Rested(ctx context.Context, rest func()) context.Context { return resting{ctx, rest} }

type resting struct {
	context.Context
	rest func()
}

func (r resting) Err() error {
	r.rest()
	return r.Context.Err()
}

// WithCancel is context.WithCancel, but that the context rests if the given one does.
func WithCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	derived, cancel := context.WithCancel(ctx)
	if r, ok := ctx.(resting); ok {
		derived = resting{derived, r.rest}
	}
	return derived, cancel
}
