package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

var (
	reference = regexp.MustCompile(`\b(href|src)="([^"]*)"`)
	anchor    = regexp.MustCompile(`\bid="([^"]*)"`)
)

// Every link of the site leads to a page of it and to an anchor there, nothing is
// loaded from elsewhere, every page of docs/ is reached, and the search has its text.
func TestSite(t *testing.T) {
	s, err := newSite(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := s.write(dir); err != nil {
		t.Fatal(err)
	}
	anchors, texts := map[string][]string{}, map[string]string{}
	for _, p := range s.pages {
		texts[p.address] = read(t, filepath.Join(dir, p.address))
		for _, m := range anchor.FindAllStringSubmatch(texts[p.address], -1) {
			anchors[p.address] = append(anchors[p.address], m[1])
		}
	}
	for from, text := range texts {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			target, fragment, _ := strings.Cut(m[2], "#")
			if strings.Contains(target, ":") {
				if m[1] == "src" {
					t.Errorf("%s loads %s", from, target)
				}
				continue // a link to the web, or the icon
			}
			to := from
			if target != "" {
				to = path.Join(path.Dir(from), target)
			}
			if _, err := os.Stat(filepath.Join(dir, to)); err != nil {
				t.Errorf("%s: link to %s, which is not there", from, m[2])
			} else if fragment != "" && texts[to] != "" && !slices.Contains(anchors[to], fragment) {
				t.Errorf("%s: link to %s, which has no such anchor", from, m[2])
			}
		}
	}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		names, _ := filepath.Glob(filepath.Join(root, pattern))
		for _, name := range names {
			if rel, _ := filepath.Rel(root, name); s.known[filepath.ToSlash(rel)] == nil {
				t.Errorf("no page leads to %s", rel)
			}
		}
	}
	if !strings.Contains(read(t, filepath.Join(dir, "assets/index.js")), "smudges") {
		t.Error("the search does not know smudges")
	}
}

// Numbers with two decimals or more in the pages that compare are in the ledger of
// experiments, or in the pages that it leads to.
func TestNumbersAreMeasured(t *testing.T) {
	ledger := ""
	for _, name := range []string{"README.md", "rivals/README.md", "quadrants/README.md", "bench/README.md"} {
		ledger += read(t, filepath.Join(root, "experiments", name))
	}
	measured, number := map[string]bool{}, regexp.MustCompile(`\d*\.\d{2,}`)
	for _, n := range number.FindAllString(ledger, -1) {
		measured[strings.TrimPrefix(n, "0")] = true
	}
	pages, _ := filepath.Glob(filepath.Join(root, "docs/gallery/*.md"))
	code, checked := regexp.MustCompile("(?s)```.*?```"), 0
	for _, name := range append(pages, filepath.Join(root, "docs/choose.md")) {
		for _, n := range number.FindAllString(code.ReplaceAllString(read(t, name), ""), -1) {
			checked++
			if !measured[strings.TrimPrefix(n, "0")] {
				t.Errorf("%s: %s is not in the ledger", name, n)
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d numbers are checked", checked)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
