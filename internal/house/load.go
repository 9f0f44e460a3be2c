package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// root is the import path of the root package; all our packages are under it.
const root = "example.com/patchwork"

// listed is a package as `go list` describes it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	ImportMap               map[string]string // of vendored packages
}

// code is a package, read and type-checked.
type code struct {
	*types.Package
	names []string // of its files, as go list has them
	files []*ast.File
}

// program holds packages that were checked together, so that an object has one
// identity in all of them.
type program struct {
	fset     *token.FileSet
	packages []*code // each after those it imports
	uses     map[*ast.Ident]types.Object
	defs     map[*ast.Ident]types.Object
}

// load reads and checks a package and all of ours that it imports. For the others
// it uses the compiler's export data.
func load(dir, pkg string) (*program, error) {
	list, err := list(dir, nil, "-export", pkg)
	if err != nil {
		return nil, err
	}
	p := &program{fset: token.NewFileSet(), uses: map[*ast.Ident]types.Object{}, defs: map[*ast.Ident]types.Object{}}
	exports := map[string]string{}
	for _, l := range list {
		exports[l.ImportPath] = l.Export
	}
	compiled := importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	conf := types.Config{Importer: ours{p, compiled}}
	for _, l := range list {
		if !under(l.ImportPath, root) {
			continue
		}
		c := &code{names: l.GoFiles}
		if c.files, err = l.parse(p.fset); err != nil {
			return nil, err
		}
		if c.Package, err = conf.Check(l.ImportPath, p.fset, c.files, &types.Info{Uses: p.uses, Defs: p.defs}); err != nil {
			return nil, err
		}
		p.packages = append(p.packages, c)
	}
	return p, nil
}

// list returns packages and all they depend on, each after those it imports. The
// arguments are flags of go list and the packages, env is added to its environment.
func list(dir string, env []string, args ...string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Dir,Export,GoFiles,ImportMap"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return nil, fmt.Errorf("go list %s: %s", strings.Join(args, " "), failed.Stderr)
	}
	if err != nil {
		return nil, err
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var l listed
		if err := dec.Decode(&l); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
}

// parse reads the files of a package.
func (l *listed) parse(fset *token.FileSet) (files []*ast.File, err error) {
	for _, name := range l.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// ours imports our packages as they were checked, and the others as compiled.
type ours struct {
	p        *program
	compiled types.Importer
}

// Import implements [types.Importer].
func (o ours) Import(path string) (*types.Package, error) {
	for _, c := range o.p.packages {
		if c.Path() == path {
			return c.Package, nil
		}
	}
	return o.compiled.Import(path)
}

// main returns the package that load was called for: the last.
func (p *program) main() *code { return p.packages[len(p.packages)-1] }

// file returns the name of the file that declares something.
func (p *program) file(at token.Pos) string { return filepath.Base(p.fset.Position(at).Filename) }

// global returns the object as it was declared, and reports whether it is a method
// or a package-level name of ours.
func global(o types.Object) (types.Object, bool) {
	if o == nil || o.Pkg() == nil || !under(o.Pkg().Path(), root) {
		return nil, false
	}
	if f, ok := o.(*types.Func); ok {
		return f.Origin(), true
	}
	return o, o.Parent() == o.Pkg().Scope()
}

// under reports whether an import path is top or below it.
func under(path, top string) bool { return path == top || strings.HasPrefix(path, top+"/") }
