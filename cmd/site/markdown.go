package main

import (
	"bytes"
	"fmt"
	"html/template"
	"image"
	_ "image/png" // for the sizes of pictures
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown is what GitHub reads, with raw HTML, which is our own.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithRendererOptions(html.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(codeBlocks{}, 100))),
)

// marks are replaced by what the program says.
var (
	helpMark     = regexp.MustCompile(`<!-- help (.*?) -->`)
	packagesMark = "<!-- packages -->"
)

// readMarkdown makes a page of Markdown: links lead to pages of the site, headings
// get the anchors that GitHub gives them, and sections are kept for the search.
func (s *site) readMarkdown(p *page, source []byte) error {
	doc := markdown.Parser().Parse(text.NewReader(source))
	if err := s.prepare(p, doc, source); err != nil {
		return err
	}
	if p.source == home {
		s.nav = s.chapters(doc, source)
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, doc); err != nil {
		return err
	}
	body, err := s.fill(p, b.String())
	if err != nil {
		return err
	}
	body = strings.NewReplacer("<table>", `<div class="table"><table>`, "</table>", "</table></div>").Replace(body)
	p.body = template.HTML(s.enlarge(p, body))
	return nil
}

var aPicture = regexp.MustCompile(`<img src="([^"]+)"`)

// enlarge makes pictures links to themselves, to see them large on a phone, and says
// their sizes, so that the text does not jump when they come.
func (s *site) enlarge(p *page, body string) string {
	return regexp.MustCompile(`<img [^>]*>`).ReplaceAllStringFunc(body, func(tag string) string {
		m := aPicture.FindStringSubmatch(tag)
		if m == nil {
			return tag
		}
		f, err := os.Open(filepath.Join(s.root, filepath.FromSlash(path.Join(path.Dir(p.source), m[1]))))
		if err != nil {
			f, err = os.Open(filepath.Join(s.root, "docs", filepath.FromSlash(path.Join(path.Dir(p.address), m[1]))))
		}
		if err != nil {
			return tag
		}
		defer f.Close()
		size := ""
		if c, _, err := image.DecodeConfig(f); err == nil {
			size = fmt.Sprintf(` width="%d" height="%d"`, c.Width, c.Height)
		}
		return `<a class="picture" href="` + m[1] + `"><img` + size + strings.TrimPrefix(tag, "<img") + "</a>"
	})
}

// prepare rewrites links, sets the anchors of headings and collects sections.
func (s *site) prepare(p *page, doc ast.Node, source []byte) error {
	slugs := map[string]int{}
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Heading:
			title := plain(n, source)
			if p.title == "" {
				p.title = title
			}
			anchor := slug(title, slugs)
			n.SetAttributeString("id", []byte(anchor))
			url := p.address
			if n.Level > 1 {
				url += "#" + anchor
			}
			p.sections = append(p.sections, section{Page: p.title, Heading: title, URL: url})
		case *ast.Link:
			n.Destination, err = s.lead(p, n.Destination)
		case *ast.Image:
			n.Destination, err = s.lead(p, n.Destination)
		}
		if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeInline || n.Kind() == ast.KindFencedCodeBlock {
			p.addText(n, source)
		}
		return ast.WalkContinue, err
	})
	if err == nil && len(p.sections) == 0 {
		err = fmt.Errorf("no heading")
	}
	return err
}

// addText adds the text of a block to the section that it stands in.
func (p *page) addText(n ast.Node, source []byte) {
	if n.Kind() == ast.KindHeading || len(p.sections) == 0 {
		return
	}
	at := &p.sections[len(p.sections)-1]
	more := plain(n, source)
	if n.Kind() == ast.KindFencedCodeBlock {
		more = string(n.Lines().Value(source))
	}
	at.Text = strings.TrimSpace(at.Text + " " + strings.Join(strings.Fields(more), " "))
}

// plain returns the text of a node without marks.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

var notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// slug returns the anchor that GitHub gives to a heading; a second heading of the
// same text gets a number.
func slug(title string, used map[string]int) string {
	name := strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
	n := used[name]
	used[name]++
	if n > 0 {
		return fmt.Sprintf("%s-%d", name, n)
	}
	return name
}

