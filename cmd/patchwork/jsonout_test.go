package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// object runs a command, which has to print one line of JSON and nothing else, and
// returns its keys and values.
func object(t *testing.T, line string) map[string]any {
	t.Helper()
	out := must(t, fields(line)...)
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil || strings.Contains(out, "NaN") {
		t.Fatalf("%s prints %q: %v", line, out, err)
	}
	return got
}

// Commands that report do so as one JSON object, with the documented keys.
func TestJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ line, keys string }{
		{"synth quadrants --n 40 --seed 1 -o q.npz --json", "arrays height images output seed width"},
		{"synth bars --n 4 --picture b.png --json", "arrays height images picture seed width"},
		{"version --json", "go platform version"},
	} {
		if got := keysOf(object(t, c.line), nil); strings.Join(got, " ") != c.keys {
			t.Errorf("%s has the keys %v, want %s", c.line, got, c.keys)
		}
	}
	must(t, "learn", "q.npz", "--rule", "max-minus-min", "-k", "4", "--starts", "1", "-o", "m.npz", "-q")
	count := object(t, "count -m m.npz q.npz -o q.tally --json")
	if keys := keysOf(count, nil); strings.Join(keys, " ") != "log_lik output picks rows shard" || count["rows"] != 40.0 {
		t.Errorf("count: %v", count)
	}
	merge := object(t, "merge -m m.npz q.tally -o n.npz --json")
	if keys := keysOf(merge, nil); strings.Join(keys, " ") != "experts log_lik output rows shards" ||
		merge["log_lik"] != count["log_lik"] || merge["experts"] != 4.0 {
		t.Errorf("merge: %v", merge)
	}
	var info map[string]any
	if err := json.Unmarshal([]byte(must(t, "show", "m.npz", "--json")), &info); err != nil ||
		info["findings"] == nil {
		t.Errorf("info: %v, %v", info, err)
	}
}

// So does the demo.
func TestDemoJSON(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a second")
	}
	t.Chdir(t.TempDir())
	demo := object(t, "demo --json")
	if demo["experts"] != 2.0 || !exists("demo/index.html") || !exists(demo["output"].(string)) {
		t.Errorf("demo: %v", demo)
	}
}

// The object and the data do not both go to standard output.
func TestJSONBesideData(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{"synth bars --n 3 -o - --json", "count -m m.npz x.npz --json",
		"merge -m m.npz x.tally -o - --json"} {
		if o := patchworkCommand(t, fields(line)...); o.code != 2 ||
			!strings.Contains(o.err, "both write to standard output") || o.out != "" {
			t.Errorf("%s: exit %d, %q, %q", line, o.code, o.err, o.out)
		}
	}
}

// All commands that report have --json.
func TestEveryReportHasJSON(t *testing.T) {
	var with []string
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Flags().Lookup("json") != nil {
			with = append(with, cmd.Name())
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit((&app{}).rootCommand())
	for _, name := range []string{"score", "show", "count", "merge", "quadrants", "bars", "letters", "scenes", "demo",
		"version"} {
		if !slices.Contains(with, name) {
			t.Errorf("%s has no --json; these have: %v", name, with)
		}
	}
}
