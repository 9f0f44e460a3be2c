package dataset

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// namePattern extracts metadata from the path of a picture inside its folder or
// archive; see Options.Names.
type namePattern struct {
	text   string
	suffix bool // the pattern includes the suffix of the files
	re     *regexp.Regexp
	fields []string
}

// maxPattern bounds a pattern, which is typed by hand.
const maxPattern = 1000

const patternHint = "write them like {y}/{writer}_{sample}.png"

// parsePattern parses a pattern. In it {NAME} matches one or more characters of
// one path element, as few as possible, and {NAME:N} exactly N; they become
// metadata. {} and {:N} match likewise and are left out. `**/` at the beginning
// matches any number of folders. Everything else matches itself.
func parsePattern(text string) (*namePattern, error) {
	bad := func(why string) (*namePattern, error) {
		return nil, &FormatError{Msg: fmt.Sprintf("names %q: %s", shorten(text), why), Hint: patternHint}
	}
	if len(text) > maxPattern {
		return bad(fmt.Sprintf("%d characters", len(text)))
	}
	p := &namePattern{text: text, suffix: slices.Contains(pictureSuffixes, strings.ToLower(path.Ext(text)))}
	rest, deep := strings.CutPrefix(text, "**/")
	expr := "^"
	if deep {
		expr = "^(?:.*/)?"
	}
	for rest != "" {
		plain, after, found := strings.Cut(rest, "{")
		expr += regexp.QuoteMeta(plain)
		if !found {
			break
		}
		field, behind, closed := strings.Cut(after, "}")
		if !closed {
			return bad("a { without }")
		}
		part, why := p.field(field)
		if why != "" {
			return bad(why)
		}
		expr, rest = expr+part, behind
	}
	if len(p.fields) == 0 {
		return bad("no {NAME} in it")
	}
	var err error
	if p.re, err = regexp.Compile("(?s)" + expr + "$"); err != nil {
		return bad("too many fields")
	}
	return p, nil
}

// field returns a field of a pattern as a regular expression, or why it is
// invalid.
func (p *namePattern) field(text string) (expr, why string) {
	name, width, fixed := strings.Cut(text, ":")
	expr = "[^/]+?"
	if fixed {
		n, err := strconv.Atoi(width)
		if err != nil || n < 1 || n > 255 {
			return "", fmt.Sprintf("%q is not a number of characters", width)
		}
		expr = fmt.Sprintf("[^/]{%d}", n)
	}
	switch name = strings.TrimSpace(name); {
	case name == "":
		return expr, ""
	case slices.Contains(p.fields, name):
		return "", fmt.Sprintf("{%s} twice", name)
	case name == "name":
		return "", "{name} already means the whole name; use another name"
	}
	p.fields = append(p.fields, name)
	return "(" + expr + ")", ""
}

// match returns the values of the fields for a path with slashes.
func (p *namePattern) match(name string) ([]string, error) {
	if !p.suffix {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	m := p.re.FindStringSubmatch(name)
	if m == nil {
		return nil, &FormatError{Msg: fmt.Sprintf("%q is not of the form %q that --names gives", name, p.text),
			Hint: "correct the form, or move the file away"}
	}
	return m[1:], nil
}

// naturally compares paths element by element, and runs of digits in them by
// their value: sample 2 before sample 10.
func naturally(a, b string) int {
	for x, y := a, b; ; {
		if x == "" || y == "" {
			if c := cmp.Compare(len(x), len(y)); c != 0 {
				return c
			}
			return strings.Compare(a, b) // such as 7 and 07
		}
		m, n := digits(x), digits(y)
		if m == 0 || n == 0 {
			// The slash sorts before everything else, so that elements are
			// compared as a whole.
			if x[0] != y[0] {
				if x[0] == '/' || y[0] == '/' {
					return cmp.Compare(btoi(y[0] == '/'), btoi(x[0] == '/'))
				}
				return cmp.Compare(x[0], y[0])
			}
			x, y = x[1:], y[1:]
			continue
		}
		v, w := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
		if c := cmp.Or(cmp.Compare(len(v), len(w)), strings.Compare(v, w)); c != 0 {
			return c
		}
		x, y = x[m:], y[n:]
	}
}

// digits returns the number of digits at the beginning of a text.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
