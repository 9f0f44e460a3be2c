package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Desk answers what the API asks without HTTP, as for a page that has all of it in one of its own
// workers. Make one with NewDesk, and Close it.
type Desk struct{ *core }

// NewDesk returns a desk and starts learning the built-in models that were not made
// before. Token and Hosts of the options belong to servers. The error says which limit,
// model or data set is invalid.
func NewDesk(opt Options) (*Desk, error) {
	c, err := newCore(&opt, uncounted{})
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
	Header map[string]string
	Kind   string // media type of the body
	Body   []byte
	Files  []File // of a form, instead of the body
}

// Answer is the answer to a call, whose status is one of HTTP's.
type Answer struct {
	Status int
	Header map[string]string
	Body   []byte
	// Events, if not nil, writes the rest of the body, as it happens.
	Events func(ctx context.Context, write func(text []byte) error)
}

// Answer answers a call.
func (d *Desk) Answer(ctx context.Context, c *Call) *Answer {
	r, path, err := d.route(c)
	if err != nil {
		return problemAnswer(err)
	}
	limit := d.limits.BodyBytes
	if r.file != "" {
		limit = d.limits.UploadBytes
	}
	if int64(len(c.Body)) > limit {
		return problemAnswer(problemf(statusRequestEntityTooLarge, "the body is larger than %d bytes, the limit of this page", limit))
	}
	if err := repeated(r.in, c.Query); err != nil {
		return problemAnswer(err)
	}
	in := reflect.New(r.in).Interface()
	if err := fill(in, path, c.Header, c.Query); err != nil {
		return problemAnswer(err)
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
	out, err := r.safely(withBody(ctx, b), in)
	if err != nil {
		return problemAnswer(err)
	}
	return newAnswer(r, out)
}

// safely answers an operation; a panic is an error of the answer alone.
func (r *route) safely(ctx context.Context, in any) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return r.answer(ctx, in)
}

// route returns the operation of a call, and the parts of its path.
func (d *Desk) route(c *Call) (*route, map[string]string, error) {
	var allowed []string
	for i := range d.operations {
		r := &d.operations[i]
		path := r.match(c.Path)
		if path == nil {
			continue
		}
		if r.method == c.Method {
			return r, path, nil
		}
		allowed = append(allowed, r.method)
	}
	if allowed != nil {
		return nil, nil, problemf(405, "%.20s is not allowed for %.100q; use %s", c.Method, c.Path, strings.Join(allowed, ", "))
	}
	return nil, nil, problemf(statusNotFound, "there is nothing at %.100q", c.Path)
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

// newAnswer returns what an operation answers: its field Body, and headers by the tags of others.
func newAnswer(r *route, out any) *Answer {
	a := &Answer{Status: r.status, Header: map[string]string{}}
	if stream, ok := out.(eventStream); ok {
		if stream == nil {
			return &Answer{Status: statusNoContent}
		}
		a.Header["Content-Type"], a.Events = "text/event-stream", stream
		return a
	}
	v := reflect.ValueOf(out).Elem()
	content := reflect.Value{}
	if v.IsValid() {
		content = v.FieldByName("Body")
	}
	if !content.IsValid() {
		return &Answer{Status: statusNoContent}
	}
	for f := range fieldsOf(v.Type()) {
		if name := f.Tag.Get("header"); name != "" {
			a.Header[name] = v.FieldByIndex(f.Index).String()
		}
	}
	if body, ok := content.Interface().([]byte); ok {
		a.Body = body
		return a
	}
	a.Header["Content-Type"] = "application/json"
	var err error
	if a.Body, err = jsonText(content.Interface()); err != nil {
		return problemAnswer(err)
	}
	return a
}

// problemAnswer returns the answer that an error is.
func problemAnswer(err error) *Answer {
	var p *problemError
	if !errors.As(err, &p) {
		p = problem(500, err.Error())
	}
	text, err := jsonText(p)
	if err != nil {
		text, _ = jsonText(problem(p.Status, p.Detail)) // cannot fail: plain text
	}
	return &Answer{Status: p.Status, Header: map[string]string{"Content-Type": "application/problem+json"}, Body: text}
}

// jsonText returns v as the server writes it: the signs of HTML stand as they are.
func jsonText(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
