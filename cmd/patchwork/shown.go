package main

import (
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shown returns text as it may go to a terminal: names and messages may come from files,
// whose control characters could move the cursor or change the title, and whose marks of
// direction could hide what was said. What unseen reports becomes U+FFFD; line ends and tabs stay.
func shown(text string) string {
	if strings.IndexFunc(text, unseen) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unseen(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// unseen reports whether a character controls a terminal, or cannot be seen: marks of direction, breaks of lines and
// paragraphs, blanks of no width, and all else that Unicode calls a format character. So two names that look alike
// are alike. Joiners inside of words are among them, though some scripts use them there; the Arabic signs that go
// before a number are seen, and stay.
func unseen(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// terminalWriter writes to a terminal what shown allows, and unless it is plain colours: tables and lists that
// go to a terminal hold names and cells of files, too.
type terminalWriter struct {
	to    io.Writer
	plain bool
	rest  []byte // the beginning of a character or of a change of colour
}

// colour matches a change of colour, and beginning one that may become it.
var (
	colour    = regexp.MustCompile(`^\x1b\[[0-9;]{0,30}m`)
	beginning = regexp.MustCompile(`^\x1b(\[[0-9;]{0,30})?$`)
)

func (w *terminalWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	var out strings.Builder
	for len(text) > 0 {
		if c := colour.Find(text); c != nil && !w.plain {
			out.Write(c)
			text = text[len(c):]
			continue
		}
		if beginning.Match(text) && !w.plain || !utf8.FullRune(text) {
			break
		}
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			out.WriteString("\uFFFD")
		} else {
			out.WriteString(shown(string(r)))
		}
		text = text[n:]
	}
	w.rest = append([]byte(nil), text...)
	if _, err := io.WriteString(w.to, out.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}
