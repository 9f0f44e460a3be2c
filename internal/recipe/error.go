package recipe

import (
	"fmt"
	"regexp"
	"strings"
)

// Error is a setting that cannot be used, alone or together with others.
type Error struct {
	Field string // its name in JSON, such as "shift_step"
	text  string // with the names of settings in braces
}

// bad returns an error about a field. Names of settings are in braces, because
// the command and the studio call them differently.
func bad(field, format string, args ...any) error {
	return &Error{field, fmt.Sprintf(format, args...)}
}

// conflict is a setting that cannot be combined with another, if it is set.
type conflict struct {
	field string
	set   bool
	why   string
}

// clash returns an error about the first setting that is set, and cannot be combined with what others say.
func clash(with string, conflicts []conflict) error {
	for _, c := range conflicts {
		if c.set {
			return bad(c.field, "{%s} cannot be combined with %s: %s", c.field, with, c.why)
		}
	}
	return nil
}

var braces = regexp.MustCompile(`\{\w+\}`)

// Error says what is wrong in the words of a JSON request.
func (e *Error) Error() string {
	return braces.ReplaceAllStringFunc(e.text, func(name string) string {
		if name == "{count}" {
			return "the number of parts"
		}
		return strings.Trim(name, "{}")
	})
}

// Flags says what is wrong in the words of the command.
func (e *Error) Flags() string {
	return braces.ReplaceAllStringFunc(e.text, func(name string) string {
		switch name {
		case "{count}":
			return "--experts K, or a range to try such as --experts 2..12"
		case "{auto}":
			return "--experts auto"
		case "{begin}":
			return "--start-from"
		case "{shift_step}":
			return "--shift S:STEP"
		case "{straight}":
			return "--method strokes:NATS"
		}
		return "--" + strings.ReplaceAll(strings.Trim(name, "{}"), "_", "-")
	})
}
