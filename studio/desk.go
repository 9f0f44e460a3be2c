package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Desk answers what the API asks without HTTP, as for a page that has all of it in one of its own
// workers. Make one with NewDesk, and Close it.
type Desk struct{ *core }

// NewDesk returns a desk and starts learning the built-in models that were not made
// before. Token and Hosts of the options belong to servers. The error says which limit,
// model or data set is invalid.
func NewDesk(opt Options) (*Desk, error) {
	c, err := newCore(&opt)
	if err != nil {
		return nil, err
	}
	if !opt.NoBuiltin {
		c.build()
	}
	return &Desk{c}, nil
}

// Call is a request of the API.
type Call struct {
	Method string
	Path   string // without the query, not escaped
	Query  map[string][]string
	Kind   string // media type of the body
	Body   []byte
	Files  []File // of a form, instead of the body
}

// Answer is the answer to a call, whose status is one of HTTP's.
type Answer struct {
	Status int
	Header map[string]string
	Body   []byte
}

// Answer answers a call.
func (d *Desk) Answer(ctx context.Context, c *Call) (a *Answer) {
	defer func() { // a panic is an error of the answer alone
		if p := recover(); p != nil {
			a = problemAnswer(fmt.Errorf("internal error: %v", p))
		}
	}()
	r, path, err := d.routeOf(c.Method, c.Path)
	if err != nil {
		return problemAnswer(err)
	}
	if limit := d.bodyLimit(r); int64(len(c.Body)) > limit {
		return problemAnswer(problemf(statusRequestEntityTooLarge, "the body is larger than %d bytes, the limit of this page",
			limit))
	}
	b := body{bytes: c.Body, kind: c.Kind}
	if c.Files != nil {
		b.form = func() ([]File, error) { return c.Files, nil }
		for _, f := range c.Files { // one is enough to say that there is something
			if len(b.bytes) == 0 {
				b.bytes = f.Content
			}
		}
	}
	if a, err = d.reply(ctx, r, path, c, b); err != nil {
		return problemAnswer(err)
	}
	return a
}

// reply answers a call whose operation was found and whose body was read.
func (s *core) reply(ctx context.Context, r *route, path map[string]string, c *Call, b body) (*Answer, error) {
	in := reflect.New(r.in).Interface()
	if err := fill(in, path, c.Query); err != nil {
		return nil, err
	}
	out, err := r.answer(withBody(ctx, b), in)
	if err != nil {
		return nil, err
	}
	return newAnswer(r, out)
}

// bodyLimit returns the maximum size of the body of an operation.
func (s *core) bodyLimit(r *route) int64 {
	switch {
	case r.file != "":
		return s.limits.UploadBytes
	case r.method == "GET" || r.method == "DELETE":
		return 0
	}
	return s.limits.BodyBytes // the page sends {} where nothing is to be said
}

// routeOf returns the operation of a call, and the parts of its path.
func (s *core) routeOf(method, at string) (*route, map[string]string, error) {
	var allowed []string
	for i := range s.operations {
		r := &s.operations[i]
		path := r.match(at)
		if path == nil {
			continue
		}
		if r.method == method {
			return r, path, nil
		}
		allowed = append(allowed, r.method)
	}
	if allowed != nil {
		slices.Sort(allowed)
		return nil, nil, notAllowed(method, at, strings.Join(allowed, ", "))
	}
	return nil, nil, problemf(statusNotFound, "there is nothing at %.100q; /openapi.json describes the API", at)
}

// match returns the parts of a path that fits the operation's, or nil.
func (r *route) match(path string) map[string]string {
	have, want := strings.Split(path, "/"), strings.Split(r.path, "/")
	if len(have) != len(want) {
		return nil
	}
	out := map[string]string{}
	for i, w := range want {
		if name, ok := strings.CutPrefix(w, "{"); ok {
			out[strings.TrimSuffix(name, "}")] = have[i]
		} else if w != have[i] {
			return nil
		}
	}
	return out
}

// newAnswer returns what an operation answers: a file, JSON, or nothing for nil.
func newAnswer(r *route, out any) (a *Answer, err error) {
	a = &Answer{Status: r.status, Header: map[string]string{"Content-Type": "application/json"}}
	switch out := out.(type) {
	case *file:
		a.Header["Content-Type"], a.Header["Content-Disposition"], a.Body = out.kind, out.disposition, out.content
	case *struct{}:
		return &Answer{Status: statusNoContent}, nil
	default:
		a.Body, err = jsonText(out)
	}
	return a, err
}

// problemAnswer returns the answer that an error is.
func problemAnswer(err error) *Answer {
	p := problemOf(err)
	text, err := jsonText(p)
	if err != nil {
		text, _ = jsonText(problem(p.Status, p.Detail)) // cannot fail: plain text
	}
	a := &Answer{Status: p.Status, Header: map[string]string{"Content-Type": "application/problem+json"}, Body: text}
	if p.retry > 0 {
		a.Header["Retry-After"] = strconv.Itoa(p.retry)
	}
	if p.allow != "" {
		a.Header["Allow"] = p.allow
	}
	return a
}

// jsonText returns v as the server writes it: the signs of HTML stand as they are.
func jsonText(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
