// Command house measures the code of Patchwork for a reader: which package imports
// which, which file of a package uses which, and which files a function leads
// through.
//
//	go run ./internal/house           the packages and the root's files, as in docs/architecture.md
//	go run ./internal/house -w        writes them there
//	go run ./internal/house files ./learn
//	go run ./internal/house way ./learn Learn . Example
//	go run ./internal/house types windows/amd64 work
//
// It puts the files of a package in the order with the fewest calls upward (of a
// function or method in a file above), and of such orders in the one with the
// fewest other uses upward: of types (receivers too), variables and constants. The
// layer of a file is the longest chain of uses downward from it.
//
// A way lists the files of the functions that a function calls, each function
// once, at its first call; short functions are read in passing. With a test, given
// as the last two arguments by package and name, only what it executes counts.
//
// Types checks packages as they are for another machine, much faster than the
// compiler.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	dir := flag.String("C", ".", "the root of the repository")
	write := flag.Bool("w", false, "write the drawing into "+page)
	flag.Parse()
	if err := run(os.Stdout, *dir, *write, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, dir string, write bool, args []string) error {
	switch {
	case len(args) > 1 && args[0] == "files":
		for _, pkg := range args[1:] {
			if err := printFiles(out, dir, pkg); err != nil {
				return err
			}
		}
		return nil
	case (len(args) == 3 || len(args) == 5) && args[0] == "way":
		return printWay(out, dir, args[1], args[2], args[3:])
	case len(args) > 2 && args[0] == "types":
		return checkElsewhere(dir, args[1], args[2:])
	case len(args) > 0:
		return errors.New("want nothing, files PACKAGE..., way PACKAGE FUNCTION [PACKAGE TEST], or types GOOS/GOARCH PACKAGE")
	}
	drawn, err := drawing(dir)
	if err != nil {
		return err
	}
	if !write {
		_, err := io.WriteString(out, drawn)
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, page))
	if err != nil {
		return err
	}
	before, _, after, err := cut(string(text))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, page), []byte(before+drawn+after), 0o644)
}

// page is the file that has the drawing, between the lines begin and end.
const (
	page  = "docs/architecture.md"
	begin = "<!-- drawn by go run ./internal/house -w -->\n"
	end   = "<!-- end of the drawing -->\n"
)

// cut splits the page into the parts before, in and after the drawing.
func cut(text string) (before, drawn, after string, err error) {
	before, rest, found := strings.Cut(text, begin)
	drawn, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", "", "", fmt.Errorf("%s has no lines %q and %q to draw between", page, begin, end)
	}
	return before + begin, drawn, end + after, nil
}

// drawing returns the drawing of the page: the packages, and the files of the root.
func drawing(dir string) (string, error) {
	w, err := readWorkspace(dir)
	if err != nil {
		return "", err
	}
	p, err := load(dir, ".")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("```\n")
	w.draw(&b)
	b.WriteString("```\n\nThe files of the root package, likewise:\n\n```\n")
	best(filesOf(p, p.main())).draw(&b)
	b.WriteString("```\n")
	return b.String(), nil
}

// printFiles prints the files of a package in their order, and its cost.
func printFiles(out io.Writer, dir, pkg string) error {
	p, err := load(dir, pkg)
	if err != nil {
		return err
	}
	g := filesOf(p, p.main())
	h, e := best(g), greedy(g)
	h.draw(out)
	_, err = fmt.Fprintf(out, "%s: %d files in %d layers; %d calls go up, %d uses in all (in the order of Eades, Lin and Smyth: %d layers, %d calls, %d uses)\n",
		p.main().Path(), len(g.files), h.layers(), h.upward(g.calls), h.upward(g.uses), e.layers(), e.upward(g.calls), e.upward(g.uses))
	return err
}

// printWay prints the way of a function, by a test if there is one.
func printWay(out io.Writer, dir, pkg, function string, test []string) error {
	p, err := load(dir, pkg)
	if err != nil {
		return err
	}
	var ran profile
	if len(test) == 2 {
		if ran, err = p.execute(dir, test[0], test[1]); err != nil {
			return err
		}
	}
	w, err := p.way(function, ran)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s%d stops in %d files: %d up, %d at a file seen before\n", w, len(w.stops), w.files(), w.climbs(), w.returns())
	return err
}

// execute runs a test and returns what it executed.
func (p *program) execute(dir, pkg, test string) (profile, error) {
	var cover []string
	for _, c := range p.packages {
		if c.onRoot() {
			cover = append(cover, c.Path())
		}
	}
	file := filepath.Join(os.TempDir(), fmt.Sprintf("house-%d.cover", os.Getpid()))
	defer os.Remove(file)
	cmd := exec.Command("go", "test", "-count", "1", "-run", "^"+test+"$", "-coverpkg", strings.Join(cover, ","), "-coverprofile", file, pkg)
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil || bytes.Contains(said, []byte("no tests to run")) {
		return nil, fmt.Errorf("%s of %s did not run: %s", test, pkg, said)
	}
	return readProfile(file)
}
