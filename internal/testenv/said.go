package testenv

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Update is -update: tests take over what comes out as what they expect.
var Update = flag.Bool("update", false, "rewrite what is expected in testdata")

// sentences are those of testdata/sentences.txt, of the package that is tested.
var sentences struct {
	sync.Mutex
	of      map[string][]string // by test
	updated map[string]bool
}

const sentencesFile = "testdata/sentences.txt"

// temporary matches the folders of tests.
var temporary = regexp.MustCompile(regexp.QuoteMeta(filepath.Clean(os.TempDir())) + `[/\\][^/\\ ]*[/\\][0-9]{3,}\b`)

// hashes match the names of models and inputs, which change with any of their values.
var hashes = regexp.MustCompile(`\b[0-9a-f]{12,}`)

// Said reports whether a sentence is one of those that testdata/sentences.txt lists for the
// test: the one place where the words of a package's errors stand, so that a better word
// changes one line. -update writes the file; delete it first if tests have gone.
func Said(t testing.TB, text string) bool {
	t.Helper()
	text = strings.ReplaceAll(text, sharedRoot(t), "SHARED") // wherever the data are
	text = hashes.ReplaceAllString(temporary.ReplaceAllString(text, "DIR"), "HASH")
	text = strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", `\n`)
	test, _, _ := strings.Cut(t.Name(), "/")
	s := &sentences
	s.Lock()
	defer s.Unlock()
	if s.of == nil {
		s.of, s.updated = readSentences(t), make(map[string]bool)
	}
	if *Update {
		if !s.updated[test] {
			s.of[test], s.updated[test] = nil, true
		}
		if !slices.Contains(s.of[test], text) {
			s.of[test] = append(s.of[test], text)
			writeSentences(t, s.of)
		}
	}
	if slices.Contains(s.of[test], text) {
		return true
	}
	t.Logf("%q is not in %s; if it is better than what is there, add -update", text, sentencesFile)
	return false
}

// where is the folder of the package: tests may leave it.
var where, _ = os.Getwd()

func readSentences(t testing.TB) map[string][]string {
	t.Helper()
	out := make(map[string][]string)
	text, err := os.ReadFile(filepath.Join(where, sentencesFile))
	if err != nil && !*Update {
		t.Fatal(err)
	}
	test := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "== "); ok {
			test = name
		} else if line != "" {
			out[test] = append(out[test], line)
		}
	}
	return out
}

func writeSentences(t testing.TB, of map[string][]string) {
	t.Helper()
	var b strings.Builder
	for _, test := range slices.Sorted(maps.Keys(of)) {
		b.WriteString("== " + test + "\n")
		for _, line := range slices.Sorted(slices.Values(of[test])) {
			b.WriteString(line + "\n")
		}
		b.WriteString("\n")
	}
	path := filepath.Join(where, sentencesFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}
