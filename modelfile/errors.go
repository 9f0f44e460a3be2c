package modelfile

import (
	"errors"
	"fmt"
	"strings"

	"example.com/patchwork/internal/npy"
)

// FormatError reports content that is not a model this version can use, or a
// model that a file cannot hold. A zero field does not apply.
type FormatError struct {
	Path   string // file, where it is known
	Member string // member of the zip, such as "experts.npy"
	Field  string // field of model.json
	Offset int64  // byte of the member
	Msg    string // what is wrong
	Hint   string // what to do about it
	Err    error  // cause
}

// Error returns all facts on one line: where, what, and what to do.
func (e *FormatError) Error() string {
	var b strings.Builder
	for _, where := range []struct{ label, name string }{{"", e.Path}, {"", e.Member}, {"field ", e.Field}} {
		if where.name != "" {
			b.WriteString(where.label + where.name + ": ")
		}
	}
	b.WriteString(e.Msg)
	if e.Offset > 0 {
		fmt.Fprintf(&b, " (byte %d)", e.Offset)
	}
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

// in adds the member to a FormatError; other errors are returned unchanged.
func in(err error, member string) error {
	var ne *npy.FormatError
	if !errors.As(err, &ne) {
		return err
	}
	if ne.Member != "" {
		member = ne.Member
	}
	return &FormatError{Member: member, Offset: ne.Offset, Msg: ne.Msg, Hint: ne.Hint, Err: ne.Err}
}

// misfit wraps an error of a package that checks part of a model.
func misfit(err error, member string) error {
	return &FormatError{Member: member, Msg: "not part of a valid model", Err: err}
}
