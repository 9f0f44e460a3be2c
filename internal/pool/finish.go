package pool

import "context"

type endKey struct{}

// Until returns ctx with a second context, which bounds what is still done once ctx has
// ended; see [Finish].
func Until(ctx, end context.Context) context.Context { return context.WithValue(ctx, endKey{}, end) }

// Finish returns the context for what is left to do when ctx has ended, such as to judge what
// was found: it ends with the one that [Until] gave to ctx, or never.
func Finish(ctx context.Context) context.Context {
	if end, ok := ctx.Value(endKey{}).(context.Context); ok {
		return end
	}
	return context.WithoutCancel(ctx)
}
