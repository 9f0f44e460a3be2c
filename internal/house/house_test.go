package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const top = "../.."

// TestDrawingIsCurrent checks that the drawing on the page is that of the code.
func TestDrawingIsCurrent(t *testing.T) {
	_, drawn, _, err := cut(readPage(t))
	if err != nil {
		t.Fatal(err)
	}
	want, err := drawing(top)
	if err != nil {
		t.Fatal(err)
	}
	if drawn != want {
		t.Errorf("the drawing in %s is not current; to draw it again:\n\tgo run ./internal/house -w\nnow:\n%s", page, want)
	}
}

// TestPageNamesFiles checks that the files that the page names exist.
func TestPageNamesFiles(t *testing.T) {
	_, drawn, _, _ := cut(readPage(t))
	text := strings.Replace(readPage(t), drawn, "", 1)
	for _, match := range regexp.MustCompile("`([a-z/]+[a-z_]*\\.go)`").FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(top, match[1])); err != nil {
			t.Errorf("%s names %s, which is not there", page, match[1])
		}
	}
}

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRootIsLow bounds how much a reader of the root package has to keep in mind.
// If it fails, move the function that is called upward, or the one that calls it:
// go run ./internal/house files . says which files they are in.
func TestRootIsLow(t *testing.T) {
	const files, layers, calls, uses = 15, 10, 2, 30
	p, err := load(top, ".")
	if err != nil {
		t.Fatal(err)
	}
	h := best(filesOf(p, p.main()))
	up, used := h.upward(h.calls), h.upward(h.uses)
	if len(h.files) > files || h.layers() > layers || up > calls || used > uses {
		t.Errorf("the root package has %d files in %d layers, %d calls and %d uses go up; at most %d, %d, %d and %d are allowed",
			len(h.files), h.layers(), up, used, files, layers, calls, uses)
	}
}

// small is a workspace. Of the files of its root, top calls middle and bottom,
// middle calls bottom, and bottom calls back up to middle.
const small = `
-- go.mod
module example.com/patchwork

go 1.26
-- go.work
go 1.26

use (
	.
	./beside
)
-- top.go
package patchwork

func Top(s Shape) int {
	n := middle(bottom(0))
	n++
	if n > 500 {
		return never()
	}
	return n + s.Area()
}
-- middle.go
package patchwork

type Shape interface{ Area() int }

func middle(n int) int {
	n++
	return bottom(n) + glance()
}

func glance() int { return one }

func never() int {
	n := 0
	n++
	rare()
	panic(0)
}
-- bottom.go
package patchwork

const one = 1

type square struct{}

func (square) Area() int {
	n := glance()
	n++
	return n
}

func bottom(n int) int {
	n++
	return n
}

func rare() {
	n := one
	n++
}
-- top_test.go
package patchwork

import "testing"

func TestTop(t *testing.T) { Top(square{}) }
-- leaf/leaf.go
package leaf
-- leaf/asm.go
//go:build ignore

package main

import _ "example.com/patchwork/over"
-- other/other.go
package other

import _ "example.com/patchwork/leaf"
-- over/over.go
package over

import (
	_ "example.com/patchwork/leaf"
	_ "example.com/patchwork/other"
)
-- over/over_test.go
package over

import _ "example.com/patchwork"
-- kit/kit.go
package kit

import _ "testing"
-- beside/go.mod
module example.com/patchwork/beside

go 1.26
-- beside/a/a.go
package a

import _ "example.com/patchwork/over"
-- beside/b/b.go
package b

import _ "example.com/patchwork/over"
-- apart/go.mod
module example.com/patchwork/apart
-- apart/apart.go
package apart
-- testdata/nobody.go
package nobody
`

func writeSmall(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	long := strings.ReplaceAll(small, "\tn++\n", strings.Repeat("\tn++\n", glance))
	for _, file := range strings.Split(long, "\n-- ")[1:] {
		name, text, _ := strings.Cut(file, "\n")
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPackages(t *testing.T) {
	w, err := readWorkspace(writeSmall(t))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	w.draw(&b)
	want := " 4  beside/{a, b} -> over\n 3  over -> other\n 2  other -> leaf\n 1  patchwork\n    leaf\n"
	if b.String() != want {
		t.Errorf("drawn\n%s\nwant\n%s", b.String(), want)
	}
}

func TestFiles(t *testing.T) {
	var b strings.Builder
	if err := run(&b, writeSmall(t), false, []string{"files", "."}); err != nil {
		t.Fatal(err)
	}
	want := `  3  top.go     middle bottom
  2  middle.go  bottom
  1  bottom.go  (up: middle)
example.com/patchwork: 3 files in 3 layers; 1 calls go up, 1 uses in all (in the order of Eades, Lin and Smyth: 3 layers, 2 calls, 3 uses)
`
	if b.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", b.String(), want)
	}
}

func TestWay(t *testing.T) {
	dir := writeSmall(t)
	for _, c := range []struct{ args, want string }{
		{"way . Top", `  1  top.go  Top
  2  bottom.go  bottom
  3  middle.go  middle, up
  4  bottom.go  rare, again
4 stops in 3 files: 1 up, 1 at a file seen before
`},
		{"way . Top . TestTop", `  1  top.go  Top
  2  bottom.go  bottom
  3  middle.go  middle, up
  4  bottom.go  square.Area, again
4 stops in 3 files: 1 up, 1 at a file seen before
`},
	} {
		var b strings.Builder
		if err := run(&b, dir, false, strings.Fields(c.args)); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.want {
			t.Errorf("%s printed\n%s\nwant\n%s", c.args, b.String(), c.want)
		}
	}
}

func TestMisuse(t *testing.T) {
	dir := writeSmall(t)
	for args, want := range map[string]string{
		"walls":                "want nothing",
		"way . Nobody":         "no function Nobody",
		"way . Square.Nobody":  "no function",
		"files ./nobody":       "nobody",
		"way . Top . TestNone": "did not run",
	} {
		if err := run(io.Discard, dir, false, strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", args, err, want)
		}
	}
	if err := run(io.Discard, dir, true, nil); err == nil {
		t.Error("a page that is not there was written")
	}
}

// TestTypes checks that an error shows which only another machine has.
func TestTypes(t *testing.T) {
	dir := writeSmall(t)
	for name, text := range map[string]string{
		"leaf_windows.go": "package patchwork\n\nvar _ int = elsewhere\n",
		"leaf_386.go":     "package patchwork\n\nconst _ int = 1 << 40\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for machine, want := range map[string]string{
		"linux/arm64":   "",
		"windows/arm64": "undefined: elsewhere",
		"linux/386":     "overflows",
		"linux":         "want GOOS/GOARCH",
		"linux/vax":     "linux/vax",
	} {
		err := run(io.Discard, dir, false, []string{"types", machine, "."})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", machine, err, want)
		}
	}
}
