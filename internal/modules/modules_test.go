// Package modules tests the division of the repository into modules: the library,
// and nested modules for what needs more dependencies than the library may have
// (docs/decisions).
package modules

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

const root = "../.."

// workspace returns the folders of the modules that go.work names beside the
// library, relative to the root. It skips the test if there is no workspace.
func workspace(t *testing.T) []string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, "go.work")); err != nil || os.Getenv("GOWORK") == "off" {
		t.Skip("there is no workspace here (go.work), or GOWORK=off: the library is alone")
	}
	var work struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal(run(t, root, nil, "go", "work", "edit", "-json"), &work); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, use := range work.Use {
		if use.DiskPath != "." {
			out = append(out, use.DiskPath)
		}
	}
	return out
}

// run returns what a program prints; if the program fails, so does the test.
func run(t *testing.T, dir string, env []string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(cmd.Args, " "), err, out, problem.String())
	}
	return out
}

// racing reports whether this test was built with the race detector.
func racing() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// TestModulesBeside runs the tests of the modules beside the library, so that go
// test ./..., which does not descend into them, tests everything.
func TestModulesBeside(t *testing.T) {
	switch {
	case os.Getenv("PATCHWORK_MODULES") == "apart":
		t.Skip("PATCHWORK_MODULES=apart: the modules beside the library are tested by go test work")
	case racing():
		t.Skip("under the race detector name the packages: go test -race ./studio")
	}
	args := []string{"test"}
	if testing.Short() {
		args = append(args, "-short")
	}
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, deadline.Add(-10*time.Second))
		defer stop()
		// A test that hangs must report where before this test runs out of time.
		args = append(args, "-timeout", (time.Until(deadline) * 9 / 10).Round(time.Second).String())
	} else {
		args = append(args, "-timeout", "0")
	}
	for _, dir := range workspace(t) {
		args = append(args, dir+"/...")
	}
	depend(t)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.WaitDelay = root, 5*time.Second
	if runtime.GOOS != "windows" {
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	t.Logf("%s\n%s", strings.Join(cmd.Args, " "), out)
}

// depend opens every file and reads every variable that those tests may depend on:
// go test reuses a cached result only as long as these are unchanged.
func depend(t *testing.T) {
	t.Helper()
	for _, name := range []string{"CI", "PATH", "PATCHWORK_CASES", "PATCHWORK_KERNEL", "PATCHWORK_KILLS", "PATCHWORK_SHARED", "PYTHON"} {
		os.Getenv(name)
	}
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (name[0] == '.' || name == "node_modules" || name == "beam"):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		files++
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return f.Close()
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files of the repository, %v", files, err)
	}
}

// TestWhatUsersDownload makes a module that imports every package of the library,
// with an empty module cache, and checks what is downloaded: the modules that the
// library compiles, and of those for tests at most their go.mod.
func TestWhatUsersDownload(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the library and its dependencies again")
	}
	library, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir, cache := t.TempDir(), t.TempDir()
	var program strings.Builder
	program.WriteString("package main\n\nimport (\n")
	for pkg := range strings.Lines(string(run(t, root, []string{"GOWORK=off"}, "go", "list", "./..."))) {
		// Internal packages cannot be imported, packages for tests need not be.
		if pkg = strings.TrimSpace(pkg); !strings.Contains(pkg, "/internal/") && !strings.HasSuffix(pkg, "test") {
			program.WriteString("\t_ \"" + pkg + "\"\n")
		}
	}
	program.WriteString(")\n\nfunc main() {}\n")
	write(t, filepath.Join(dir, "main.go"), program.String())
	write(t, filepath.Join(dir, "go.mod"), "module user\n\ngo 1.26.0\n\nrequire example.com/patchwork v0.0.0\n\nreplace example.com/patchwork => "+filepath.ToSlash(library)+"\n")

	env := userEnv(t, cache)
	tidy := exec.Command("go", "mod", "tidy")
	tidy.Dir, tidy.Env = dir, append(os.Environ(), env...)
	if out, err := tidy.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "dial tcp") || strings.Contains(string(out), "GOPROXY=off") {
			t.Skipf("what the module cache lacks cannot be downloaded here: %s", out)
		}
		t.Fatalf("go mod tidy: %v\n%s", err, out)
	}
	run(t, dir, env, "go", "build", "-trimpath", "-o", os.DevNull, ".")
	for _, d := range downloads(t, cache) {
		t.Log(d)
	}
	compute := []string{"gonum.org/v1/gonum", "golang.org/x/sys"}
	tests := []string{"github.com/google/go-cmp", "pgregory.net/rapid"}
	for _, d := range downloads(t, cache) {
		if !slices.Contains(compute, d) && !slices.Contains(tests, d) {
			t.Errorf("a user of the library downloads %s", d)
		}
	}
	mod := string(run(t, dir, env, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "."))
	for line := range strings.Lines(mod) {
		if path := strings.TrimSpace(line); path != "" && path != "user" && path != "example.com/patchwork" && !slices.Contains(compute, path) {
			t.Errorf("the library compiles packages of %s", path)
		}
	}
}

// userEnv returns the environment of a user with an empty module cache, with ours
// as the first proxy.
func userEnv(t *testing.T, cache string) []string {
	t.Helper()
	var ours struct{ GOMODCACHE, GOPROXY string }
	if err := json.Unmarshal(run(t, root, nil, "go", "env", "-json", "GOMODCACHE", "GOPROXY"), &ours); err != nil {
		t.Fatal(err)
	}
	proxy := "file://" + filepath.ToSlash(filepath.Join(ours.GOMODCACHE, "cache", "download"))
	if ours.GOPROXY != "" {
		proxy += "," + ours.GOPROXY
	}
	return []string{"GOWORK=off", "GOFLAGS=-mod=mod -modcacherw", "GOMODCACHE=" + cache, "GOPROXY=" + proxy, "GONOSUMDB=*"}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// downloads lists the modules of which a cache has anything, if only the go.mod.
func downloads(t *testing.T, cache string) []string {
	t.Helper()
	var out []string
	top := filepath.Join(cache, "cache", "download")
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "@v" {
			module, err := filepath.Rel(top, filepath.Dir(path))
			out = append(out, filepath.ToSlash(module))
			return err
		}
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("modules in the cache: %v, %v", out, err)
	}
	return out
}
