// Package house has the rules of the code as tests: who imports what, what packages
// are called, and which arithmetic is the same on every machine.
package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "example.com/patchwork"

// floors are the packages from the ground up, by folder; the root package is
// "patchwork", and "x/..." is x and all below it. A package imports its own floor and
// those below. When the design changes, change this with it (docs/decisions.md).
var floors = [][]string{
	{"bitmap/...", "pose", "rule", "gauss", "internal/score/...", "internal/elem", "internal/enum", "internal/exact",
		"internal/pool", "internal/draw", "internal/assign", "internal/cluster", "internal/recall", "internal/wire",
		"internal/matrix"},
	{"internal/npy", "internal/pipes", "internal/atomicfile", "internal/journal", "internal/strictjson",
		"internal/notices", "internal/markup"},
	{"patchwork", "internal/rows", "internal/alike"},
	{"posterior/..."},
	{"learn/...", "table/..."},
	{"diagnose/...", "internal/recipe"},
	{"dataset/...", "modelfile/...", "render/..."},
	{"cmd/engine", "workbench"},
	{"render/report"},
	{"studio/..."},
	{"cmd/patchwork"},
	{"experiments/..."},
}

// apart are imports that the floors would allow: from, to, except from.
var apart = []struct{ from, to, except string }{
	{"dataset/...", "learn/...", ""}, {"dataset/...", "table/...", ""}, // it reads what learners take
	{"dataset/...", "modelfile/...", ""}, {"modelfile/...", "dataset/...", ""},
	{"modelfile/...", "render/...", ""}, {"dataset/...", "render/...", ""},
	{"render/...", "dataset/...", "render/report"}, {"render/...", "modelfile/...", ""},
	{"learn/...", "table/...", ""}, {"table/...", "learn/...", ""}, // no learner knows another
	{"experiments/...", "studio/...", ""}, {"experiments/...", "cmd/patchwork", ""},
}

// outside are the packages that may import what is not of this repository, or of the
// standard library what touches the machine. All others may not. "tests" are the
// packages that only tests import. A line for a longer name goes before a shorter.
var outside = []struct{ imported, by string }{
	{"unsafe", ""}, {"C", ""}, {"plugin", ""},
	{"net/...", "studio/... cmd/... experiments/bench/serve"},
	{"path/filepath", files}, {"os/...", files}, {"syscall", files}, {"log/...", files}, {"embed", files},
	{"testing", tests}, {"pgregory.net/rapid", tests},
	{"golang.org/x/sys/...", "internal/score/kernel internal/journal internal/atomicfile experiments/... cmd/patchwork"},
	{"golang.org/x/image/...", "dataset/... render experiments/sheets"},
	{"golang.org/x/text/...", "dataset"},
	{"github.com/parquet-go/parquet-go/...", "dataset"},
	{"github.com/klauspost/compress/...", "dataset"},
	{"github.com/go-json-experiment/json/...", "internal/strictjson studio/... cmd/patchwork"},
	{"github.com/gofrs/flock", "cmd/patchwork internal/journal"},
	{"gonum.org/v1/plot/...", "experiments/..."},
	{"html/template", "experiments/..."}, // with it a program keeps every exported method: internal/markup
	{"gonum.org/v1/gonum/...", "experiments/..."},
	{"github.com/spf13/...", "cmd/patchwork experiments/..."},
	{"golang.org/x/term", "cmd/patchwork"},
}

const (
	tests = "internal/testenv internal/testkit internal/score/scoretest"
	files = tests + " internal/score/kernel internal/pipes internal/atomicfile internal/journal internal/notices " +
		"dataset/... modelfile/... render/... studio/... cmd/... experiments/..."
)

// is reports whether a package is one of a list: names, or "x/..." for all below x too.
func is(pkg, list string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(name string) bool {
		below, all := strings.CutSuffix(name, "/...")
		return pkg == name || all && (pkg == below || strings.HasPrefix(pkg, below+"/"))
	})
}

// floor returns the number of a package's floor, -1 if it has none. The longest name
// that includes it counts.
func floor(pkg string) int {
	at, length := -1, 0
	for i, names := range floors {
		for _, name := range names {
			if is(pkg, name) && len(name) > length {
				at, length = i, len(name)
			}
		}
	}
	return at
}

// problem says what is wrong with an import, "" if nothing is.
func problem(pkg, imported string, test bool) string {
	to, ours := strings.CutPrefix(imported, module)
	if to = strings.TrimPrefix(to, "/"); ours && to == "" {
		to = "patchwork"
	}
	switch {
	case ours && is(to, "cmd/patchwork"):
		return "nothing imports a program"
	case ours && is(to, "experiments/...") && !is(pkg, "experiments/..."):
		return "nothing imports experiments"
	case test || is(pkg, tests):
		return ""
	case floor(pkg) < 0:
		return "the package is not in the list of floors: add it where it belongs"
	case !ours:
		return foreign(pkg, imported)
	case is(to, tests):
		return "only tests import it"
	case floor(to) < 0 || floor(to) > floor(pkg):
		return "it is not below " + pkg
	}
	for _, a := range apart {
		if is(pkg, a.from) && is(to, a.to) && !is(pkg, a.except) {
			return a.from + " does not import " + a.to
		}
	}
	return ""
}

