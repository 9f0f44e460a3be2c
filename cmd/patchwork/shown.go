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
// direction could hide what was said. Line ends and tabs stay.
func shown(text string) string {
	bad := func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
	}
	if strings.IndexFunc(text, bad) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if bad(r) {
			return '\uFFFD'
		}
		return r
	}, text)
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
