// Command site turns the Markdown pages of docs/ into HTML files that link to each
// other, with a search that runs in the browser. Nothing is fetched from elsewhere.
//
//	go run ./cmd/site           writes build/site; open build/site/index.html
//	go run ./cmd/site -o DIR    writes DIR instead
//
// The lists of docs/README.md are the navigation.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

var (
	//go:embed assets/page.html
	pageHTML string
	//go:embed assets/site.css
	css []byte
	//go:embed assets/site.js
	script []byte

	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
	markdown     = goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()))
)

// home is the page whose lists are the navigation.
const home = "docs/README.md"

// page is a page of the site.
type page struct {
	source   string // path in the repository, with slashes
	address  string // path in the site
	title    string
	body     template.HTML
	sections []section
}

// section is what the search finds: a heading and the text below it.
type section struct {
	Page    string `json:"p"`
	Heading string `json:"h"`
	URL     string `json:"u"`
	Text    string `json:"t"`
}

// chapter is a part of the navigation.
type chapter struct {
	Title string
	Links []link
}

type link struct{ Title, URL string }

// site has the pages in the order in which they are found, from the home on, and the
// files that are copied.
type site struct {
	root  string
	pages []*page
	known map[string]*page // by source
	files map[string]bool  // by their paths in the repository
	nav   []chapter
}

func main() {
	root := flag.String("C", ".", "the root of the repository")
	out := flag.String("o", "build/site", "the folder to write to")
	flag.Parse()
	s, err := newSite(*root)
	if err == nil {
		err = s.write(*out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("wrote %s: %d pages\n", filepath.Join(*out, "index.html"), len(s.pages))
}

// newSite reads the home and all pages that it leads to.
func newSite(root string) (*site, error) {
	s := &site{root: root, known: map[string]*page{}, files: map[string]bool{}}
	s.want(home)
	for i := 0; i < len(s.pages); i++ { // reading a page may add others
		if err := s.read(s.pages[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", s.pages[i].source, err)
		}
	}
	return s, nil
}

// want adds a page, once, and returns its address.
func (s *site) want(source string) string {
	p := s.known[source]
	if p == nil {
		base := strings.TrimSuffix(address(source), ".md")
		if path.Base(base) == "README" {
			base = path.Join(path.Dir(base), "index")
		}
		p = &page{source: source, address: base + ".html"}
		s.known[source] = p
		s.pages = append(s.pages, p)
	}
	return p.address
}

// address returns where a file of the repository is in the site: what is in docs/ at
// the top, the rest below repository/.
func address(source string) string {
	if name, ok := strings.CutPrefix(source, "docs/"); ok {
		return name
	}
	return "repository/" + source
}

// read makes a page of its Markdown: links lead to pages of the site, and sections
// are kept for the search.
func (s *site) read(p *page) error {
	source, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(p.source)))
	if err != nil {
		return err
	}
	doc := markdown.Parser().Parse(text.NewReader(source))
	err = ast.Walk(doc, func(n ast.Node, entering bool) (_ ast.WalkStatus, err error) {
		var to *[]byte
		switch n := n.(type) {
		case *ast.Link:
			to = &n.Destination
		case *ast.Image:
			to = &n.Destination
		}
		if entering && to != nil {
			*to, err = s.lead(p, string(*to))
		}
		return ast.WalkContinue, err
	})
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := markdown.Renderer().Render(&b, source, doc); err != nil {
		return err
	}
	p.body = template.HTML(b.String())
	return s.cut(p, b.String())
}

var (
	heading = regexp.MustCompile(`(?s)<h([1-6]) id="([^"]*)">(.*?)</h[1-6]>`)
	listed  = regexp.MustCompile(`(?s)<li>\s*(?:<p>)?<a href="([^"]*)">(.*?)</a>`)
	tag     = regexp.MustCompile(`<[^>]*>`)
)

// cut cuts the markup of a page into sections at its headings; those of the home are chapters too.
func (s *site) cut(p *page, markup string) error {
	at := heading.FindAllStringSubmatchIndex(markup, -1)
	if len(at) == 0 {
		return fmt.Errorf("no heading")
	}
	p.title = plain(markup[at[0][6]:at[0][7]])
	for i, m := range at {
		level, id, body := markup[m[2]:m[3]], markup[m[4]:m[5]], markup[m[1]:]
		if i+1 < len(at) {
			body = markup[m[1]:at[i+1][0]]
		}
		sec := section{Page: p.title, Heading: plain(markup[m[6]:m[7]]), URL: p.address, Text: plain(body)}
		if level != "1" {
			sec.URL += "#" + id
		}
		p.sections = append(p.sections, sec)
		if p.source == home && level == "2" {
			c := chapter{Title: sec.Heading}
			for _, l := range listed.FindAllStringSubmatch(body, -1) {
				c.Links = append(c.Links, link{plain(l[2]), l[1]})
			}
			s.nav = append(s.nav, c)
		}
	}
	return nil
}

// plain returns the text of markup.
func plain(markup string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(markup, ""))), " ")
}

// lead returns the address, relative to a page, of what a link in its source names.
// What is linked to becomes a part of the site.
func (s *site) lead(p *page, destination string) ([]byte, error) {
	target, fragment, anchored := strings.Cut(destination, "#")
	if target == "" || strings.Contains(target, ":") {
		return []byte(destination), nil
	}
	source := path.Join(path.Dir(p.source), target)
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(source)))
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		source = path.Join(source, "README.md")
	}
	to := address(source)
	if path.Ext(source) == ".md" {
		to = s.want(source)
	} else {
		s.files[source] = true
	}
	rel, err := filepath.Rel(filepath.FromSlash(path.Dir(p.address)), filepath.FromSlash(to))
	if anchored {
		rel += "#" + fragment
	}
	return []byte(filepath.ToSlash(rel)), err
}

// write writes the site into a folder.
func (s *site) write(dir string) error {
	files := map[string][]byte{"assets/site.css": css, "assets/site.js": script}
	var index []section
	for _, p := range s.pages {
		var b bytes.Buffer
		if err := pageTemplate.Execute(&b, s.view(p)); err != nil {
			return err
		}
		files[p.address] = b.Bytes()
		index = append(index, p.sections...)
	}
	for name := range s.files {
		data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		files[address(name)] = data
	}
	found, err := json.Marshal(index)
	if err != nil {
		return err
	}
	// A script, not JSON that is fetched: pages opened as files may not fetch.
	files["assets/index.js"] = fmt.Appendf(nil, "window.patchworkIndex = %s;\n", found)
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// view is what the template of a page shows.
type view struct {
	Title, Top, Here, Home, Source string // Top leads from the page to the root of the site
	Body                           template.HTML
	Chapters                       []chapter
	Before, After                  *link
	Sections                       []link
}

func (s *site) view(p *page) view {
	v := view{Title: p.title, Body: p.body, Here: p.address, Source: p.source, Chapters: s.nav}
	v.Top = strings.Repeat("../", strings.Count(p.address, "/"))
	v.Home = v.Top + s.pages[0].address
	var all []link
	for _, c := range s.nav {
		all = append(all, c.Links...)
	}
	for i := range all {
		switch {
		case i > 0 && all[i-1].URL == p.address:
			v.After = &all[i]
		case i+1 < len(all) && all[i+1].URL == p.address:
			v.Before = &all[i]
		}
	}
	for _, sec := range p.sections {
		if _, anchor, ok := strings.Cut(sec.URL, "#"); ok {
			v.Sections = append(v.Sections, link{sec.Heading, "#" + anchor})
		}
	}
	return v
}
