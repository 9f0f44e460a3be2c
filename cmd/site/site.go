package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"strings"
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

// site is what is written: pages in the order in which they are found, from the home
// on, and files that are copied.
type site struct {
	root    string
	pages   []*page
	known   map[string]*page // by source
	files   map[string]bool  // to copy, by their paths in the repository
	program string           // says the help of its commands
	nav     []chapter
	waiting []string
}

// newSite reads all pages that the home leads to. The program says its help.
func newSite(root, program string) (*site, error) {
	s := &site{root: root, program: program, known: map[string]*page{}, files: map[string]bool{}}
	s.want(home)
	if err := s.readAll(); err != nil {
		return nil, err
	}
	return s, s.addOthers()
}

// readAll reads the pages that wait, and those that they lead to.
func (s *site) readAll() error {
	for len(s.waiting) > 0 {
		next := s.waiting[0]
		s.waiting = s.waiting[1:]
		if err := s.read(s.known[next]); err != nil {
			return fmt.Errorf("%s: %w", next, err)
		}
	}
	return nil
}

// addOthers adds the pages of docs/ that nothing leads to, as a last chapter.
func (s *site) addOthers() error {
	last := chapter{Title: "More"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		names, err := filepath.Glob(filepath.Join(s.root, filepath.FromSlash(pattern)))
		if err != nil {
			return err
		}
		for _, name := range names {
			rel, err := filepath.Rel(s.root, name)
			if err != nil {
				return err
			}
			source := filepath.ToSlash(rel)
			if s.known[source] != nil {
				continue
			}
			to := s.want(source)
			if err := s.readAll(); err != nil {
				return err
			}
			last.Links = append(last.Links, link{s.known[source].title, to})
		}
	}
	if len(last.Links) > 0 {
		s.nav = append(s.nav, last)
	}
	return nil
}

// want puts a page on the list of pages to read, once, and returns its address.
func (s *site) want(source string) string {
	p := s.known[source]
	if p == nil {
		p = &page{source: source, address: address(source)}
		s.known[source] = p
		s.pages = append(s.pages, p)
		s.waiting = append(s.waiting, source)
	}
	return p.address
}

// address returns where the page of a file stands in the site: pages of docs/ at the
// top, others below repository/.
func address(source string) string {
	name, ok := strings.CutPrefix(source, "docs/")
	if !ok {
		name = "repository/" + source
	}
	if base, ok := strings.CutSuffix(name, ".md"); ok {
		if path.Base(base) == "README" {
			base = path.Join(path.Dir(base), "index")
		}
		return base + ".html"
	}
	return name + ".html" // a page that shows the file
}

// read makes a page of its source.
func (s *site) read(p *page) error {
	if packageDir, ok := strings.CutPrefix(p.source, apiPrefix); ok {
		return s.readPackage(p, packageDir)
	}
	text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(p.source)))
	if err != nil {
		return err
	}
	if path.Ext(p.source) != ".md" {
		return s.readSource(p, string(text))
	}
	return s.readMarkdown(p, text)
}

// readSource makes a page that shows a file as it is.
func (s *site) readSource(p *page, text string) error {
	p.title = p.source
	p.body = template.HTML("<h1><code>" + template.HTMLEscapeString(p.source) + "</code></h1>\n<pre><code>" + template.HTMLEscapeString(text) + "</code></pre>\n")
	return nil
}

var (
	//go:embed assets/page.html
	pageHTML string
	//go:embed assets/site.css
	css []byte
	//go:embed assets/site.js
	script []byte

	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
)

// write writes the site into a folder.
func (s *site) write(dir string) error {
	var index []section
	for i, p := range s.pages {
		var b bytes.Buffer
		if err := pageTemplate.Execute(&b, s.view(i)); err != nil {
			return err
		}
		if err := writeFile(dir, p.address, b.Bytes()); err != nil {
			return err
		}
		index = append(index, p.sections...)
	}
	for name := range s.files {
		data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if err := writeFile(dir, fileAddress(name), data); err != nil {
			return err
		}
	}
	found, err := json.Marshal(index)
	if err != nil {
		return err
	}
	// A script, not JSON that is fetched: pages opened as files may not fetch.
	found = append(append([]byte("window.patchworkIndex = "), found...), ";\n"...)
	for name, data := range map[string][]byte{"assets/site.css": css, "assets/site.js": script, "assets/index.js": found} {
		if err := writeFile(dir, name, data); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(dir, name string, data []byte) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}

// fileAddress returns where a file of the repository is copied to.
func fileAddress(name string) string {
	if rest, ok := strings.CutPrefix(name, "docs/"); ok {
		return rest
	}
	return "repository/" + name
}

// view is what the template of a page shows.
type view struct {
	Title, Top     string // Top leads from the page to the root of the site
	Body           template.HTML
	Chapters       []chapter // of addresses relative to the page
	Here           string
	Before, After  *link
	Home, Source   string
	Sections       []link
	HasManyHeading bool
}

// view returns what to show of a page.
func (s *site) view(i int) view {
	p := s.pages[i]
	v := view{Title: p.title, Body: p.body, Top: strings.Repeat("../", strings.Count(p.address, "/")), Here: p.address, Source: p.source}
	v.Home = v.Top + s.pages[0].address
	var all []link
	for _, c := range s.nav {
		of := chapter{Title: c.Title}
		for _, l := range c.Links {
			all = append(all, l)
			of.Links = append(of.Links, link{l.Title, l.URL})
		}
		v.Chapters = append(v.Chapters, of)
	}
	for n, l := range all {
		if l.URL != p.address {
			continue
		}
		if n > 0 {
			v.Before = &all[n-1]
		}
		if n+1 < len(all) {
			v.After = &all[n+1]
		}
		break
	}
	for _, sec := range p.sections {
		if _, anchor, ok := strings.Cut(sec.URL, "#"); ok {
			v.Sections = append(v.Sections, link{sec.Heading, "#" + anchor})
		}
	}
	v.HasManyHeading = len(v.Sections) > 2
	return v
}
