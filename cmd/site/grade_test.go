package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sklearn is the grade, measured by the same function, of the prose of scikit-learn's
// user guide: 763 words of its chapters on mixtures and on matrix factorisation.
const sklearn = 12.7

// No page is harder to read than scikit-learn's user guide, and together they are
// easier by two grades at least.
func TestGrade(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	all := ""
	for _, name := range pages {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := prose(data)
		all += text
		if g, _ := grade(text); g > sklearn {
			t.Errorf("%s: grade %.1f, more than %.1f: shorten its sentences and words", name, g, sklearn)
		}
	}
	if g, words := grade(all); g > sklearn-2 || words < 15000 {
		t.Errorf("all pages: grade %.1f of %d words", g, words)
	}
}

// Examples that are counted by hand.
func TestGradeOfSentences(t *testing.T) {
	for _, c := range []struct {
		text  string
		grade float64
		words int
	}{
		{"The cat sat on the mat.", 0.39*6 + 11.8*1 - 15.59, 6},
		{"It is simple. We repeat it.", 0.39*3 + 11.8*8/6 - 15.59, 6},
		{"", 0, 0},
	} {
		g, words := grade(c.text)
		if words != c.words || g-c.grade > 1e-9 || c.grade-g > 1e-9 {
			t.Errorf("%q: grade %v of %d words, want %v of %d", c.text, g, words, c.grade, c.words)
		}
	}
	text := prose([]byte("# No heading\n\nA `name with words` and [a link](x.md).\n\n```sh\nno code\n```\n\n| no | table |\n|---|---|\n| a | b |\n\n- a point\n"))
	if want := "A code and a link.\na point.\n"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	for word, n := range map[string]int{"made": 1, "table": 2, "explained": 2, "learned": 1, "rotated": 3, "idea": 2, "a": 1} {
		if got := syllables(word); got != n {
			t.Errorf("%s: %d syllables, want %d", word, got, n)
		}
	}
	if strings.Contains(prose([]byte("![a picture](x.png)\n")), "picture") {
		t.Error("the text of a picture is counted")
	}
}
