package studio

import "context"

// describer is nothing here: only a server describes its operations.
type describer struct{}

func describe[I, O any](op, func(context.Context, *I) (*O, error)) (d describer) { return d }

func describeEvents[I any](op, func(context.Context, *I) (eventStream, error)) (d describer) {
	return d
}