// lead returns the address, relative to a page, of what a link in its source names.
// What is linked to becomes a part of the site.
func (s *site) lead(p *page, destination []byte) ([]byte, error) {
	target, fragment, hasFragment := strings.Cut(string(destination), "#")
	if target == "" || strings.Contains(target, ":") {
		return destination, nil
	}
	source := path.Join(path.Dir(p.source), target)
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(source)))
	if err != nil {
		return nil, err
	}
	var to string
	switch {
	case info.IsDir():
		source = path.Join(source, "README.md")
		if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(source))); err != nil {
			return nil, fmt.Errorf("link to the folder %s, which has no README.md", target)
		}
		to = s.want(source)
	case path.Ext(source) == ".md" || shown[path.Ext(source)]:
		to = s.want(source)
	default:
		s.files[source] = true
		to = fileAddress(source)
	}
	to = relative(p.address, to)
	if hasFragment {
		to += "#" + fragment
	}
	return []byte(to), nil
}

// shown are the kinds of files that get a page; others are copied.
var shown = map[string]bool{".go": true, ".txt": true, ".cff": true, ".py": true}

// relative returns the way from one page to another.
func relative(from, to string) string {
	rel, err := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(to))
	if err != nil {
		panic(err) // both are relative to the root of the site
	}
	return filepath.ToSlash(rel)
}

// chapters returns the navigation: headings of the second level, and the first link
// of each point of the lists below them.
func (s *site) chapters(doc ast.Node, source []byte) []chapter {
	var out []chapter
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				out = append(out, chapter{Title: plain(n, source)})
			}
		case *ast.ListItem:
			if first := n.FirstChild(); first != nil && len(out) > 0 {
				if l, ok := first.FirstChild().(*ast.Link); ok {
					at := &out[len(out)-1]
					at.Links = append(at.Links, link{plain(l, source), string(l.Destination)})
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return out
}

// fill replaces the marks in the HTML of a page.
func (s *site) fill(p *page, body string) (string, error) {
	var missing error
	body = helpMark.ReplaceAllStringFunc(body, func(mark string) string {
		command := helpMark.FindStringSubmatch(mark)[1]
		said, err := s.help(command)
		if err != nil {
			missing = err
		}
		for i := range p.sections {
			if p.sections[i].Heading == "patchwork "+command {
				p.sections[i].Text += " " + strings.Join(strings.Fields(said), " ")
			}
		}
		return `<pre class="help"><code>` + template.HTMLEscapeString(said) + "</code></pre>"
	})
	if missing != nil {
		return "", missing
	}
	if strings.Contains(body, packagesMark) {
		list, err := s.packageList(p)
		if err != nil {
			return "", err
		}
		body = strings.ReplaceAll(body, packagesMark, list)
	}
	return body, nil
}

// wraps reports whether a line that a program prints may be wrapped: lines of tables,
// whose columns are apart by spaces, may not, unless they are too long for the page.
func wraps(line string) bool {
	return len(line) > 84 || !strings.Contains(line, "  ")
}

// codeBlocks draws fenced code: of sessions the commands stand out.
type codeBlocks struct{}

// RegisterFuncs implements goldmark's NodeRenderer.
func (codeBlocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		block := n.(*ast.FencedCodeBlock)
		language := string(block.Language(source))
		_, _ = fmt.Fprintf(w, "<pre class=\"%s\"><code>", template.HTMLEscapeString(language))
		for i := range block.Lines().Len() {
			line := block.Lines().At(i)
			value := template.HTMLEscapeString(string(line.Value(source)))
			if command, ok := strings.CutPrefix(value, "$ "); ok && language == "console" {
				value = `<span class="prompt">$ </span><span class="command">` + strings.TrimSuffix(command, "\n") + "</span>\n"
			} else if (language == "console" || language == "") && wraps(string(line.Value(source))) {
				value = `<span class="long">` + strings.TrimSuffix(value, "\n") + "</span>\n"
			}
			_, _ = w.WriteString(value)
		}
		_, _ = w.WriteString("</code></pre>\n")
		return ast.WalkContinue, nil
	})
}
