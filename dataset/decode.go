package dataset

import (
	"bytes"
	"context"
	"errors"
)

// Decode is like [Read] for one file whose content is in memory, such as an
// upload. name replaces the path in messages, in Source and as the name of a
// picture; no file is opened. Options.Labels must be empty. data must not
// change during the call; Decode does not keep it, and ends with the context's
// error soon after the end of the context.
func Decode(ctx context.Context, name string, data []byte, opts Options) (*Set, error) {
	opts.Kind = Bit
	f, err := decode(ctx, name, data, opts)
	if err != nil {
		return nil, err
	}
	return f.Set, nil
}

// decode reads bits, or numbers as read does.
func decode(ctx context.Context, name string, data []byte, opts Options) (*Frame, error) {
	if len(opts.Labels) > 0 {
		return nil, &FormatError{Path: name, Msg: "label files cannot be combined with content in memory",
			Hint: "put the labels into an .npz"}
	}
	if err := opts.check([]string{name}); err != nil {
		return nil, err
	}
	in := newInput(opts)
	in.either = opts.open([]string{name})
	var d decoder
	part, err := in.collect(func() (*opened, error) {
		var err error
		content := &whileReader{ctx, bytes.NewReader(data)}
		d, err = in.file(name, content, content, int64(len(data)))
		return &opened{in: in, decoder: d}, err
	})
	if errors.Is(err, errSizes) {
		err = sizesOfContent(d)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, at(err, name)
	}
	if part.numbers != nil {
		return in.numbers(part, name)
	}
	var out joiner
	if err := out.add(part, name); err != nil {
		return nil, err
	}
	set := out.done(&opts)
	set.Notes = append(in.seen.notes(&opts), part.Notes...)
	if len(opts.Where) > 0 {
		set, err = set.Where(opts.Where...)
	}
	return &Frame{Set: set}, err
}

// whileReader reads until its context ends.
type whileReader struct {
	ctx context.Context
	r   *bytes.Reader
}

func (w *whileReader) Read(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.r.Read(p)
}

func (w *whileReader) ReadAt(p []byte, at int64) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.r.ReadAt(p, at)
}
