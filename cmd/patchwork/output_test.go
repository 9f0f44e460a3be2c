package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestOutputFormat(t *testing.T) {
	for _, c := range []struct {
		path    string
		allowed []string
		want    string // "" is an error
	}{
		{"a.csv", []string{".npz", ".csv"}, ".csv"},
		{"A.CSV", []string{".npz", ".csv"}, ".csv"},
		{"folder.csv/a.npz", []string{".npz", ".csv"}, ".npz"},
		{"-", []string{".npz", ".csv"}, ".npz"},
		{"a", []string{".npz", ""}, ".npz"},
		{"/dev/stdout", []string{".npz", ""}, ".npz"},
		{"folder.csv/a", []string{".npz", ""}, ".npz"},
		{"a", []string{".npz", ".csv"}, ""},
		{"a.jpg", []string{".npz", ""}, ""},
		{"a.csv.gz", []string{".csv"}, ""},
		{"a.", []string{".csv", ""}, ""},
	} {
		got, err := outputFormat(c.path, c.allowed...)
		switch {
		case c.want != "" && (err != nil || got != c.want):
			t.Errorf("%s, one of %q: %q, %v, want %q", c.path, c.allowed, got, err, c.want)
		case c.want == "" && err == nil:
			t.Errorf("%s, one of %q: %q, want an error", c.path, c.allowed, got)
		case err != nil && (!strings.Contains(err.Error(), c.path) || !strings.Contains(err.Error(), c.allowed[0])):
			t.Errorf("%s, one of %q: the error %q does not name them", c.path, c.allowed, err)
		}
	}
}

// Every command that writes a file refuses a name whose suffix it does not know,
// before it reads anything.
func TestUnknownSuffix(t *testing.T) {
	t.Chdir(t.TempDir())
	root := (&app{}).rootCommand()
	arguments := map[string][]string{"find": {"--symbol", "0,0,9,9"}}
	seen := 0
	var visit func(cmd *cobra.Command, path []string)
	visit = func(cmd *cobra.Command, path []string) {
		for _, c := range cmd.Commands() {
			visit(c, append(path[:len(path):len(path)], c.Name()))
		}
		flag := cmd.Flags().Lookup("output")
		if flag == nil || !cmd.Runnable() || path[0] == "demo" { // it writes a folder
			return
		}
		_, whole := outputFormats[strings.Join(path, " ")]
		if _, ok := outputFormats[path[0]]; !ok && !whole {
			t.Errorf("%s has -o, and no output formats", path[0])
		}
		seen++
		args := append(path, append(arguments[path[0]], "-o", "x.jpg")...)
		if path[0] != "synth" {
			args = append(args, "none.npz")
		}
		if path[0] == "sample" {
			args = append(path, "-m", "none.npz", "-o", "x.jpg")
		}
		if o := patchworkCommand(t, args...); o.code != 2 || !strings.Contains(o.err, ".jpg is not a format") {
			t.Errorf("%s: exit %d, %q", strings.Join(args, " "), o.code, o.err)
		}
	}
	visit(root, nil)
	if seen < 12 {
		t.Errorf("%d commands with -o", seen)
	}
}
