package main

import (
	"cmp"
	"fmt"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// workspace lists the packages of the library and of the modules of go.work beside
// it, by folder ("." is the root), with those of ours that each imports.
type workspace map[string][]string

// readWorkspace reads the imports of every Go file under a folder, for any system,
// except tests and files that are built on request only.
func readWorkspace(dir string) (workspace, error) {
	modules, err := modulesOf(dir)
	if err != nil {
		return nil, err
	}
	out := workspace{}
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		name := d.Name()
		switch {
		case d.IsDir():
			_, nested := os.Stat(filepath.Join(file, "go.mod"))
			other := nested == nil && !slices.Contains(modules, rel)
			if rel != "." && (other || name == "testdata" || name[0] == '.' || name[0] == '_' || name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		return out.add(path.Dir(rel), file)
	})
	for pkg, imports := range out {
		slices.Sort(imports)
		out[pkg] = slices.Compact(imports)
	}
	maps.DeleteFunc(out, func(_ string, imports []string) bool { return slices.Contains(imports, "testing") })
	return out, err
}

// add adds the imports of a file of a package.
func (w workspace) add(pkg, file string) error {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return err
	}
	for _, group := range f.Comments {
		for _, line := range group.List {
			if expr, err := constraint.Parse(line.Text); err == nil && !expr.Eval(func(tag string) bool { return tag != "ignore" }) {
				return nil
			}
		}
	}
	w[pkg] = append(w[pkg], []string{}...)
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		switch {
		case err != nil:
			return err
		case under(imported, root):
			w[pkg] = append(w[pkg], cmp.Or(strings.TrimPrefix(strings.TrimPrefix(imported, root), "/"), "."))
		case imported == "testing":
			w[pkg] = append(w[pkg], imported)
		}
	}
	return nil
}

// modulesOf returns the folders of the modules in go.work.
func modulesOf(dir string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "go.work"))
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if module, ok := strings.CutPrefix(strings.TrimSpace(line), "./"); ok {
			out = append(out, module)
		}
	}
	return out, nil
}

// layers returns the longest chain of imports downward from each package, 1 for
// none.
func (w workspace) layers() map[string]int {
	out := map[string]int{}
	var layer func(pkg string) int
	layer = func(pkg string) int {
		if out[pkg] == 0 {
			below := 0
			for _, i := range w[pkg] {
				below = max(below, layer(i))
			}
			out[pkg] = below + 1
		}
		return out[pkg]
	}
	for pkg := range w {
		layer(pkg)
	}
	return out
}

// direct returns the imports of a package that none of its other imports imports.
func (w workspace) direct(pkg string) []string {
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		return slices.ContainsFunc(w[from], func(i string) bool { return i == to || reaches(i, to) })
	}
	var out []string
	for _, i := range w[pkg] {
		if !slices.ContainsFunc(w[pkg], func(o string) bool { return o != i && reaches(o, i) }) {
			out = append(out, i)
		}
	}
	return out
}

// draw writes the packages from the top, layer by layer, each with its direct
// imports. Packages of one folder with the same imports share a line.
func (w workspace) draw(out io.Writer) {
	layers := w.layers()
	names := slices.SortedFunc(maps.Keys(w), func(a, b string) int { return cmp.Or(cmp.Compare(layers[b], layers[a]), cmp.Compare(a, b)) })
	last := 0
	for len(names) > 0 {
		pkg := names[0]
		on := w.direct(pkg)
		alike := []string{path.Base(pkg)}
		rest := names[:0:0]
		for _, other := range names[1:] {
			if path.Dir(other) == path.Dir(pkg) && path.Dir(pkg) != "." && layers[other] == layers[pkg] && slices.Equal(w.direct(other), on) {
				alike = append(alike, path.Base(other))
			} else {
				rest = append(rest, other)
			}
		}
		names = rest
		line := called(pkg)
		if len(alike) > 1 {
			line = path.Dir(pkg) + "/{" + strings.Join(alike, ", ") + "}"
		}
		for i, o := range on {
			line += cmp.Or(map[int]string{0: " -> "}[i], ", ") + called(o)
		}
		label := ""
		if layers[pkg] != last {
			last = layers[pkg]
			label = strconv.Itoa(last)
		}
		fmt.Fprintf(out, "%2s  %s\n", label, line)
	}
}

// called returns the displayed name of a package: its folder, or patchwork.
func called(pkg string) string {
	if pkg == "." {
		return path.Base(root)
	}
	return pkg
}
