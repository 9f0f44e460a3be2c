package dataset

import (
	"bytes"
	"context"
)

// Decode is like [Read] for one file whose content is in memory, such as an
// upload; see [OpenFiles]. It ends with the context's error soon after the end of the context.
func Decode(ctx context.Context, name string, data []byte, opts Options) (*Set, error) {
	if opts.Kind != Number {
		opts.Kind = Bit
	}
	s, err := OpenFiles(ctx, []File{{name, data}}, opts)
	if err != nil {
		return nil, err
	}
	return s.frame, nil
}

// held are files that are in memory.
type held struct {
	ctx     context.Context // reading ends with it
	content map[string][]byte
}

// whileReader reads until its context ends.
type whileReader struct {
	ctx context.Context
	*bytes.Reader
}

// ReadAt implements [io.ReaderAt].
func (w *whileReader) ReadAt(p []byte, at int64) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.Reader.ReadAt(p, at)
}
