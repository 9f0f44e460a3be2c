package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// prose are the sentences of a page: paragraphs and points of lists, without
// headings, tables, code and pictures. A name in backticks counts as a word of one
// syllable, since it is read as a name.
func prose(source []byte) string {
	var b strings.Builder
	doc := markdown.Parser().Parse(text.NewReader(source))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindHeading, ast.KindFencedCodeBlock, ast.KindCodeBlock, ast.KindHTMLBlock:
			return ast.WalkSkipChildren, nil
		case ast.KindParagraph, ast.KindTextBlock:
			if words := sentences(n, source); words != "" {
				b.WriteString(words)
				b.WriteString(".\n")
			}
			return ast.WalkSkipChildren, nil
		}
		if n.Kind().String() == "Table" {
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// sentences returns the text of a paragraph, with a word for each piece of code.
func sentences(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			b.WriteString("code")
			return ast.WalkSkipChildren, nil
		case *ast.Image:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Trim(strings.TrimSpace(b.String()), ".")
}

var (
	endOfSentence = regexp.MustCompile(`[.!?]+["')]*(?:\s|$)`)
	aWord         = regexp.MustCompile(`\p{L}[\p{L}'’-]*`)
	vowels        = regexp.MustCompile(`[aeiouy]+`)
)

// syllables returns about how many syllables an English word has: its groups of
// vowels, without a silent e at the end.
func syllables(word string) int {
	word = strings.ToLower(word)
	n := len(vowels.FindAllString(word, -1))
	if n > 1 && strings.HasSuffix(word, "e") && !strings.HasSuffix(word, "le") || n > 1 && strings.HasSuffix(word, "ed") && !strings.HasSuffix(word, "ted") && !strings.HasSuffix(word, "ded") {
		n--
	}
	return max(n, 1)
}

// grade returns the reading grade of Flesch and Kincaid (1975),
// 0.39 words/sentences + 11.8 syllables/words - 15.59, and the number of words.
func grade(text string) (grade float64, words int) {
	sentences, sounds := 0, 0
	for _, s := range endOfSentence.Split(text, -1) {
		found := aWord.FindAllString(s, -1)
		if len(found) == 0 {
			continue
		}
		sentences++
		words += len(found)
		for _, w := range found {
			sounds += syllables(w)
		}
	}
	if words == 0 {
		return 0, 0
	}
	return 0.39*float64(words)/float64(sentences) + 11.8*float64(sounds)/float64(words) - 15.59, words
}

// printGrades prints the grade of every page below docs/, and of the README.
func printGrades(w io.Writer, root string) error {
	all := ""
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return err
	}
	more, err := filepath.Glob(filepath.Join(root, "docs", "*", "*.md"))
	if err != nil {
		return err
	}
	for _, name := range append(append([]string{filepath.Join(root, "README.md")}, pages...), more...) {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		words := prose(data)
		g, n := grade(words)
		all += words
		fmt.Fprintf(w, "%5.1f  %5d words  %s\n", g, n, name)
	}
	g, n := grade(all)
	_, err = fmt.Fprintf(w, "%5.1f  %5d words  together\n", g, n)
	return err
}
