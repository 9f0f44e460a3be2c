package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap"}, packages...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return fmt.Errorf("go list for %s: %s", machine, failed.Stderr)
	}
	if err != nil {
		return err
	}
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	fset := token.NewFileSet()
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var l struct {
			listed
			ImportMap map[string]string // of vendored packages
		}
		if err := dec.Decode(&l); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if l.ImportPath == "unsafe" {
			continue
		}
		var files []*ast.File
		for _, name := range l.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			files = append(files, f)
		}
		conf.IgnoreFuncBodies = !under(l.ImportPath, root)
		conf.Importer = checked{done, l.ImportMap}
		if done[l.ImportPath], err = conf.Check(l.ImportPath, fset, files, nil); err != nil {
			return fmt.Errorf("for %s: %w", machine, err)
		}
	}
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
