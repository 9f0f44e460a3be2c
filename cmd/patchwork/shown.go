package main

import (
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"example.com/patchwork/diagnose/words"
)

// terminalWriter writes to a terminal what [words.Visible] leaves, and unless it is plain colours: tables and lists
// that
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
			out.WriteString(words.Visible(string(r)))
		}
		text = text[n:]
	}
	w.rest = append([]byte(nil), text...)
	if _, err := io.WriteString(w.to, out.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}
