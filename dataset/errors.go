package dataset

import (
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"example.com/patchwork/internal/npy"
)

// FormatError reports input that was read but cannot be used: malformed,
// damaged, of the wrong shape, or without something requested (an array, a
// column, a condition that selects nothing). Positions count from 1; a zero
// field does not apply.
type FormatError struct {
	Path   string // file, or the files of a set; "" if not known
	Array  string // array inside an archive
	Line   int    // line of a text file
	Row    int    // image, or row of a table
	Column string // name of a table column, or its number
	Offset int64  // byte of the (uncompressed) stream
	Msg    string // what is wrong
	Hint   string // what to do about it, may be ""
	Err    error  // cause, may be nil

	memory bool     // the input is too large for Options.MaxMemory
	fix    []string // flags, each of which helps
	noData bool     // no column is left as data
	early  bool     // the error may go away when the whole file is examined before it is read
}

// ErrMemory is the target for [errors.Is] of errors about input that holds more
// than [Options].MaxMemory allows. [OpenStream] may read it in parts.
var ErrMemory = errors.New("more than fits in memory")

// Is reports whether e matches target, which may be ErrMemory.
func (e *FormatError) Is(target error) bool {
	return e.memory && target == ErrMemory
}

// Fix returns flags of a command line, each of which helps; nil where none is known.
func (e *FormatError) Fix() []string { return e.fix }

// Error returns all facts on one line: what, where, and what to do.
func (e *FormatError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	var at []string
	if e.Array != "" {
		at = append(at, fmt.Sprintf("array %q", e.Array))
	}
	if e.Line > 0 {
		at = append(at, fmt.Sprintf("line %d", e.Line))
	}
	if e.Row > 0 {
		at = append(at, fmt.Sprintf("row %d", e.Row))
	}
	if e.Column != "" {
		at = append(at, fmt.Sprintf("column %q", shortName(e.Column)))
	}
	if e.Offset > 0 {
		at = append(at, fmt.Sprintf("byte %d", e.Offset))
	}
	if len(at) > 0 {
		b.WriteString(strings.Join(at, ", ") + ": ")
	}
	b.WriteString(e.Msg)
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(b.String())
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// at adds the path to an error about content, and converts the errors with
// which the standard library reports damaged content. It returns all others,
// such as disk errors, unchanged.
func at(err error, path string) error {
	path = shown(path)
	var fe *FormatError
	if errors.As(err, &fe) {
		if fe.Path == "" {
			fe.Path = path
		}
		return err
	}
	var ne *npy.FormatError
	if errors.As(err, &ne) {
		return &FormatError{Path: path, Array: strings.TrimSuffix(ne.Member, ".npy"), Offset: ne.Offset, Msg: ne.Msg,
			Hint: ne.Hint, Err: ne.Err}
	}
	var corrupt flate.CorruptInputError
	if errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrAlgorithm) ||
		errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zlib.ErrHeader) ||
		errors.Is(err, zlib.ErrChecksum) || errors.Is(err, zlib.ErrDictionary) || errors.As(err, &corrupt) {
		return &FormatError{Path: path, Msg: "damaged compressed data", Hint: "copy or pack the file again", Err: err}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &FormatError{Path: path, Msg: "cut off", Hint: "copy or save the file again", Err: io.ErrUnexpectedEOF}
	}
	return err
}

// errBeyond says what is wrong where a library that follows the positions in a file leaves it.
var errBeyond = errors.New("positions in it lie outside of its parts")

// plainPanic returns the error of a panic of a library over damaged content, without Go's words
// for it, such as "slice bounds out of range".
func plainPanic(err error) error {
	var re runtime.Error
	if errors.As(err, &re) || strings.Contains(err.Error(), "runtime error") {
		return errBeyond
	}
	return err
}

// mostListed is how many columns a command line lists.
const mostListed = 10

// mostNamed is how many names a message lists.
const mostNamed = 20

// list joins names for a message, cut to a readable length.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if len(names) > mostNamed {
		return strings.Join(names[:mostNamed], ", ") + fmt.Sprintf(", ... (%d in all)", len(names))
	}
	return strings.Join(names, ", ")
}

// listShort is like list for names of a file, which may be of any length.
func listShort(names []string) string {
	out := make([]string, len(names)) // list shows the first
	for i := range min(len(names), mostNamed) {
		out[i] = shortName(names[i])
	}
	return list(out)
}

// shorten shortens a cell, and shortName the name of a column, that nobody would read to its end.
func shorten(cell string) string   { return cut(cell, 40) }
func shortName(name string) string { return cut(name, 100) }

// cut returns a text of at most so many letters, and "..." for the others.
func cut(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return strings.Map(func(r rune) rune { return r }, text[:i]) + "..." // what is not UTF-8 is replaced
		}
	}
	return text
}
