package main_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// policy says which package may import which. Change it when the design changes
// (docs/decisions), not to make a build pass.
//
// "a, b < c, d" means that c and d may import a and b, and everything that a and b
// may import, except what is to the left of a name marked "!". A line that begins
// with "<" continues the one before. Packages are named by folder, the root package
// is "patchwork"; "x/..." means x and all packages below it. NONE means no package.
// Names in capitals are points in the order, not packages. Every package may import
// the standard library, except the parts named here, and nothing else outside this
// module unless it is named. Tests may import everything except cmd.
const policy = `
	# What the library as a whole must not use: files, network, unsafe code.
	NONE
	< os/..., path/filepath, io/ioutil, syscall, log/..., embed
	< FILES;

	NONE
	< net/...
	< NETWORK;

	NONE
	< C, unsafe, plugin
	< NOBODY;

	# Leaves: values and formulas. None imports another, but for the places of pose, draws by weight and the votes of rule.
	NONE < internal/elem; # functions with one result on every machine, for all to use
	internal/elem < bitmap, rule, pose, internal/pool, internal/exact, internal/enum, internal/draw, internal/assign;
	NONE < internal/recall; # what steps came to
	NONE < internal/strictjson; # JSON without keys that are lost
	rule < internal/score/joint;
	internal/draw < internal/cluster;
	pose < internal/score;

	# The inner loops detect the features of the processor and read an environment
	# variable that selects one of them. Packages that import them may not do so.
	FILES, golang.org/x/sys/cpu < internal/score/kernel!;
	internal/score/kernel < internal/score < internal/score/rows;

	internal/exact, internal/draw < gauss;

	# For tests only.
	testing, pgregory.net/rapid, rule < rule/ruletest;
	testing, FILES < internal/testenv;
	testing, FILES, pgregory.net/rapid < internal/score/scoretest;

	# The core uses no files, no clock and no network.
	bitmap, rule, pose, gauss, internal/score, internal/score/rows, internal/score/joint, internal/pool, internal/exact, internal/enum, internal/cluster, internal/draw, internal/recall
	< patchwork;

	# Several explanations; learners; what may be wrong. No learner knows another.
	patchwork, internal/score, internal/pool, internal/rows, pose < posterior;
	patchwork < internal/rows;
	bitmap, internal/pool, internal/score/kernel < posterior/sheets; # every symbol on a page
	patchwork, pose, internal/pool, internal/score/kernel < learn/strokes; # the M-step of drawings, and its search
	bitmap, pose, internal/pool, internal/draw, internal/score/kernel < learn/pairs; # binary parts, before there is a model
	pose, internal/enum, internal/exact, internal/pool, internal/draw, internal/recall < learn/real; # real values: model, pursuit, learner
	posterior, internal/rows, learn/strokes, learn/pairs < learn;
	posterior, internal/rows, internal/cluster < learn/classes; # what image is of what class, by models that others learn
	patchwork < table/blocks; # tables as blocks, exactly
	posterior, internal/rows, table/blocks < table;
	patchwork, internal/assign < internal/alike;
	patchwork, learn/real < diagnose/words; # what a model says, to people
	diagnose/words, learn, table < internal/recipe; # what the command and the studio ask of a learner
	posterior, diagnose/words, internal/alike < diagnose;
	testing, pgregory.net/rapid, patchwork < internal/testkit; # for tests only

	# Edges: files to images, models to files, models to pictures.
	FILES < internal/pipes < internal/atomicfile; # pipes that nobody is at the other end of; files that are there whole or not at all
	FILES, golang.org/x/sys/unix, golang.org/x/sys/windows < internal/journal; # its lock
	FILES < internal/house, internal/notices; # measures the code; licences of what programs contain
	NONE < internal/npy < dataset/mat;
	NONE < dataset/mat/mattest; # for tests only
	bitmap < bitmap/synth;
	patchwork, diagnose/words, dataset/mat, internal/atomicfile, FILES, # what it reads is what learners take
	github.com/parquet-go/parquet-go/..., golang.org/x/image/...,
	github.com/apache/arrow-go/v18/arrow, github.com/apache/arrow-go/v18/arrow/array, github.com/apache/arrow-go/v18/arrow/ipc,
	github.com/apache/arrow-go/v18/arrow/memory, github.com/google/flatbuffers/go, # not its Parquet, which would double the program
	github.com/klauspost/compress/..., github.com/pierrec/lz4/v4, github.com/andybalholm/brotli, golang.org/x/text/...
	< dataset;

	patchwork, learn/real, internal/npy, internal/strictjson, internal/atomicfile, FILES
	< modelfile;

	patchwork, table, modelfile, internal/atomicfile, FILES
	< modelfile/tallyfile;

	learn/classes, modelfile, internal/atomicfile, FILES
	< modelfile/classfile;

	# What patchwork and an engine beside it (cmd/engine/beam) say to each other: a module of its
	# own, so that an engine needs no more than this.
	learn, dataset, modelfile, modelfile/tallyfile < cmd/engine;

	patchwork, learn/real, table/blocks, diagnose/words, internal/atomicfile, FILES,
	golang.org/x/image/..., gonum.org/v1/plot/...
	< render;

	# What a model shows about data, as numbers and as a page.
	learn, learn/real, table, diagnose, diagnose/words, dataset, render, internal/alike, internal/pool, FILES < render/report;

	# The comparison models of the paper know images, not our model.
	bitmap, gonum.org/v1/gonum/... < experiments/rivals/coding
	< experiments/rivals/dae, experiments/rivals/logpca, experiments/rivals/nmf,
	experiments/rivals/rbm, experiments/rivals/sparse;
	testing, experiments/rivals/coding < experiments/rivals/coding/codingtest; # for tests only

	FILES < experiments/stat; # what numbers are like

	# Measuring. Only tests may import it.
	golang.org/x/sys/cpu < experiments/bench/roofline;

	# Programs. Only cmd serves; nothing imports cmd, but for the protocol.
	learn, learn/real, table, diagnose, diagnose/words, posterior/sheets, internal/recipe, learn/classes, modelfile, modelfile/tallyfile, modelfile/classfile, render, dataset, bitmap/synth < LIBRARY;
	LIBRARY, experiments/stat, experiments/bench/roofline, internal/score/kernel < experiments/bench/peers;
	LIBRARY, render/report, internal/notices, NETWORK,
	github.com/danielgtaylor/huma/v2/..., github.com/prometheus/client_golang/...
	< studio/...;
	LIBRARY, experiments/stat, experiments/bench/mutate, NETWORK < experiments/bench/serve;
	FILES, experiments/bench/mutate < experiments/bench/refuse;
	LIBRARY, experiments/stat, cmd/engine < experiments/bench/scale;
	LIBRARY, learn/pairs, rule, pose, internal/assign, gonum.org/v1/gonum/..., experiments/stat, experiments/rivals/dae, experiments/rivals/logpca, experiments/rivals/nmf,
	experiments/rivals/rbm, experiments/rivals/sparse, gonum.org/v1/plot/..., github.com/spf13/pflag, diagnose/words
	< experiments/...;
	LIBRARY, render/report, internal/alike, internal/journal, cmd/engine, NETWORK, studio/...,
	github.com/spf13/cobra/..., github.com/spf13/pflag, golang.org/x/term,
	github.com/yuin/goldmark/... # of cmd/site
	< cmd/...;
`

