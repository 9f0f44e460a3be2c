package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/modelfile"
)

// namedSites learns two parts of a table and names them.
func namedSites(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	write(t, "t.csv", "site,a,b,c,d\n"+strings.Repeat("A,1,1,0,0\nB,0,0,1,1\n", 8))
	must(t, fields("learn t.csv --column site=label -k 2 -o m.npz --rule max-minus-min --starts 1")...)
	must(t, "show", "m.npz", "--name", "1=wet meadow", "--name", "2=bog")
}

// A model is named in place, completely or not at all: what else the file holds is not
// lost, and a name that cannot be leaves the file as it was.
func TestNameInPlace(t *testing.T) {
	namedSites(t)
	before := read(t, "m.npz")
	for _, names := range [][]string{
		{"0=fen"}, {"1=bog"}, {"1=fen", "7=x"}, {"1=" + strings.Repeat("x", 201)}, {"1=a\nb"}, {"fen"},
	} {
		args := []string{"show", "m.npz"}
		for _, name := range names {
			args = append(args, "--name", name)
		}
		if o := patchworkCommand(t, args...); o.code != 2 || o.out != "" {
			t.Errorf("%q: exit %d, %q, %q", args, o.code, o.out, o.err)
		}
		if read(t, "m.npz") != before {
			t.Fatalf("%q changed the model", args)
		}
	}
	// nothing of it can be seen
	if out := must(t, "show", "m.npz", "--name", "bog=\u00ad"); !strings.Contains(out, "part 2 has no name") {
		t.Errorf("%q", out)
	}
	if names := listedNames(t); names != "wet meadow," {
		t.Errorf("names %q", names)
	}
	must(t, "show", "m.npz", "--name", "2=bog")
	if read(t, "m.npz") != before {
		t.Error("a name that was taken back and given again makes another file")
	}
	_, arrays := arraysOf(t, "m.npz")
	save(t, "mine.npz", npy.Member{Name: "model.json", Raw: []byte(`{"rule":"max-minus-min","height":1,"width":4}`)},
		npy.Member{Name: "experts", Array: arrays["experts"]},
		npy.Member{Name: "x-note", Array: npy.New([]int64{7}, 1)})
	if o := patchworkCommand(t, "show", "mine.npz", "--name", "1=fen"); o.code != 2 ||
		!strings.Contains(o.err, "x-note.npy") ||
		!strings.Contains(o.err, "-o") {
		t.Errorf("exit %d, %q", o.code, o.err)
	}
	must(t, "show", "mine.npz", "--name", "1=fen", "-o", "other.npz")
	if m, err := modelfile.Load("other.npz"); err != nil || m.Extras().Names[0] != "fen" {
		t.Errorf("%v", err)
	}
}

// listedNames returns the names of the parts of m.npz, with commas between them.
func listedNames(t *testing.T) string {
	t.Helper()
	m, err := modelfile.Load("m.npz")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(m.Extras().Names, ",")
}

// A number is no name: the arguments may be in the wrong order.
func TestNameIsNoNumber(t *testing.T) {
	namedSites(t)
	before := read(t, "m.npz")
	if o := patchworkCommand(t, "show", "m.npz", "--name", "bog=1"); o.code != 2 || !testenv.Said(t, o.err) ||
		read(t, "m.npz") != before {
		t.Errorf("exit %d, %q", o.code, o.err)
	}
}

// Samples of a table say what its columns and parts are called.
func TestSamplesAreNamed(t *testing.T) {
	namedSites(t)
	must(t, fields("sample -m m.npz -n 3 -o s.npz")...)
	_, arrays := arraysOf(t, "s.npz")
	for name, want := range map[string][]string{"columns": {"a", "b", "c", "d"}, "names": {"wet meadow", "bog"}} {
		if a := arrays[name]; a == nil || !slices.Equal(a.Strings(), want) {
			t.Errorf("%s: %v, want %q", name, a, want)
		}
	}
	must(t, fields("explain -m m.npz s.npz")...)
}

// Names that are given at the same time are all kept, and nothing is left of the waiting.
func TestNamesAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "synth", "quadrants", "--n", "60", "--seed", "1", "-o", "q.npz")
	must(t, "learn", "q.npz", "--rule", "max-minus-min", "-k", "6", "--starts", "1", "-o", "m.npz")
	if err := os.Symlink("m.npz", "link.npz"); err != nil {
		t.Fatal(err)
	}
	names := []string{"fen", "bog", "moor", "heath", "carr", "mire"}
	var all sync.WaitGroup
	for k, name := range names {
		all.Go(func() {
			file := []string{"m.npz", "./m.npz", "link.npz"}[k%3]
			if o := patchworkCommand(t, "show", file, "--name", strconv.Itoa(k+1)+"="+name); o.code != 0 {
				t.Errorf("%s: exit %d, %s", name, o.code, o.err)
			}
		})
	}
	all.Wait()
	m, err := modelfile.Load("m.npz")
	if err != nil || !slices.Equal(m.Extras().Names, names) {
		t.Errorf("%q, %v", m.Extras().Names, err)
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) != 3 {
		t.Errorf("left %v, %v", left, err)
	}
}
