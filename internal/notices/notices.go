// Package notices collects the licences that must go with a program that contains what
// others made.
package notices

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Part is something of others that a program contains.
type Part struct {
	Name, Version string
	Dir           string // of its sources
}

// texts are the names of the files that must go with copies.
var texts = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([.-].*)?$`)

// Write writes the licences and notices at the top of each part. A part without any is
// an error.
func Write(w io.Writer, parts []Part) error {
	for _, p := range parts {
		entries, err := os.ReadDir(p.Dir)
		if err != nil {
			return fmt.Errorf("sources of %s: %w", p.Name, err)
		}
		found := 0
		for _, e := range entries {
			if e.IsDir() || !texts.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			data, err := os.ReadFile(filepath.Join(p.Dir, e.Name()))
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "\n%s\n%s %s: %s\n\n%s\n", strings.Repeat("=", 80), p.Name, p.Version, e.Name(),
				bytes.TrimRight(data, "\n")); err != nil {
				return err
			}
			found++
		}
		if found == 0 {
			return fmt.Errorf("%s %s has no licence at its top, in %s", p.Name, p.Version, p.Dir)
		}
	}
	return nil
}
