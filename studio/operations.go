package studio

import (
	"context"
	"reflect"
)

// op describes an operation of the API.
type op struct {
	method, path string
	id, summary  string       // the id is its name in client code
	status       int          // of its answer
	json         reflect.Type // of a JSON body; nil where the body is not JSON
	file         string       // what the body is, where it is a file
	kinds        []string     // media types of bodies that are accepted, too
}

// operation returns the description of an operation.
func operation(method, path, id, summary string, status int) op {
	return op{method: method, path: path, id: id, summary: summary, status: status}
}

// route is an operation with what answers it.
type route struct {
	op
	in, out reflect.Type
	answer  func(ctx context.Context, in any) (out any, err error)
}

// add adds an operation. Fields of I are parameters by their tags; O is the answer: JSON, a file, or nothing.
func add[I, O any](s *core, o op, answer func(context.Context, *I) (*O, error)) {
	s.operations = append(s.operations, route{o, reflect.TypeFor[I](), reflect.TypeFor[O](),
		func(ctx context.Context, in any) (any, error) { return answer(ctx, in.(*I)) }})
}

// addJSON adds an operation with a body in JSON, which is decoded, and answered, when the request has its turn.
func addJSON[I, B, O any](s *core, o op, answer func(context.Context, *I, *B) (*O, error)) {
	o.json = reflect.TypeFor[B]()
	add(s, o, func(ctx context.Context, in *I) (*O, error) {
		b := bodyOf(ctx)
		if b.kind != "" && b.kind != "application/json" {
			return nil, problemf(statusUnsupportedMediaType,
				"the Content-Type %.100q is not accepted here; send application/json", b.kind)
		}
		ctx, leave, err := s.enter(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		req, err := decodeJSON[B](s, b.bytes)
		if err != nil {
			return nil, err
		}
		return answer(ctx, in, req)
	})
}
