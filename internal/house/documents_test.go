package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// repository is the root of the repository, from here.
var repository = filepath.Join("..", "..")

// readAll returns the files of the repository whose names end in suffix, by
// their paths from its root. Hidden folders and node_modules are left out.
func readAll(t *testing.T, suffix string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(repository, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != repository && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, suffix):
			return nil
		}
		text, err := os.ReadFile(name)
		from, _ := filepath.Rel(repository, name)
		files[filepath.ToSlash(from)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the names by which the headings of a document are linked to.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		name := notSlug.ReplaceAllString(strings.ToLower(h[1]), "")
		names[strings.ReplaceAll(name, " ", "-")] = true
	}
	return names
}

// TestLinks: relative links of the documents lead to a file or folder, and to a
// heading of it if they name one.
func TestLinks(t *testing.T) {
	documents, links := readAll(t, ".md"), 0
	for name, text := range documents {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				continue // of the web
			}
			links++
			to := name
			if target != "" {
				to = path.Join(path.Dir(name), target)
			}
			if _, err := os.Stat(filepath.Join(repository, filepath.FromSlash(to))); err != nil {
				t.Errorf("%s: link to %s, which is not there", name, m[1])
			} else if fragment != "" && !anchors(documents[to])[fragment] {
				t.Errorf("%s: link to %s, which has no such heading", name, m[1])
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links are found", links)
	}
}

// names are what the Go code of the repository declares: "patchwork.Model",
// "patchwork.Model.Explain", "Model.Explain", "Explain", "TestLinks".
type names struct {
	declared, packages map[string]bool
}

func (n names) declare(pkg string, name ...string) {
	full := strings.Join(name, ".")
	n.declared[full], n.declared[pkg+"."+full], n.declared[name[len(name)-1]] = true, true, true
}

// has reports whether a name is declared, or is none of the repository's.
func (n names) has(name string) bool {
	pkg, _, _ := strings.Cut(name, ".")
	other := pkg == strings.ToLower(pkg) && !n.packages[pkg]
	return other || n.declared[name] || n.declared["Benchmark"+strings.SplitN(name, "/", 2)[0]]
}

// add declares what one file declares; of a test file its tests only.
func (n names) add(f *ast.File, test bool) {
	pkg := f.Name.Name
	n.packages[pkg] = true
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if test && !aTest.MatchString(d.Name.Name) {
				continue
			}
			if d.Recv == nil {
				n.declare(pkg, d.Name.Name)
			} else {
				n.declare(pkg, receiver(d.Recv.List[0].Type), d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if !test {
					n.addSpec(pkg, s)
				}
			}
		}
	}
}

func (n names) addSpec(pkg string, s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, id := range s.Names {
			n.declare(pkg, id.Name)
		}
	case *ast.TypeSpec:
		n.declare(pkg, s.Name.Name)
		var members *ast.FieldList
		switch typ := s.Type.(type) {
		case *ast.StructType:
			members = typ.Fields
		case *ast.InterfaceType:
			members = typ.Methods
		default:
			return
		}
		for _, f := range members.List {
			for _, id := range f.Names {
				n.declare(pkg, s.Name.Name, id.Name)
			}
		}
	}
}

// receiver returns the name of the type of a receiver.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// readCode returns the Go files of the repository, and the names that they declare.
func readCode(t *testing.T) (map[string]*ast.File, names) {
	files, code := map[string]*ast.File{}, names{map[string]bool{}, map[string]bool{}}
	for name, text := range readAll(t, ".go") {
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = f
		code.add(f, strings.HasSuffix(name, "_test.go"))
	}
	return files, code
}

var (
	aTest  = regexp.MustCompile(`^(Test|Benchmark|Fuzz|Example)`)
	quoted = regexp.MustCompile("`([^`\n]+)`")
	fenced = regexp.MustCompile("(?s)```.*?```")
	dotted = regexp.MustCompile(`^(?:[a-z]\w*\.)?[A-Z]\w*(?:\.[A-Z]\w*)*(?:/.*)?$`)
	// notGo are names of other things: headers of HTTP.
	notGo = []string{"Host", "Origin"}
	// pythonClass is the name of a class in Python.
	pythonClass = regexp.MustCompile(`(?m)^class (\w+)`)
	// docLink is a name in brackets in a comment.
	docLink = regexp.MustCompile(`(?:^|[\s(])\[\*?((?:[a-z]\w*\.)?[A-Z]\w*(?:\.[A-Z]\w*)?)\](?:[\s.,;:)]|$)`)
)

// TestDocumentsNameCode: what the documents name in backticks is in the code.
// That is exported names, with a package of the repository (`learn.Run`), with a
// type (`Model.Explain`) or alone (`Explain`), tests and fuzzers among them, and
// benchmarks, with what they are of or without (`ExplainRows/K=8`).
func TestDocumentsNameCode(t *testing.T) {
	_, code := readCode(t)
	checked, others := 0, slices.Clone(notGo)
	for _, text := range readAll(t, ".py") {
		for _, m := range pythonClass.FindAllStringSubmatch(text, -1) {
			others = append(others, m[1])
		}
	}
	for name, text := range readAll(t, ".md") {
		for _, m := range quoted.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			if !dotted.MatchString(m[1]) || m[1] == strings.ToUpper(m[1]) || slices.Contains(others, m[1]) {
				continue
			}
			checked++
			if !code.has(m[1]) {
				t.Errorf("%s: `%s` is not in the code", name, m[1])
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d names are checked", checked)
	}
}

// TestCommentsNameCode: what comments link to, as in [learn.Run], is in the code.
func TestCommentsNameCode(t *testing.T) {
	files, code := readCode(t)
	for name, f := range files {
		for _, c := range f.Comments {
			for _, m := range docLink.FindAllStringSubmatch(c.Text(), -1) {
				own := code.declared[f.Name.Name+"."+m[1]] || m[1] == strings.ToUpper(m[1])
				if other, _, _ := strings.Cut(m[1], "."); !own && (other != strings.ToLower(other) || !code.has(m[1])) {
					t.Errorf("%s: [%s] is not in the code", name, m[1])
				}
			}
		}
	}
}
