package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// notRun are the blocks of the pages that are not run as they stand, by how they
// begin, and why; TestDocsNotRun prints them.
var notRun = []struct{ page, begins, why string }{
	{"README.md", "go run ./cmd/patchwork demo", "TestDocs runs the demo on another page; the rest is all tests"},
	{"docs/paper.md", "go run ./experiments/paper -o report",
		"all figures take minutes; the block below it makes one, and TestReport of experiments/paper/figures all of " +
			"them in small"},
	{"docs/howto/browser.md", "make static-page", "TestSameBytes of studio/static builds it, and learns with it"},
	{"docs/serve.md", "patchwork serve", "docs/howto/browser.md has the same lines, which are run"},
	{"docs/serve.md", "site=", "TestServeDocument runs it, against a server of its own"},
	{"docs/serve.md", "import json", "TestServeDocument runs it, against a server of its own"},
	{"docs/tutorials/python.md", "set.seed", "TestR runs it where there is R"},
	{"docs/tutorials/python.md", "COPY", "needs DuckDB, which the tests do not have"},
}

// ownTests are pages of which another test writes or reads every block.
var ownTests = map[string]string{
	"docs/mistakes.md":     "TestRefusals makes every mistake",
	"docs/architecture.md": "its blocks are drawings",
}

// Every block of every page is run, or is on the list above. Data to look at (csv,
// json) are no commands.
func TestDocsNotRun(t *testing.T) {
	used := make([]bool, len(notRun))
	run := docsPages(t)
	for _, page := range documentPages(t) {
		if why := ownTests[page]; why != "" {
			t.Logf("%s: %s", page, why)
			continue
		}
		for _, b := range codeBlocks(t, page, read(t, filepath.Join("../..", page))) {
			if slices.Contains([]string{"csv", "json"}, b.language) || slices.Contains(run, page) &&
				!slices.Contains([]string{"text", "r", "sql"}, b.language) {
				continue
			}
			i := slices.IndexFunc(notRun, func(n struct{ page, begins, why string }) bool {
				return n.page == page && strings.HasPrefix(b.text, n.begins)
			})
			if i < 0 {
				t.Errorf("%s, line %d: nothing runs this block; make it console, sh, go or python, or say in notRun why not:\n%s",
					page, b.line, b.text)
				continue
			}
			used[i] = true
			t.Logf("%s, line %d: %s", page, b.line, notRun[i].why)
		}
	}
	for i, n := range notRun {
		if !used[i] {
			t.Errorf("%s has no block that begins with %q", n.page, n.begins)
		}
	}
}

// serveLines starts the servers of a block, line by line, and asks each whether it is
// well. Without a display --open opens nothing.
func (d *docs) serveLines(t *testing.T, b codeBlock) {
	for line := range strings.Lines(b.text) {
		args := fields(strings.TrimSpace(line))
		if len(args) < 2 || args[0] != "patchwork" || args[1] != "serve" {
			t.Errorf("line %d: %q does not serve", b.line, line)
			continue
		}
		serveOnce(t, append(args[1:], "-q")...)
	}
}

// goMod checks the lines of a go.mod in a module outside the clone, beside it: the
// packages of the page's programs are found.
func (d *docs) goMod(t *testing.T, b codeBlock, programs []codeBlock) {
	above := t.TempDir()
	if err := os.Symlink(d.root, filepath.Join(above, "patchwork")); err != nil {
		t.Skip(err)
	}
	module := filepath.Join(above, "mine")
	for i, p := range programs {
		folder := filepath.Join(module, "program"+string(rune('a'+i)))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, "main.go"), p.text)
	}
	write(t, filepath.Join(module, "go.mod"), "module mine\n\ngo 1.26\n\n"+b.text)
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./...")
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "GONOSUMDB=*", "GONOSUMCHECK=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "example.com/patchwork/dataset\n") {
		t.Errorf("line %d: %v\n%s", b.line, err, out)
	}
}
