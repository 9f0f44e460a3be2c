package studio

import "context"

// File is a file of a form.
type File struct {
	Path    string // of the folder that it was chosen from, or its name
	Content []byte
}

// body is the content of a request's body.
type body struct {
	bytes []byte
	kind  string                 // media type, without parameters
	form  func() ([]File, error) // nil where it is no form
}

// bodyKey is the context value of the body of a request.
type bodyKey struct{}

func withBody(ctx context.Context, b body) context.Context {
	return context.WithValue(ctx, bodyKey{}, b)
}

// bodyOf returns the body of the request of a context.
func bodyOf(ctx context.Context) body {
	b, _ := ctx.Value(bodyKey{}).(body)
	return b
}
