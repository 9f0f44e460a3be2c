package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// The module path is a placeholder until the owner publishes it. It stands in go.mod
// files, imports, documents and scripts; rename changes all of them. Modules of this
// repository require each other at version v0.0.0 and replace it by a folder, which works
// in a clone only; with -version they require that version, and nothing is replaced.

func runRename(ctx context.Context, w io.Writer, root string, args []string) error {
	flags := flag.NewFlagSet("rename", flag.ContinueOnError)
	version := flags.String("version", "", "require this version among the modules here, instead of their folders: for the commit that is tagged")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("name the new path: release rename github.com/owner/patchwork")
	}
	if *version != "" && !semver.MatchString(*version) {
		return fmt.Errorf("-version %q is not like v0.1.0", *version)
	}
	n, err := rename(ctx, root, flags.Arg(0), *version)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d files changed; look at them with git diff, and commit them\n", n)
	return err
}

// rename gives the module in a clone, and those below it, another path, and, unless
// version is "", lets them require each other at a version. It returns how many files
// changed. Nothing is written if anything is wrong.
func rename(ctx context.Context, root, to, version string) (int, error) {
	if err := module.CheckPath(to); err != nil {
		return 0, err
	}
	from, err := output(ctx, root, "go", "list", "-m")
	if err != nil {
		return 0, err
	}
	list, err := output(ctx, root, "git", "ls-files", "-z")
	if err != nil {
		return 0, err
	}
	type file struct {
		path string
		data []byte
		mode os.FileMode
	}
	var changed []file
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		at := filepath.Join(root, filepath.FromSlash(name))
		info, err := os.Lstat(at)
		if err != nil {
			return 0, err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(at)
		if err != nil {
			return 0, err
		}
		next := data
		if bytes.IndexByte(data[:min(len(data), 8000)], 0) < 0 { // a text, as git decides
			next = replacePath(data, from, to)
		}
		if path.Base(name) == "go.mod" && version != "" {
			if next, err = requireVersion(name, next, to, version); err != nil {
				return 0, err
			}
		}
		if !bytes.Equal(data, next) {
			changed = append(changed, file{at, next, info.Mode().Perm()})
		}
	}
	for _, f := range changed {
		if err := os.WriteFile(f.path, f.data, f.mode); err != nil {
			return 0, err
		}
	}
	return len(changed), nil
}

// replacePath replaces a module path wherever it stands whole: not as the beginning of
// another name, and not as its end.
func replacePath(data []byte, from, to string) []byte {
	var out []byte
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte(from))
		if i < 0 {
			return append(out, data[at:]...)
		}
		i += at
		end := i + len(from)
		out = append(out, data[at:i]...)
		if i > 0 && partOfPath(data[i-1]) || end < len(data) && partOfName(data, end) {
			out = append(out, from...)
		} else {
			out = append(out, to...)
		}
		at = end
	}
}

// partOfPath reports whether a byte may stand in an element of a path.
func partOfPath(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_~.", c) >= 0
}

// partOfName reports whether the name goes on at a byte; a full stop that ends a sentence
// does not go on.
func partOfName(data []byte, at int) bool {
	if data[at] == '.' {
		return at+1 < len(data) && partOfPath(data[at+1]) && data[at+1] != '.'
	}
	return partOfPath(data[at])
}

// requireVersion lets a go.mod require the modules of this repository at a version, and
// drops what replaced them.
func requireVersion(name string, data []byte, own, version string) ([]byte, error) {
	f, err := modfile.Parse(name, data, nil)
	if err != nil {
		return nil, err
	}
	ours := func(p string) bool { return p == own || strings.HasPrefix(p, own+"/") }
	for _, r := range slices.Clone(f.Require) {
		if ours(r.Mod.Path) {
			if err := f.AddRequire(r.Mod.Path, version); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range slices.Clone(f.Replace) {
		if ours(r.Old.Path) {
			if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
				return nil, err
			}
		}
	}
	f.Cleanup()
	return f.Format()
}
