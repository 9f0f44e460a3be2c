package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/printer"
	"go/token"
	"html/template"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// help returns the whole help of a command, such as "classify learn".
func (s *site) help(command string) (string, error) {
	cmd := exec.Command(s.program, append(strings.Fields(command), "--help-all")...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	said, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("patchwork %s --help-all: %w", command, err)
	}
	return string(said), nil
}

// apiPrefix begins the sources of pages that document a package.
const apiPrefix = "go doc "

// module is the import path of the root folder.
const module = "example.com/patchwork"

// private are folders whose packages are no library.
var private = []string{"cmd", "experiments", "internal", "node_modules", "testdata", "build", "python"}

// packageList returns the list of all packages that a program may import, each with
// the first sentence of its documentation, and makes a page of each.
func (s *site) packageList(p *page) (string, error) {
	var b strings.Builder
	b.WriteString("<ul class=\"packages\">\n")
	err := filepath.WalkDir(s.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if base := d.Name(); name != s.root && (strings.HasPrefix(base, ".") || slices.Contains(private, base)) {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(s.root, name)
		if err != nil {
			return err
		}
		of, err := s.parsePackage(filepath.ToSlash(rel))
		if err != nil || of == nil {
			return err
		}
		to := relative(p.address, s.wantPackage(filepath.ToSlash(rel)))
		fmt.Fprintf(&b, "<li><a href=\"%s\"><code>%s</code></a>: %s</li>\n", to, template.HTMLEscapeString(of.ImportPath), template.HTMLEscapeString(of.Synopsis(of.Doc)))
		return nil
	})
	b.WriteString("</ul>\n")
	return b.String(), err
}

// wantPackage puts the page of a package on the list, and returns its address.
func (s *site) wantPackage(dir string) string {
	to := s.want(apiPrefix + dir)
	p := s.known[apiPrefix+dir]
	p.address = "api/" + strings.ReplaceAll(path.Join("patchwork", dir), "/", "-") + ".html"
	if to != p.address {
		to = p.address
	}
	return to
}

// files of a package, by the positions of their declarations.
var positions = token.NewFileSet()

// parsePackage returns the documentation of the package in a folder, nil if there is
// none or it is a program.
func (s *site) parsePackage(dir string) (*doc.Package, error) {
	names, err := filepath.Glob(filepath.Join(s.root, filepath.FromSlash(dir), "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(filepath.Base(name), "example") {
			continue
		}
		f, err := parser.ParseFile(positions, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if f.Name.Name == "main" {
			return nil, nil
		}
		files = append(files, f)
	}
	if !slices.ContainsFunc(files, func(f *ast.File) bool { return !strings.HasSuffix(f.Name.Name, "_test") }) {
		return nil, nil
	}
	return doc.NewFromFiles(positions, files, path.Join(module, dir))
}

// readPackage makes the page of a package, as go doc has it.
func (s *site) readPackage(p *page, dir string) error {
	of, err := s.parsePackage(dir)
	if err != nil {
		return err
	}
	g := goDoc{of: of, p: p}
	p.title = "package " + of.Name
	if dir == "." {
		dir = "the root package"
	}
	p.sections = append(p.sections, section{Page: p.title, Heading: of.ImportPath, URL: p.address, Text: of.Synopsis(of.Doc)})
	fmt.Fprintf(&g, "<h1>package %s</h1>\n<pre><code>import %q</code></pre>\n", of.Name, of.ImportPath)
	g.text(of.Doc)
	g.values(of.Consts)
	g.values(of.Vars)
	g.functions(of.Funcs, "")
	for _, t := range of.Types {
		g.entry(t.Name, "type "+t.Name, t.Doc, t.Decl)
		g.values(t.Consts)
		g.values(t.Vars)
		g.functions(t.Funcs, "")
		g.functions(t.Methods, t.Name+".")
	}
	p.body = template.HTML(g.String())
	return nil
}

// goDoc writes the documentation of a package.
type goDoc struct {
	strings.Builder
	of *doc.Package
	p  *page
}

// lead returns the address of a name in a comment, "" if no page has it.
func (g *goDoc) lead(l *comment.DocLink) string {
	name := l.Name
	if l.Recv != "" {
		name = l.Recv + "." + l.Name
	}
	dir, own := strings.CutPrefix(l.ImportPath, module)
	switch {
	case l.ImportPath == "" && slices.ContainsFunc(g.of.Types, func(t *doc.Type) bool { return t.Name == l.Recv && !hasMethod(t, l.Name) }):
		return "#" + l.Recv // a field
	case l.ImportPath == "":
		return "#" + name
	case !own:
		return l.DefaultURL("https://pkg.go.dev")
	case slices.ContainsFunc(strings.Split(dir, "/"), func(s string) bool { return slices.Contains(private, s) }):
		return ""
	}
	to := strings.ReplaceAll("patchwork"+dir, "/", "-") + ".html"
	if l.Recv != "" { // a method, or a field, which has no anchor
		name = l.Recv
	}
	if name != "" {
		to += "#" + name
	}
	return to
}

func hasMethod(t *doc.Type, name string) bool {
	return slices.ContainsFunc(t.Methods, func(f *doc.Func) bool { return f.Name == name })
}

// text writes a comment. Names of packages of the repository become links.
func (g *goDoc) text(comments string) {
	pr := g.of.Printer()
	pr.HeadingLevel = 3
	pr.DocLinkURL = g.lead
	g.Write(pr.HTML(g.of.Parser().Parse(comments)))
}

// entry writes a declaration with its comment, as a section.
func (g *goDoc) entry(anchor, title, comments string, decl ast.Decl) {
	fmt.Fprintf(g, "<h2 id=\"%s\">%s</h2>\n", anchor, template.HTMLEscapeString(title))
	g.declaration(decl)
	g.text(comments)
	g.p.sections = append(g.p.sections, section{Page: g.p.title, Heading: title, URL: g.p.address + "#" + anchor,
		Text: strings.Join(strings.Fields(comments), " ")})
}

func (g *goDoc) declaration(decl ast.Decl) {
	if f, ok := decl.(*ast.FuncDecl); ok {
		f.Body = nil
	}
	var b strings.Builder
	_ = (&printer.Config{Mode: printer.UseSpaces, Tabwidth: 4}).Fprint(&b, positions, &printer.CommentedNode{Node: decl})
	g.WriteString("<pre><code>" + template.HTMLEscapeString(b.String()) + "</code></pre>\n")
}

func (g *goDoc) values(all []*doc.Value) {
	for _, v := range all {
		for _, name := range v.Names {
			fmt.Fprintf(g, "<a id=\"%s\"></a>", name)
		}
		g.declaration(v.Decl)
		g.text(v.Doc)
	}
}

func (g *goDoc) functions(all []*doc.Func, receiver string) {
	for _, f := range all {
		g.entry(receiver+f.Name, "func "+receiver+f.Name, f.Doc, f.Decl)
	}
}
