package render

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"example.com/patchwork/internal/atomicfile"
)

// FormatError reports a path whose extension is not a picture format.
type FormatError struct{ Path string }

// Error implements the error interface.
func (e *FormatError) Error() string {
	return fmt.Sprintf("render: %s: pictures are written as .png or .svg", e.Path)
}

// Save writes a picture to a file, as PNG or SVG by the extension of its path.
// The file is written completely or not at all. The error is a *FormatError
// (nothing was written) or names the path.
func Save(path string, p Picture) error {
	write, err := Encoder(context.Background(), path, p)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, write)
}

// Encoder returns what writes a picture in the format of a path, until the context ends. It is for those
// who open files themselves.
func Encoder(ctx context.Context, path string, p Picture) (func(io.Writer) error, error) {
	var write func(io.Writer, Picture) error
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		write = WritePNG
	case ".svg":
		write = WriteSVG
	default:
		return nil, &FormatError{path}
	}
	return func(w io.Writer) error { return write(&untilWriter{ctx, w}, p) }, nil
}

// untilWriter writes until a context ends.
type untilWriter struct {
	ctx context.Context
	w   io.Writer
}

func (u *untilWriter) Write(b []byte) (int, error) {
	if err := context.Cause(u.ctx); err != nil {
		return 0, err
	}
	return u.w.Write(b)
}
