package main

import (
	"bufio"
	"fmt"
	"go/token"
	"os"
	"path"
	"strings"
)

// span is a piece of a file, by line and column.
type span struct{ fromLine, fromColumn, toLine, toColumn int }

// profile says what a run executed, by import path and file: a coverage profile of
// go test. With a nil profile everything counts as executed.
type profile map[string][]span

// readProfile reads what `go test -coverprofile` wrote.
func readProfile(name string) (profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := profile{}
	for in := bufio.NewScanner(f); in.Scan(); {
		file, rest, found := strings.Cut(in.Text(), ".go:")
		if !found {
			continue // the first line
		}
		var s span
		var statements, count int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &s.fromLine, &s.fromColumn, &s.toLine, &s.toColumn, &statements, &count); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, in.Text(), err)
		}
		if count > 0 {
			p[file+".go"] = append(p[file+".go"], s)
		}
	}
	return p, nil
}

// ran reports whether the code at a position of a package's file was executed.
func (p profile) ran(pkg string, at token.Position) bool {
	if p == nil {
		return true
	}
	for _, s := range p[pkg+"/"+path.Base(at.Filename)] {
		after := at.Line > s.fromLine || at.Line == s.fromLine && at.Column >= s.fromColumn
		before := at.Line < s.toLine || at.Line == s.toLine && at.Column <= s.toColumn
		if after && before {
			return true
		}
	}
	return false
}
