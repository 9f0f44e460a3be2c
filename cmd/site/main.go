// Command site turns the Markdown pages of docs/ into a static site: HTML files
// that link to each other, with a search that runs in the browser, and nothing
// that is fetched from elsewhere. The pages stay readable where they are.
//
//	go run ./cmd/site                   writes build/site; open build/site/index.html
//	go run ./cmd/site -o DIR            writes DIR instead
//	go run ./cmd/site pictures          draws the pictures of docs/pictures anew
//	go run ./cmd/site grade             prints the reading grade of every page
//
// The lists of docs/README.md are the navigation. Two marks in a page are replaced
// by what the program says: <!-- help learn --> by the help of a command, and
// <!-- packages --> by the documentation of the Go packages.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	root := flag.String("C", ".", "the root of the repository")
	out := flag.String("o", "", "the folder to write to (default build/site in the repository)")
	program := flag.String("patchwork", "", "the program whose help is shown (default: it is built)")
	flag.Parse()
	if err := run(os.Stdout, *root, *out, *program, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, root, out, program string, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "pictures":
		return savePictures(w, root)
	case len(args) == 1 && args[0] == "grade":
		return printGrades(w, root)
	case len(args) > 0:
		return errors.New("want nothing, pictures or grade")
	}
	if out == "" {
		out = filepath.Join(root, "build", "site")
	}
	if program == "" {
		dir, err := os.MkdirTemp("", "patchwork-site")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "patchwork")
		build := exec.Command("go", "build", "-o", program, "./cmd/patchwork")
		build.Dir = root
		if said, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build the program: %w: %s", err, said)
		}
	}
	s, err := newSite(root, program)
	if err != nil {
		return err
	}
	if err := s.write(out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "wrote %s: %d pages\n", filepath.Join(out, "index.html"), len(s.pages))
	return err
}
