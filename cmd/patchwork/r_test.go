package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The session in R of docs/tutorials/python.md runs, and finds the two sources that it planted.
func TestR(t *testing.T) {
	rscript, err := exec.LookPath("Rscript")
	if err != nil {
		t.Skip("no Rscript on this machine (Debian: r-base-core)")
	}
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "tutorials", "python.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(doc), "```r\n")
	script, _, ok := strings.Cut(script, "```")
	if !ok {
		t.Fatal("docs/tutorials/python.md has no session in R")
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "patchwork")); err != nil {
		t.Skip("no links here:", err)
	}
	cmd := exec.CommandContext(t.Context(), rscript, "--vanilla", "-e", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), beMain+"=1", "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	parts, err := os.ReadFile(filepath.Join(dir, "parts.csv"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rows := strings.Split(strings.TrimSpace(string(parts)), "\n")
	if !strings.HasPrefix(rows[0], "row,breakfast,barbecue,") || len(rows) != 301 {
		t.Errorf("%d lines, the first %q\n%s", len(rows), rows[0], out)
	}
	cells, err := os.ReadFile(filepath.Join(dir, "cells.csv"))
	if err != nil || !strings.HasPrefix(string(cells), "row,column,probability\n1,butter,") {
		t.Errorf("cells: %v, %q", err, cells)
	}
}
