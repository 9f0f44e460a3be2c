package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// reason is why values change, for TestValues with -update.
var reason = flag.String("reason", "", "with -update: why the values of command lines change")

// The files of TestValues: what is run, what comes out, and the words that come with it.
const valuesDir = "testdata/values"

// record is what a command line writes, by file and member.
type record struct {
	Values map[string]string `json:"values"`
	Why    []string          `json:"why"` // why they are so: a line for each change
	Sum    string            `json:"sum"` // of the two above, so that neither changes by hand
}

func (r record) sum() string { return digest(fmt.Appendf(nil, "%q %q", r.Why, r.Values)) }

// TestValues runs the command lines of testdata/values/commands.txt. What they write is
// decoded and compared with values.json, value by value: arrays, keys of JSON, columns of
// tables, pixels. Their words are compared with prose.txt. A better sentence is taken over by
//
//	go test -run TestValues ./cmd/patchwork -update
//
// and so are new command lines and deleted ones. Values change by this with a reason only,
// which is kept beside them:
//
//	go test -run TestValues ./cmd/patchwork -update -reason "ties are broken by the lower part"
func TestValues(t *testing.T) {
	if raceDetector {
		t.Skip("other tests look for races; this one takes ten times as long with the detector")
	}
	if apart(t) {
		return
	}
	dir, err := filepath.Abs(valuesDir)
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	lines := commandLines(t, read(t, in("commands.txt")))
	want := make(map[string]record)
	if err := json.Unmarshal([]byte(read(t, in("values.json"))), &want); err != nil {
		t.Fatal(err)
	}
	prose := parseProse(read(t, in("prose.txt")))
	t.Chdir(t.TempDir())
	got, said := runLines(t, lines)
	if *update {
		updateValues(t, want, got)
		maps.DeleteFunc(want, func(name string, _ record) bool { return !isLine(lines, name) })
		writeJSON(t, in("values.json"), want)
		maps.DeleteFunc(prose, func(key, _ string) bool { return ran(got, key) || !isLine(lines, caseOf(key)) })
		maps.Copy(prose, said)
		write(t, in("prose.txt"), formatProse(prose))
		return
	}
	compareValues(t, lines, want, got)
	for _, key := range keysOf(prose, said) {
		if ran(got, key) && prose[key] != said[key] {
			t.Errorf("%s: the words are not those of prose.txt; if they are better, add -update\n%s", key,
				differs(prose[key], said[key]))
		}
	}
}

// commandLine is a line that is run, with its name.
type commandLine struct{ name, command string }

func commandLines(t *testing.T, text string) (out []commandLine) {
	t.Helper()
	for line := range strings.Lines(text) {
		name, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		if isLine(out, name) {
			t.Fatalf("two command lines have the name %s", name)
		}
		out = append(out, commandLine{name, command})
	}
	return out
}

func isLine(lines []commandLine, name string) bool {
	return slices.ContainsFunc(lines, func(l commandLine) bool { return l.name == name })
}

// caseOf returns the name of the command line of a text, whose key is NAME: FILE.
func caseOf(key string) string {
	name, _, _ := strings.Cut(key, ": ")
	return name
}

func ran(got map[string]map[string]string, key string) bool { return got[caseOf(key)] != nil }

// updateValues takes over the values that came out. Those that were others before need a reason.
func updateValues(t *testing.T, want map[string]record, got map[string]map[string]string) {
	t.Helper()
	for name, values := range got {
		r := want[name]
		if maps.Equal(r.Values, values) && r.Sum == r.sum() {
			continue
		}
		if r.Values != nil {
			if *reason == "" || slices.Contains(r.Why, *reason) {
				t.Fatalf("the values of %s change: say why with -reason, in other words than before\n%s", name,
					changes(r.Values, values))
			}
			r.Why = append(r.Why, *reason)
		}
		r.Values = values
		r.Sum = r.sum()
		want[name] = r
	}
}

