package strictjson

import (
	"fmt"
	"strings"
	"unicode"
)

// Bounds limits what a text may hold, so that no few bytes of it take much memory or time to
// decode: an entry of a list has two bytes there, and hundreds as a struct.
type Bounds struct {
	Objects int // all of them; null in a list counts, for it may become one
	Lists   int // all of them
	Values  int // entries of all lists and fields of all objects
	Fields  int // of one object
	Text    int // bytes of one text or name, as they are written
	Blanks  int // between all these

	// Own reports whether a field of the outermost object is another's, who says what is in
	// it: there, null may be in a list, objects have up to Objects fields, and texts any length.
	Own       func(name string) bool
	All       int // bytes of such fields together
	OwnValues int // of them together
}

const (
	maxNumber = 64 // bytes
	maxNested = 64
	fewer     = "leave some out"
)

// BoundError reports a text beyond its [Bounds].
type BoundError struct {
	Field        string // of the outermost object; "" for none
	Problem, Way string // Way may be ""
}

// Error implements the error interface.
func (e *BoundError) Error() string {
	out := e.Problem
	if e.Field != "" {
		out = fmt.Sprintf("field %s: ", e.Field) + out
	}
	if e.Way != "" {
		out += "; " + e.Way
	}
	return out
}

// Scan checks a text as it is written to it, in little memory. It does not check that the text is
// JSON: what it says of another text means nothing.
type Scan struct {
	b    Bounds
	err  error
	open []level

	quoted, escaped, key bool   // in a text; behind a backslash; it is the name of a field
	bare                 bool   // in a number or a word
	length               int    // of either, so far
	name                 []byte // the beginning of the name of a field of the outermost object
	field                string // that one
	own                  bool   // it is another's

	objects, lists, values, ownValues, blanks, all int
}

// level is an object or a list that is open.
type level struct {
	object bool
	name   bool // a name comes next
	fields int
}

// NewScan returns the scan of one text.
func NewScan(b Bounds) *Scan { return &Scan{b: b} }

// Scanned returns a *[BoundError] for a text beyond the bounds.
func Scanned(text []byte, b Bounds) error {
	_, err := NewScan(b).Write(text)
	return err
}

// Write takes the next bytes. Its error, a *[BoundError], is final.
func (s *Scan) Write(p []byte) (int, error) {
	for i := 0; i < len(p) && s.err == nil; i++ {
		s.next(p[i])
	}
	return len(p), s.err
}

// Values returns how many values there were.
func (s *Scan) Values() int { return s.values }

func (s *Scan) next(c byte) {
	if s.own {
		if s.all++; s.all > s.b.All {
			s.bad("keep them in a file of their own", "more than %d bytes, with other fields like it", s.b.All)
		}
	}
	switch {
	case s.quoted:
		s.text(c)
	case c == '"':
		s.bare, s.quoted, s.length, s.name = false, true, 0, s.name[:0]
		s.key = len(s.open) > 0 && s.open[len(s.open)-1].name
		if s.key {
			s.count()
		}
	case c == '{', c == '[':
		s.bare = false
		s.begin(c == '{')
	case c == '}', c == ']':
		s.bare = false
		s.open = s.open[:max(0, len(s.open)-1)]
		if len(s.open) == 0 {
			s.own = false
		}
	case c == ',':
		s.bare = false
		s.comma()
	case c == ':':
		s.bare = false
	case c == ' ', c == '\n', c == '\t', c == '\r':
		s.bare = false
		if s.blanks++; s.blanks > s.b.Blanks {
			s.bad("write it without", "more than %d blanks", s.b.Blanks)
		}
	default:
		s.word(c)
	}
}

// text takes a byte of a text, or its end.
func (s *Scan) text(c byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = true
	case c == '"':
		s.quoted = false
		if s.key {
			s.open[len(s.open)-1].name = false
		}
		if s.key && len(s.open) == 1 {
			s.field = string(s.name)
			s.own = s.b.Own != nil && s.b.Own(s.field)
		}
		return
	}
	if s.length++; s.length > s.b.Text && (s.key || !s.own) {
		s.bad("shorten it", "a text has more than %d bytes", s.b.Text)
	}
	if s.key && len(s.name) < 64 {
		s.name = append(s.name, c)
	}
}

// count counts a field of the innermost object.
func (s *Scan) count() {
	top, most := &s.open[len(s.open)-1], s.b.Fields
	if s.own {
		most = s.b.Objects
	}
	if top.fields++; top.fields > most {
		s.bad(fewer, "an object has more than %d fields", most)
	}
}

func (s *Scan) begin(object bool) {
	if object {
		s.objects++
	} else {
		s.lists++
	}
	s.check()
	if len(s.open) == maxNested {
		s.bad("make it flatter", "lists and objects are in each other more than %d deep", maxNested)
		return
	}
	s.open = append(s.open, level{object: object, name: object})
}

func (s *Scan) comma() {
	if s.values++; s.own {
		s.ownValues++
	}
	s.check()
	if n := len(s.open); n > 0 {
		s.open[n-1].name = s.open[n-1].object
	}
	if len(s.open) == 1 {
		s.own, s.field = false, ""
	}
}

// word takes a byte of a number, or of true, false and null.
func (s *Scan) word(c byte) {
	if !s.bare {
		s.bare, s.length = true, 0
		if c == 'n' && len(s.open) > 0 && !s.open[len(s.open)-1].object {
			if !s.own {
				s.bad("leave it out", "null is in a list")
			}
			s.objects++
			s.check()
		}
	}
	if s.length++; s.length > maxNumber {
		s.bad("round it", "a number has more than %d bytes", maxNumber)
	}
}

func (s *Scan) check() {
	switch {
	case s.objects > s.b.Objects:
		s.bad(fewer, "more than %d objects", s.b.Objects)
	case s.lists > s.b.Lists:
		s.bad(fewer, "more than %d lists", s.b.Lists)
	case s.own && s.ownValues > s.b.OwnValues:
		s.bad("keep them in a file of their own", "more than %d values, with other fields like it", s.b.OwnValues)
	case s.values > s.b.Values:
		s.bad(fewer, "more than %d values", s.b.Values)
	}
}

// bad ends the scan.
func (s *Scan) bad(way, format string, args ...any) {
	if s.err == nil {
		field := strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return -1
		}, strings.ToValidUTF8(s.field, ""))
		s.err = &BoundError{field, fmt.Sprintf(format, args...), way}
	}
}
