package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// Every link of the pages leads to a file, and every page of docs/ is in the lists of docs/README.md.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s#:]+)(#[^)]*)?\)`)
	home := read(t, filepath.Join(root, "docs/README.md"))
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || names == nil {
			t.Fatalf("%s: no pages, %v", pattern, err)
		}
		for _, name := range names {
			for _, m := range link.FindAllStringSubmatch(read(t, name), -1) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
					t.Errorf("%s: link to %s, which is not there", name, m[1])
				}
			}
			listed, ok := strings.CutPrefix(filepath.ToSlash(name), root+"/docs/")
			if ok && listed != "README.md" && !strings.Contains(home, "("+listed+")") {
				t.Errorf("docs/README.md does not lead to %s", listed)
			}
		}
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
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