// module is the import path of the root folder.
const module = "example.com/patchwork"

// order is a parsed policy: for each name, those directly to its left. The entry
// of only lists the names marked by "!".
type order map[string][]string

const only = "!"

// parsePolicy returns the order that a policy describes.
func parsePolicy(text string) (order, error) {
	var clean strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		clean.WriteString(line + " ")
	}
	below := order{}
	for rule := range strings.SplitSeq(clean.String(), ";") {
		var last []string
		for i, list := range strings.Split(rule, "<") {
			names := strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(", \t\n", r) })
			if len(names) == 0 {
				if strings.TrimSpace(rule) == "" {
					break
				}
				return nil, fmt.Errorf("an empty list in the rule %q", strings.TrimSpace(rule))
			}
			for j, name := range names {
				if name, closed := strings.CutSuffix(name, "!"); closed {
					names[j] = name
					below[only] = append(below[only], name)
				}
				if i > 0 {
					below[names[j]] = append(below[names[j]], last...)
				}
			}
			last = names
		}
	}
	return below, nil
}

// node returns the name in the policy that applies to a package: its own, or the
// longest "x/..." that includes it.
func (o order) node(pkg string) (string, bool) {
	names := o.names()
	if names[pkg] {
		return pkg, true
	}
	for at := pkg; at != "."; at = path.Dir(at) {
		if names[at+"/..."] {
			return at + "/...", true
		}
	}
	return "", false
}

