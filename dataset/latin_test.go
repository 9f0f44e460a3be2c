package dataset

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
	"pgregory.net/rapid"
)

// TestLatin: UTF-8 stays, text of Windows-1252 is decoded wherever the parts of it break,
// and the result is UTF-8 always.
func TestLatin(t *testing.T) {
	decode := func(data []byte, small bool) (string, bool) {
		var found bool
		var r io.Reader = bytes.NewReader(data)
		if small {
			r = iotest.OneByteReader(r)
		}
		out, err := io.ReadAll(transform.NewReader(r, latin{found: &found}))
		if err != nil {
			t.Fatal(err)
		}
		return string(out), found
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		for _, small := range []bool{false, true} {
			if got, found := decode([]byte(text), small); got != text || found {
				t.Fatalf("%q becomes %q", text, got)
			}
		}
		junk := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		whole, found := decode(junk, false)
		parts, again := decode(junk, true)
		if whole != parts || found != again || !utf8.ValidString(whole) || found == utf8.Valid(junk) {
			t.Fatalf("%q becomes %q, in parts %q", junk, whole, parts)
		}
	})
	latin, err := charmap.Windows1252.NewEncoder().String("höhe,größe €\n1,0\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, found := decode([]byte(latin), true); got != "höhe,größe €\n1,0\n" || !found {
		t.Errorf("%q", got)
	}
	s, err := Decode(context.Background(), "t.csv", []byte(latin), Options{})
	if err != nil || !slices.Equal(s.Columns, []string{"höhe", "größe €"}) ||
		!slices.Contains(sentences(s), "text that is not UTF-8 was read as Latin-1 (Windows-1252)") {
		t.Errorf("%v, %v", s, err)
	}
}

// TestHeaderAgain: a header that stands among the rows is left out and said; rows that
// are equal to a first row are rows.
func TestHeaderAgain(t *testing.T) {
	for name, c := range map[string]struct{ text, want, note string }{
		"once": {"site,Poa\nu,1\nv,0\nsite,Poa\nw,1\n", "#\n.\n#\n",
			"1 line has the header again and was left out, the first in line 4"},
		"twice": {"Poa,Salix\n1,0\nPoa,Salix\nPoa,Salix\n0,1\n", "#.\n.#\n",
			"2 lines have the header again and were left out, the first in line 3"},
		"equal rows":   {"1,0\n1,0\n0,1\n1,0\n", "#.\n#.\n.#\n#.\n", ""},
		"bits above":   {"0,1\n0,1\n1,1\n", ".#\n.#\n##\n", ""},
		"of one value": {"yes,no\nyes,no\nno,no\n", "#.\n#.\n..\n", ""},
	} {
		s, err := Decode(context.Background(), "t.csv", []byte(c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again := slices.DeleteFunc(sentences(s), func(n string) bool { return !strings.Contains(n, "header again") })
		if pixels(s) != c.want || strings.Join(again, "|") != c.note {
			t.Errorf("%s: notes %q\n%s", name, sentences(s), pixels(s))
		}
	}
}

// TestNamedItemsAreStreamed: the names of lists are the same read at once and in parts.
func TestNamedItemsAreStreamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plants.data")
	if err := os.WriteFile(path, []byte("fir,de,ch\noak,de\nelm,ch,fr,de\nash,fr\nyew\nbeech,de,fr\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	opts := Options{Items: true, partBytes: 1}
	want, err := Read([]string{path}, opts)
	if err != nil {
		t.Fatal(err)
	}
	got, err := gather(t.Context(), []string{path}, opts, 0, -1)
	if err != nil || got.Len() != 6 || pixels(got) != pixels(want) || got.Called()(4) != "yew" ||
		want.Called()(4) != "yew" {
		t.Errorf("%v, %v", got, err)
	}
}