func foreign(pkg, imported string) string {
	for _, o := range outside {
		if is(imported, o.imported) {
			if is(pkg, o.by) {
				return ""
			}
			return "only these may import it: " + o.by
		}
	}
	if strings.Contains(strings.Split(imported, "/")[0], ".") {
		return "it is not in the list of what is outside"
	}
	return ""
}

// source is a Go file, whatever system or build tag it is for.
type source struct {
	name, pkg string // with slashes, from the root of the repository
	test      bool
	set       *token.FileSet
	ast       *ast.File
}

// sources returns all Go files of the workspace.
func sources(t *testing.T) []source {
	t.Helper()
	out, err := parsed()
	if err != nil || len(out) < 300 {
		t.Fatalf("only %d files were read: %v", len(out), err)
	}
	return out
}

// parsed parses them, once.
var parsed = sync.OnceValues(func() (out []source, err error) {
	root := os.DirFS("../..")
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			skip := d.Name() == "node_modules" || d.Name() == "testdata" || name != "." &&
				strings.ContainsRune("._", rune(d.Name()[0]))
			if skip || is(name, "cmd/engine/beam internal/score/gen build") {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		s := source{name: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), set: token.NewFileSet()}
		if s.pkg == "." {
			s.pkg = "patchwork"
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		s.ast, err = parser.ParseFile(s.set, name, text, parser.SkipObjectResolution)
		out = append(out, s)
		return err
	})
	return out, err
})

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		for _, spec := range s.ast.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if p := problem(s.pkg, imported, s.test); p != "" {
				t.Errorf("%s imports %q: %s", filepath.FromSlash(s.name), imported, p)
			}
		}
	}
}

// A helper gets a package whose name says what it is for, or is inlined.
func TestNames(t *testing.T) {
	for _, s := range sources(t) {
		for part := range strings.SplitSeq(s.pkg, "/") {
			if slices.Contains([]string{"pkg", "util", "utils", "common", "types", "helpers", "misc", "base"}, part) {
				t.Errorf("%s: the name %s does not say what the package is for", s.name, part)
			}
		}
	}
}

// The rules above find what they forbid.
func TestProblems(t *testing.T) {
	for _, c := range []struct {
		pkg, imported string
		test, bad     bool
	}{
		{pkg: "patchwork", imported: module + "/bitmap"},
		{pkg: "render", imported: module + "/bitmap"},
		{pkg: "render/report", imported: module + "/dataset"},
		{pkg: "cmd/patchwork", imported: "net/http"},
		{pkg: "internal/score/kernel", imported: "os"},
		{pkg: "bitmap", imported: module, test: true},
		{pkg: "patchwork", imported: "os/exec", bad: true},
		{pkg: "patchwork", imported: "gonum.org/v1/plot", bad: true},
		{pkg: "patchwork", imported: module + "/modelfile", bad: true},
		{pkg: "dataset", imported: module + "/learn", bad: true},
		{pkg: "render", imported: module + "/dataset", bad: true},
		{pkg: "render", imported: "net/url", bad: true},
		{pkg: "render", imported: module + "/studio", bad: true},
		{pkg: "bitmap", imported: "unsafe", bad: true},
		{pkg: "bitmap", imported: "github.com/nobody/knows", bad: true},
		{pkg: "learn", imported: module + "/internal/testkit", bad: true},
		{pkg: "cmd/patchwork", imported: module + "/experiments/paper", bad: true},
		{pkg: "bitmap", imported: module + "/cmd/patchwork", test: true, bad: true},
		{pkg: "shiny", imported: "fmt", bad: true},
	} {
		if p := problem(c.pkg, c.imported, c.test); (p != "") != c.bad {
			t.Errorf("%s imports %s: %q", c.pkg, c.imported, p)
		}
	}
}

// kinds are the files above the workbench that ask which kind a model is of. The list may only become shorter.
var kinds = strings.Fields(`cmd/patchwork/codes.go cmd/patchwork/demo.go cmd/patchwork/input.go
	cmd/patchwork/learnsay.go cmd/patchwork/lines.go cmd/patchwork/parts.go cmd/patchwork/serve.go cmd/patchwork/stream.go
	render/report/build.go studio/explain.go studio/learning.go studio/models.go`)

// Only these files ask, by a type assertion or a switch.
func TestKinds(t *testing.T) {
	asked := map[string]bool{}
	for _, s := range sources(t) {
		if s.test || s.pkg == "workbench" {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			var types []ast.Expr
			switch n := n.(type) {
			case *ast.TypeAssertExpr:
				types = []ast.Expr{n.Type}
			case *ast.CaseClause:
				types = n.List
			}
			for _, of := range types {
				if x, ok := of.(*ast.SelectorExpr); ok && slices.Contains([]string{"Bits", "Numbers", "Mixed", "Classes"}, x.Sel.Name) {
					if from, ok := x.X.(*ast.Ident); ok && from.Name == "workbench" {
						asked[s.name] = true
					}
				}
			}
			return true
		})
	}
	if got := slices.Sorted(maps.Keys(asked)); !slices.Equal(got, kinds) {
		t.Errorf("%v ask which kind a model is of; let workbench.Model answer", got)
	}
}
