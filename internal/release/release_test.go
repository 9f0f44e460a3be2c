package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

func TestReplacePath(t *testing.T) {
	for from, want := range map[string]string{
		`import "a.b/p"`:                  `import "x.y/z"`,
		`import "a.b/p/learn"`:            `import "x.y/z/learn"`,
		`https://a.b/p.`:                  `https://x.y/z.`,
		`go get a.b/p@latest, and a.b/p.`: `go get x.y/z@latest, and x.y/z.`,
		`a.b/p...`:                        `x.y/z...`,
		`a.b/pp a.b/p-q a.b/p_q a.b/p.git aa.b/p -a.b/p`: `a.b/pp a.b/p-q a.b/p_q a.b/p.git aa.b/p -a.b/p`,
		`a.b/p`: `x.y/z`,
		``:      ``,
	} {
		if got := string(replacePath([]byte(from), "a.b/p", "x.y/z")); got != want {
			t.Errorf("%q became %q, want %q", from, got, want)
		}
	}
}

func TestRequireVersion(t *testing.T) {
	const mod = `module x.y/z/cmd

go 1.26

require (
	a.b/other v1.2.3
	x.y/z v0.0.0
	x.y/z/render v0.0.0
)

replace (
	x.y/z => ..
	x.y/z/render => ../render
)
`
	got, err := requireVersion("go.mod", []byte(mod), "x.y/z", "v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	const want = `module x.y/z/cmd

go 1.26

require (
	a.b/other v1.2.3
	x.y/z v0.1.0
	x.y/z/render v0.1.0
)
`
	if string(got) != want {
		t.Errorf("got\n%s", got)
	}
	if _, err := requireVersion("go.mod", []byte("module"), "x.y/z", "v0.1.0"); err == nil {
		t.Error("a broken go.mod was read")
	}
}

func TestMistakes(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "kept"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"", "say what to do"},
		{"publish", "no command"},
		{"build", "not like v0.1.0"},
		{"build -version 0.1.0", "not like v0.1.0"},
		{"build -version v01.0.0", "not like v0.1.0"},
		{"build -version v0.1.0", "-o DIR"},
		{"build -version v0.1.0 -o " + full, "not empty"},
		{"build -version v0.1.0 -o x -only plan9/mips", "plan9/mips"},
		{"build -version v0.1.0 -o x more", "not a flag"},
		{"rename", "name the new path"},
		{"rename a b", "name the new path"},
		{"rename -version 1 github.com/a/b", "not like v0.1.0"},
		{"rename no-dot/b", "malformed"},
	} {
		err := run(t.Context(), io.Discard, strings.Fields(c.args))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("release %s: %v, want %q", c.args, err, c.want)
		}
	}
}

// clone returns a clone of this repository, with what is not committed yet.
func clone(t *testing.T) string {
	t.Helper()
	root, err := output(t.Context(), "", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		t.Skip("not in a clone:", err)
	}
	dir := filepath.Join(t.TempDir(), "clone")
	sh(t, "", "git", "clone", "--quiet", root, dir)
	diff, err := command(t.Context(), root, "git", "diff", "--binary", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	if len(diff) > 0 {
		apply := command(t.Context(), dir, "git", "apply", "--whitespace=nowarn")
		apply.Stdin = bytes.NewReader(diff)
		if out, err := apply.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		sh(t, dir, "git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "commit", "--quiet", "--all", "-m", "not committed yet", "--date=2026-01-01T00:00:00Z")
	}
	return dir
}

func sh(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := output(t.Context(), dir, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Two builds in two folders are equal byte for byte, and what they made can be used.
func TestBuildTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program twice")
	}
	if runtime.GOOS != "linux" {
		t.Skip("packages for Linux are tried on Linux")
	}
	here := clone(t)
	there := filepath.Join(t.TempDir(), "a folder with another name")
	sh(t, "", "git", "clone", "--quiet", here, there)
	p := platform{runtime.GOOS, runtime.GOARCH}
	wheels := "-wheels=true"
	if _, err := exec.LookPath("python3"); err != nil {
		t.Log("no python3: the package for Python was not built")
		wheels = "-wheels=false"
	}
	var outs [2]string
	for i, root := range []string{here, there} {
		outs[i] = filepath.Join(t.TempDir(), "out")
		if err := runBuild(t.Context(), io.Discard, root, []string{"-version", "v0.1.0", "-o", outs[i], "-only", p.String(), wheels}); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range outs {
		for _, line := range strings.Split(strings.TrimSpace(read(t, filepath.Join(dir, "checksums.txt"))), "\n") {
			sum, name, _ := strings.Cut(line, "  ")
			if got, err := checksum(filepath.Join(dir, name)); err != nil || got != sum {
				t.Errorf("%s: %v, %s is not %s", name, err, got, sum)
			}
		}
	}
	if a, b := read(t, filepath.Join(outs[0], "checksums.txt")), read(t, filepath.Join(outs[1], "checksums.txt")); a != b {
		t.Errorf("two builds differ:\n%s\n%s", a, b)
	}
	name := "patchwork_0.1.0_" + p.os + "_" + p.arch
	unpacked := t.TempDir()
	untar(t, filepath.Join(outs[0], name+".tar.gz"), unpacked)
	exe := filepath.Join(unpacked, name, "patchwork")
	if line := sh(t, unpacked, exe, "version"); !strings.HasPrefix(line, "patchwork v0.1.0 ") {
		t.Errorf("the program says %q", line)
	}
	checkParts(t, outs[0], name, exe, read(t, filepath.Join(unpacked, name, "NOTICES.txt")))
	for _, file := range []string{"man/man1/patchwork-learn.1", "completions/_patchwork", "LICENSE", "README.md"} {
		if read(t, filepath.Join(unpacked, name, file)) == "" {
			t.Errorf("%s is empty", file)
		}
	}
	image, err := tarball.ImageFromPath(filepath.Join(outs[0], name+".image.tar"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(image); err != nil {
		t.Error(err)
	}
	if formula := read(t, filepath.Join(outs[0], "patchwork.rb")); !strings.Contains(formula, name+".tar.gz") {
		t.Errorf("formula:\n%s", formula)
	}
	if dpkg, err := exec.LookPath("dpkg-deb"); err == nil {
		deb := filepath.Join(outs[0], "patchwork_0.1.0_"+p.arch+".deb")
		installed := t.TempDir()
		sh(t, "", dpkg, "--extract", deb, installed)
		if line := sh(t, installed, filepath.Join(installed, "usr", "bin", "patchwork"), "--version"); !strings.HasPrefix(line, "patchwork v0.1.0 ") {
			t.Errorf("the program in the Debian package says %q", line)
		}
	} else {
		t.Log("no dpkg-deb: the Debian package was not unpacked")
	}
}

// checkParts checks that notices and list name every module in the program, and the
// page's packages.
func checkParts(t *testing.T, dir, name, exe, notices string) {
	t.Helper()
	var doc spdxDocument
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, name+".spdx.json"))), &doc); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, p := range doc.Packages {
		listed[p.Name+" "+p.Version] = true
	}
	n := 0
	for line := range strings.SplitSeq(sh(t, "", "go", "version", "-m", exe), "\n") {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] != "dep" || strings.HasPrefix(f[1], "example.com/patchwork") {
			continue
		}
		n++
		if !listed[f[1]+" "+f[2]] {
			t.Errorf("%s %s is not in the list of parts", f[1], f[2])
		}
		if !strings.Contains(notices, f[1]+" "+f[2]+": ") {
			t.Errorf("%s %s is not in the notices", f[1], f[2])
		}
	}
	if n < 10 {
		t.Errorf("only %d modules of others are in the program", n)
	}
	if !strings.Contains(notices, "\npreact ") {
		t.Error("the notices do not name the packages of the page")
	}
}

// A renamed repository of a version builds from what others will download, its modules
// from each other, without replacements.
func TestRenamedBuildsWithoutReplace(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles everything under another path")
	}
	// The Go tool remembers what it found in a version of a module: each run has its own.
	const to = "github.example/someone/parts"
	version := fmt.Sprintf("v0.1.%d", time.Now().UnixNano())
	dir := clone(t)
	old := sh(t, dir, "go", "list", "-m")
	if n, err := rename(t.Context(), dir, to, version); err != nil || n < 100 {
		t.Fatalf("%d files changed: %v", n, err)
	}
	if left, err := output(t.Context(), dir, "git", "grep", "-nIF", old, "--", "*.go", "*go.mod", "*.md", "*.yml", "*.json"); err == nil {
		t.Errorf("the old path still stands in\n%s", left)
	}
	proxy := publish(t, dir, to, version)
	beam := filepath.Join(dir, "cmd", "engine", "beam")
	if mod := read(t, filepath.Join(beam, "go.mod")); strings.Contains(mod, "=> ..") {
		t.Errorf("replacements are left:\n%s", mod)
	}
	cache := sh(t, "", "go", "env", "GOMODCACHE")
	build := command(t.Context(), beam, "go", "build", "-mod=mod", "./...")
	build.Env = append(build.Env, "GOPROXY=file://"+filepath.ToSlash(proxy)+","+sh(t, "", "go", "env", "GOPROXY"), "GONOSUMDB="+to)
	t.Cleanup(func() { // what was downloaded of modules that do not exist
		for _, at := range []string{cache, filepath.Join(cache, "cache", "download")} {
			removeAll(filepath.Join(at, "github.example"))
		}
	})
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// removeAll removes a folder of the module cache, whose files are read-only.
func removeAll(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return err
	})
	_ = os.RemoveAll(dir)
}

// publish returns a folder that serves all modules of a clone as a module proxy.
func publish(t *testing.T, dir, own, version string) string {
	t.Helper()
	proxy := t.TempDir()
	for mod := range strings.SplitSeq(sh(t, dir, "git", "ls-files", "go.mod", "*/go.mod"), "\n") {
		folder := filepath.Join(dir, filepath.Dir(filepath.FromSlash(mod)))
		path := own
		if rest := filepath.ToSlash(filepath.Dir(mod)); rest != "." {
			path += "/" + rest
		}
		at := filepath.Join(proxy, filepath.FromSlash(path), "@v")
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := modzip.CreateFromDir(&b, module.Version{Path: path, Version: version}, folder); err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string]string{".info": `{"Version":"` + version + `"}`, ".mod": read(t, filepath.Join(folder, "go.mod")), ".zip": b.String()} {
			if err := os.WriteFile(filepath.Join(at, version+name), []byte(data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(at, "list"), []byte(version+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return proxy
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// untar unpacks an archive into a folder.
func untar(t *testing.T, file, dir string) {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, data, os.FileMode(h.Mode)); err != nil {
			t.Fatal(err)
		}
	}
}
