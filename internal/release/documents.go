package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"example.com/patchwork/internal/notices"
)

// document is a file that goes with the program.
type document struct {
	name string // in an archive, with slashes
	data []byte
}

// companions returns the man pages and completions, which are the same for all systems:
// the program of this machine writes them.
func (r *release) companions(ctx context.Context) ([]document, error) {
	exe, err := r.compile(ctx, platform{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return nil, err
	}
	pages := filepath.Join(r.scratch, "man")
	if _, err := output(ctx, r.scratch, exe, "manual", pages); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(pages)
	if err != nil {
		return nil, err
	}
	var out []document
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(pages, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, document{"man/man1/" + e.Name(), data})
	}
	for shell, name := range map[string]string{"bash": "patchwork.bash", "zsh": "_patchwork", "fish": "patchwork.fish", "powershell": "patchwork.ps1"} {
		text, err := output(ctx, r.scratch, exe, "completion", shell)
		if err != nil {
			return nil, err
		}
		out = append(out, document{"completions/" + name, []byte(text + "\n")})
	}
	slices.SortFunc(out, func(a, b document) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// documents returns the texts that go with the program of a system: read-me, licence,
// changes, and the notices of all that is inside.
func (r *release) documents(parts []part) ([]document, error) {
	var out []document
	for _, name := range []string{"README.md", "LICENSE", "CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join(r.sources, name))
		if err != nil {
			return nil, err
		}
		out = append(out, document{name, data})
	}
	var b bytes.Buffer
	b.WriteString("Patchwork contains these parts of others, under their licences.\n")
	var of []notices.Part
	for _, p := range parts {
		of = append(of, p.Part)
	}
	if err := notices.Write(&b, of); err != nil {
		return nil, err
	}
	return append(out, document{"NOTICES.txt", b.Bytes()}), nil
}

// part is a module or package of others that the program contains.
type part struct {
	notices.Part
	ecosystem string // "golang" or "npm"
	sum       string // of go.sum, or the integrity of package-lock.json
	licence   string // an SPDX expression where its ecosystem says one, else ""
}

// goParts returns the modules of others in a program, as it says itself.
func (r *release) goParts(ctx context.Context, exe string) ([]part, error) {
	info, err := buildinfo.ReadFile(exe)
	if err != nil {
		return nil, err
	}
	own, err := output(ctx, r.sources, "go", "list", "-m")
	if err != nil {
		return nil, err
	}
	var out []part
	paths := []string{"list", "-m", "-f", "{{.Dir}}"}
	for _, m := range info.Deps {
		if m.Path != own && !strings.HasPrefix(m.Path, own+"/") {
			out = append(out, part{Part: notices.Part{Name: m.Path, Version: m.Version}, ecosystem: "golang", sum: m.Sum})
			paths = append(paths, m.Path)
		}
	}
	dirs, err := output(ctx, filepath.Join(r.sources, "cmd"), "go", paths...)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(dirs, "\n")
	for i := range out {
		out[i].Dir = lines[i]
	}
	root, err := output(ctx, "", "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	return append(out, part{Part: notices.Part{Name: "std", Version: info.GoVersion, Dir: root}, ecosystem: "golang", licence: "BSD-3-Clause"}), nil
}

// npmParts returns the packages in the page that the program serves: those that are not
// for development only. Their sources are there after npm ci, here or in the clone.
func (r *release) npmParts(ctx context.Context) ([]part, error) {
	web := filepath.Join(r.sources, "studio", "web")
	data, err := os.ReadFile(filepath.Join(web, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License, Integrity string
			Dev                         bool
		}
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	var out []part
	for path, p := range lock.Packages {
		name, inside := strings.CutPrefix(path, "node_modules/")
		if !inside || p.Dev {
			continue
		}
		dir := filepath.Join(r.root, "studio", "web", path)
		if _, err := os.Stat(dir); err != nil {
			if dir, err = r.unpackNPM(ctx, name, p.Version); err != nil {
				return nil, err
			}
		}
		out = append(out, part{notices.Part{Name: name, Version: p.Version, Dir: dir}, "npm", p.Integrity, p.License})
	}
	slices.SortFunc(out, func(a, b part) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// unpackNPM fetches a package and returns the folder of its sources.
func (r *release) unpackNPM(ctx context.Context, name, version string) (string, error) {
	dir := filepath.Join(r.scratch, "npm", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	file, err := output(ctx, dir, "npm", "pack", "--silent", name+"@"+version)
	if err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, "tar", "-xzf", filepath.Join(dir, file), "-C", dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("unpacking %s: %w: %s", file, err, out)
	}
	return filepath.Join(dir, "package"), nil
}

// parts returns all that is not ours in a program.
func (r *release) parts(ctx context.Context, exe string) ([]part, error) {
	out, err := r.goParts(ctx, exe)
	if err != nil {
		return nil, err
	}
	npm, err := r.npmParts(ctx)
	return append(out, npm...), err
}