func compareValues(t *testing.T, lines []commandLine, want map[string]record, got map[string]map[string]string) {
	t.Helper()
	for _, name := range keysOf(want, nil) {
		if !isLine(lines, name) {
			t.Errorf("values.json has %s, which is no command line; -update deletes it", name)
		}
	}
	for _, name := range keysOf(got, nil) {
		r := want[name]
		if r.Sum != r.sum() {
			t.Errorf("%s: values.json was changed by hand; use -update with -reason", name)
		}
		if !maps.Equal(r.Values, got[name]) {
			t.Errorf("%s has other values:\n%s", name, changes(r.Values, got[name]))
		}
	}
}

// changes names the members whose values differ.
func changes(want, got map[string]string) string {
	var b strings.Builder
	for _, key := range keysOf(want, got) {
		if want[key] != got[key] {
			fmt.Fprintf(&b, "\t%s: %s, before %s\n", key, orNone(got[key]), orNone(want[key]))
		}
	}
	return b.String()
}

func orNone(value string) string {
	if value == "" {
		return "none"
	}
	return value
}

// runLines returns for each command line the values of what it wrote, and of standard
// output, and the words by the name of the line and the file.
func runLines(t *testing.T, lines []commandLine) (got map[string]map[string]string, said map[string]string) {
	t.Helper()
	got, said = make(map[string]map[string]string), make(map[string]string)
	seen := make(map[string]bool)
	for _, l := range lines {
		if testing.Short() && strings.HasPrefix(l.name, "slow-") {
			continue
		}
		began := time.Now()
		var out, err bytes.Buffer
		if code := run(context.Background(), fields(l.command),
			console{out: &out, err: &err, getenv: func(string) string { return "" }}); code != 0 {
			t.Fatalf("%s: patchwork %s: exit %d, stderr %q", l.name, l.command, code, err.String())
		}
		if took := time.Since(began); took > 300*time.Millisecond {
			t.Logf("%s took %v", l.name, took)
		}
		files := newFiles(t, seen)
		files["stdout"], files["stderr"] = out.Bytes(), err.Bytes()
		got[l.name] = make(map[string]string)
		for file, content := range files {
			d := decoder{file: file, values: got[l.name]}
			if err := d.decode(content); err != nil {
				t.Errorf("%s: %s: %v", l.name, file, err)
			}
			if d.prose != "" {
				said[l.name+": "+file] = d.prose
			}
		}
	}
	return got, said
}

// newFiles returns each file in the present folder and below that is not in seen, and
// adds it there. Files that hold nothing but times are left out.
func newFiles(t *testing.T, seen map[string]bool) map[string][]byte {
	t.Helper()
	out := make(map[string][]byte)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !seen[path] && d.Name() != "times.json" {
			seen[path] = true
			out[filepath.ToSlash(path)] = []byte(read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// times matches how long something took, in summaries and pages.
var times = regexp.MustCompile(` in [0-9.]+ s(econds)?\b|<td class="n">[0-9.]+</td></tr>| Seconds: [^<]*</p>|(?m:` +
	"`" + ` \| [0-9]+ \|$)`)

// parseProse reads texts, each after a line == KEY.
func parseProse(text string) map[string]string {
	out := make(map[string]string)
	for _, part := range strings.Split("\n"+text, "\n== ")[1:] {
		key, body, _ := strings.Cut(part, "\n")
		out[key] = strings.TrimSpace(body)
	}
	return out
}

func formatProse(texts map[string]string) string {
	var b strings.Builder
	for _, key := range keysOf(texts, nil) {
		fmt.Fprintf(&b, "== %s\n%s\n\n", key, texts[key])
	}
	return b.String()
}

// differs shows the lines of two texts that are not in the other.
func differs(want, got string) string {
	var b strings.Builder
	only := func(mark, text, other string) {
		for line := range strings.Lines(text + "\n") {
			if !strings.Contains("\n"+other+"\n", "\n"+line) {
				b.WriteString(mark + line)
			}
		}
	}
	only("\t- ", want, got)
	only("\t+ ", got, want)
	return b.String()
}

// keysOf returns the keys of two maps, sorted.
func keysOf[V any](a, b map[string]V) []string {
	return slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for _, m := range []map[string]V{a, b} {
			for key := range m {
				if !yield(key) {
					return
				}
			}
		}
	}))
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}