// names returns every name of the policy.
func (o order) names() map[string]bool {
	names := map[string]bool{}
	for name, below := range o {
		names[name] = true
		for _, b := range below {
			names[b] = true
		}
	}
	return names
}

// allows reports whether a package may import another, by their nodes.
func (o order) allows(from, to string) bool {
	done := map[string]bool{}
	var reach func(name string) bool
	reach = func(name string) bool {
		if done[name] {
			return false
		}
		done[name] = true
		return slices.ContainsFunc(o[name], func(b string) bool {
			return b == to || !slices.Contains(o[only], b) && reach(b)
		})
	}
	return from == to && strings.HasSuffix(from, "/...") || reach(from)
}

// check returns what is wrong with one import, "" if nothing is.
func (o order) check(pkg, imported string, test bool) string {
	to := imported
	ours := imported == module || strings.HasPrefix(imported, module+"/")
	if ours {
		to = folder(strings.TrimPrefix(strings.TrimPrefix(imported, module), "/"))
	}
	if test {
		if strings.HasPrefix(to, "cmd/") && to != "cmd/engine" && ours && !strings.HasPrefix(pkg, "cmd/") {
			return "nothing imports cmd"
		}
		return ""
	}
	from, known := o.node(pkg)
	if !known {
		return "the package is not in the policy of deps_test.go: add it where it belongs"
	}
	standard := !ours && !strings.Contains(strings.Split(imported, "/")[0], ".")
	node, named := o.node(to)
	switch {
	case !named && standard:
		return ""
	case !named:
		return fmt.Sprintf("%s is not in the policy of deps_test.go", to)
	case !o.allows(from, node):
		return fmt.Sprintf("%s may not import %s", from, node)
	}
	return ""
}

// folder returns the name of a package by its folder below the root.
func folder(rel string) string {
	if rel == "." || rel == "" {
		return "patchwork"
	}
	return filepath.ToSlash(rel)
}

// source is one import in the tree.
type source struct {
	file, pkg, imported string
	test                bool
}

// workspace returns the folders of the modules in go.work beside the library.
func workspace(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("go.work")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if dir, ok := strings.CutPrefix(strings.TrimSpace(line), "./"); ok {
			out = append(out, dir)
		}
	}
	return out
}

