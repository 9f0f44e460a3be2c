package main

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// checkElsewhere checks the types of packages, and of all that they import, as
// built for another machine, without compiling anything. The machine is named
// GOOS/GOARCH. Of packages that are not ours it skips the bodies of functions.
func checkElsewhere(dir, machine string, packages []string) error {
	system, arch, ok := strings.Cut(machine, "/")
	if !ok {
		return fmt.Errorf("machine %q: want GOOS/GOARCH, such as linux/arm64", machine)
	}
	conf := types.Config{Sizes: types.SizesFor("gc", arch)}
	if conf.Sizes == nil {
		return fmt.Errorf("machine %s: no such architecture", machine)
	}
	all, err := list(dir, []string{"GOOS=" + system, "GOARCH=" + arch, "CGO_ENABLED=0"}, packages...)
	if err != nil {
		return fmt.Errorf("for %s: %w", machine, err)
	}
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	fset := token.NewFileSet()
	for _, l := range all {
		if l.ImportPath == "unsafe" {
			continue
		}
		files, err := l.parse(fset)
		if err != nil {
			return err
		}
		conf.IgnoreFuncBodies = !under(l.ImportPath, root)
		conf.Importer = checked{done, l.ImportMap}
		if done[l.ImportPath], err = conf.Check(l.ImportPath, fset, files, nil); err != nil {
			return fmt.Errorf("for %s: %w", machine, err)
		}
	}
	return nil
}

// checked imports packages that were checked before, by their names in one package.
type checked struct {
	done map[string]*types.Package
	as   map[string]string
}

// Import implements [types.Importer].
func (c checked) Import(path string) (*types.Package, error) {
	if to, ok := c.as[path]; ok {
		path = to
	}
	if p := c.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s was not listed before", path)
}
