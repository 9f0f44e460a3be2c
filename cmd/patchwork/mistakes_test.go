package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestNotMistakes: files that look wrong and can be read without a doubt are read,
// with a note where something was decided.
func TestNotMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "want.csv", "a,b\n1,0\n0,1\n1,0\n")
	must(t, "learn", "want.csv", "-k", "1", "-o", "want.npz", "-q")
	for name, c := range map[string]struct{ content, notes string }{
		"UTF-16 with a mark":  {"\xff\xfe" + wide("a,b\n1,0\n0,1\n1,0\n"), ""},
		"CRLF and semicolons": {"\xef\xbb\xbfa;b\r\n1;0\r\n0;1\r\n1;0\r\n", ""},
		"words":               {"a,b\nYES,no\nn,True\npresent,absent\n", ""},
		"trailing delimiters": {"a,b,\n1,0,\n0,1,\n1,0,\n",
			"every line ends in a delimiter; the empty last column is left out"},
		"an index of pandas": {",a,b\n0,1,0\n1,0,1\n2,1,0\n", `"row" counts or names the rows and is taken as a label`},
		"names of rows":      {"site,a,b\nmoor,1,0\nfen,0,1\nbog,1,0\n", "site is taken as a label"},
		"gzip":               {packed("a,b\n1,0\n0,1\n1,0\n"), ""},
	} {
		write(t, "t.csv", c.content)
		var errs bytes.Buffer
		if code := run(context.Background(), fields("learn t.csv -k 1 -o t.npz"),
			console{out: &bytes.Buffer{}, err: &errs, getenv: os.Getenv}); code != 0 {
			t.Errorf("%s: %s", name, &errs)
			continue
		}
		var notes []string
		for line := range strings.Lines(errs.String()) {
			if note, ok := strings.CutPrefix(line, "patchwork: note: "); ok {
				notes = append(notes, strings.TrimSpace(note))
			}
		}
		if got := strings.Join(notes, "|"); got != c.notes {
			t.Errorf("%s: notes %q", name, got)
		}
		if a, b := experts(t, "t.npz"), experts(t, "want.npz"); a != b {
			t.Errorf("%s: another model", name)
		}
	}
}

// experts returns the experts of a model file as text.
func experts(t *testing.T, path string) string {
	m, err := loadModel(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(m.Template(0))
}

// wide encodes text in UTF-16, without a mark.
func wide(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// packed compresses text with gzip.
func packed(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}