// imports returns the imports of every Go file of the library and the modules of
// the workspace, whatever system or build tag it is for.
func imports(t *testing.T) []source {
	t.Helper()
	var out []source
	modules := workspace(t)
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			_, nested := os.Stat(filepath.Join(file, "go.mod"))
			other := nested == nil && !slices.Contains(modules, filepath.ToSlash(file))
			if file != "." && (other || name == "testdata" || name[0] == '.' || name[0] == '_') {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			out = append(out, source{file, folder(filepath.Dir(file)), imported, strings.HasSuffix(name, "_test.go")})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestImportOrder checks every import against the policy.
func TestImportOrder(t *testing.T) {
	t.Chdir("../..") // the root of the repository
	o, err := parsePolicy(policy)
	if err != nil {
		t.Fatal(err)
	}
	found := imports(t)
	packages := map[string]bool{}
	for _, s := range found {
		packages[s.pkg] = true
		if problem := o.check(s.pkg, s.imported, s.test); problem != "" {
			t.Errorf("%s imports %q: %s", s.file, s.imported, problem)
		}
	}
	for _, pkg := range []string{"patchwork", "bitmap", "gauss", "internal/score", "internal/npy", "modelfile", "dataset", "render", "studio", "experiments/paper/figures", "cmd/engine", "cmd/patchwork"} {
		if !packages[pkg] {
			t.Errorf("no Go file of %s was read", pkg)
		}
	}
}

// TestLibraryStandsAlone checks that the library requires only modules for
// computing and tests: using it downloads nothing for files, pictures, servers and
// command lines, whose packages are modules of their own.
func TestLibraryStandsAlone(t *testing.T) {
	t.Chdir("../..") // the root of the repository
	beside := workspace(t)
	outside := func(pkg string) bool {
		return slices.ContainsFunc(beside, func(dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") })
	}
	under := func(pkg string, modules ...string) bool {
		return slices.ContainsFunc(modules, func(m string) bool { return pkg == m || strings.HasPrefix(pkg, m+"/") })
	}
	compute, tests := []string{"golang.org/x/sys"}, []string{"gonum.org/v1/gonum", "pgregory.net/rapid", "github.com/google/go-cmp"}
	for _, s := range imports(t) {
		ours := under(s.imported, module) && !outside(strings.TrimPrefix(s.imported, module+"/"))
		standard := !strings.Contains(strings.Split(s.imported, "/")[0], ".")
		switch {
		case outside(s.pkg), ours, standard, under(s.imported, compute...):
		case (s.test || under(s.pkg, "rule/ruletest", "internal/testkit", "internal/score/scoretest")) && under(s.imported, tests...):
		default:
			t.Errorf("%s imports %q, which the library must not need", s.file, s.imported)
		}
	}
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var required []string
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(strings.TrimPrefix(line, "require ")); len(words) > 1 && strings.HasPrefix(words[1], "v") {
			required = append(required, words[0])
		}
	}
	if slices.Sort(required); !slices.Equal(required, slices.Sorted(slices.Values(slices.Concat(compute, tests)))) {
		t.Errorf("go.mod requires %q", required)
	}
}

// TestNoPackageWithoutAName checks that no package has a name that does not say
// what it is for: a helper gets a named package or is inlined.
func TestNoPackageWithoutAName(t *testing.T) {
	t.Chdir("../..") // the root of the repository
	for _, s := range imports(t) {
		for part := range strings.SplitSeq(s.pkg, "/") {
			if slices.Contains([]string{"pkg", "util", "utils", "common", "types", "helpers"}, part) {
				t.Errorf("%s: the package name %s does not say what the package is for", s.file, part)
			}
		}
	}
}

// TestPolicyFindsViolations checks that forbidden imports are found, and permitted
// ones are not.
func TestPolicyFindsViolations(t *testing.T) {
	o, err := parsePolicy(policy)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pkg, imported string
		test, ok      bool
	}{
		{pkg: "patchwork", imported: module + "/bitmap", ok: true},
		{pkg: "patchwork", imported: "math", ok: true},
		{pkg: "render", imported: module + "/bitmap", ok: true}, // through the root
		{pkg: "experiments/a", imported: module + "/experiments/b", ok: true},
		{pkg: "cmd/patchwork", imported: "net/http", ok: true},
		{pkg: "modelfile", imported: module + "/internal/npy", ok: true},
		{pkg: "patchwork", imported: "os"},
		{pkg: "internal/score/kernel", imported: "os", ok: true},
		{pkg: "internal/score", imported: "os"},
		{pkg: "internal/score", imported: module + "/internal/score/rows"},
		{pkg: "internal/score", imported: module + "/internal/score/kernel", ok: true},
		{pkg: "patchwork", imported: "os/exec"},
		{pkg: "patchwork", imported: "net/http"},
		{pkg: "patchwork", imported: "gonum.org/v1/plot"},
		{pkg: "patchwork", imported: module + "/modelfile"},
		{pkg: "bitmap", imported: module},
		{pkg: "bitmap", imported: module + "/pose"},
		{pkg: "gauss", imported: module + "/pose"},
		{pkg: "bitmap", imported: "unsafe"},
		{pkg: "dataset", imported: module, ok: true},
		{pkg: "dataset", imported: module + "/learn"},
		{pkg: "bitmap/synth", imported: "os"},
		{pkg: "modelfile", imported: module + "/dataset"},
		{pkg: "modelfile", imported: module + "/render"},
		{pkg: "render", imported: "net/url"},
		{pkg: "experiments/rivals/rbm", imported: module},
		{pkg: "experiments/bench/scale", imported: module + "/cmd/engine", ok: true},
		{pkg: "experiments/a", imported: module + "/cmd/patchwork"},
		{pkg: "experiments/a", imported: "net/http"},
		{pkg: "studio", imported: module + "/experiments/a"},
		{pkg: "render", imported: "github.com/spf13/cobra"},
		{pkg: "shiny", imported: "fmt"},
		{pkg: "bitmap", imported: module + "/shiny"},
		{pkg: "bitmap", imported: module, test: true, ok: true},
		{pkg: "bitmap", imported: module + "/cmd/patchwork", test: true},
	} {
		problem := o.check(c.pkg, c.imported, c.test)
		if (problem == "") != c.ok {
			t.Errorf("%s imports %s: allowed %v, want %v (%s)", c.pkg, c.imported, !c.ok, c.ok, problem)
		}
	}
	for _, broken := range []string{"a < < b;", "< b;"} {
		if _, err := parsePolicy(broken); err == nil {
			t.Errorf("the policy %q was read", broken)
		}
	}
}
