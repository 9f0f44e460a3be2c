package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"example.com/patchwork/internal/atomicfile"
	"example.com/patchwork/internal/testenv"
)

// writers lists command lines that write files, all into the folder OUT. The files they
// read are made by prepareWriters.
var writers = []string{
	"synth letters --letters T --writers 3 --side 16 -o OUT/t.npz",
	"synth bars --n 9 -o OUT/b.npz",
	"learn q.npz --rule max-minus-min -k 4 --starts 1 -o OUT/m.npz",
	"learn q.npz --rule max-minus-min -k 2..3 --rows :10 -o OUT/m.npz",
	"learn t.npz -k 2 --starts 1 --start-from orders -o OUT/m.npz",
	"learn q.npz --rule max-minus-min --method soft -k 3 -o OUT/m.npz",
	"learn q.npz --rule max-minus-min -k 4 --starts 1 -o OUT/m.npz --checkpoint kept",
	"learn q.npz --rule max-minus-min -k 4 --starts 1 --memory 64KiB -o OUT/m.npz",
	"explain -m model.npz q.npz --rows :3 -o OUT/e.jsonl --picture OUT/e.png",
	"explain -m model.npz q.npz -o OUT/c.npz",
	"explain -m model.npz q.npz -o OUT/c.parquet",
	"predict -m model.npz q.npz --cells --all -o OUT/p.parquet",
	"score -m model.npz q.npz -o OUT/s.csv",
	"predict -m model.npz q.npz --all -o OUT/p.csv",
	"predict -m model.npz q.npz --all -o OUT/p.npz",
	"sample -m model.npz -n 3 -o OUT/s.npz",
	"show model.npz -o OUT/d.png",
	"count -m model.npz q.npz -o OUT/all.tally",
	"count -m model.npz q.npz -o OUT/all.line --lines",
	"merge -m model.npz part.tally -o OUT/n.npz",
	"demo -o OUT",
	"report -m rows.npz rows.csv --stability 0 -o OUT/r.html",
	"find -m symbols.npz page.png page2.png -o OUT/f.csv --picture OUT/f.png",
}

// prepareWriters writes the files that the writers read into the present folder.
func prepareWriters(t *testing.T) {
	t.Helper()
	must(t, "synth", "quadrants", "--n", "40", "--seed", "1", "-o", "q.npz", "-q")
	must(t, "synth", "letters", "--letters", "T", "--writers", "4", "--side", "16", "--seed", "3", "-o", "t.npz", "-q")
	must(t, "learn", "q.npz", "--rule", "max-minus-min", "-k", "4", "--starts", "1", "-o", "model.npz", "-q")
	write(t, "rows.csv", "a,b,c\n"+strings.Repeat("1,1,0\n0,0,1\n", 20))
	must(t, "learn", "rows.csv", "-k", "1", "-o", "rows.npz", "-q")
	must(t, "synth", "sheet", "--size", "200x200", "--seed", "1", "-o", "page.png", "--model", "symbols.npz", "-q")
	write(t, "page2.png", read(t, "page.png"))
	must(t, "count", "-q", "-m", "model.npz", "q.npz", "-o", "part.tally")
}

func writerArgs(line, out string) []string {
	return append(fields(strings.ReplaceAll(line, "OUT", out)), "-q")
}

// contents returns all files under a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

const oldContent = "what was there before"

// age makes a folder with old files of the given names.
func age(t *testing.T, dir string, names map[string]string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, oldContent)
	}
}

// whole checks that every file is the old one or the new one; timed is for
// files that say how long something took.
func whole(t *testing.T, what, dir string, want map[string]string, hidden bool) (made int) {
	t.Helper()
	for name, content := range contents(t, dir) {
		switch {
		case strings.HasPrefix(filepath.Base(name), "."):
			if !hidden {
				t.Errorf("%s: left %s", what, name)
			}
		case content == oldContent:
		case content == want[name]:
			made++
		case timed(name) && len(content) > 0 && want[name] != "":
			made++
		default:
			t.Errorf("%s: %s is neither old nor new: %d bytes", what, name, len(content))
		}
	}
	return made
}

// timed names the files that hold times of the day or of the work, and are not
// the same twice.
func timed(name string) bool {
	base := filepath.Base(name)
	return base == "index.html" || base == "times.json" || base == "ledger.md" || base == "ledger.csv"
}

// stepOf is a step of writing files, and its file.
type stepOf struct{ step, path string }

// atStep makes step number at (from 1) of all steps of writing files fail, and
// counts them; 0 makes none fail.
func atStep(at int64, fail func() error, failed ...*stepOf) (steps *atomic.Int64) {
	steps = new(atomic.Int64)
	atomicfile.Fault = func(step, path string) error {
		if steps.Add(1) == at {
			for _, f := range failed {
				*f = stepOf{step, path}
			}
			return fail()
		}
		return nil
	}
	return steps
}

// chosen returns up to most of 1 ... n: the first, the last, and some between.
func chosen(n, most int64) []int64 {
	var out []int64
	for i := range min(n, most) {
		out = append(out, 1+i*(n-1)/max(min(n, most)-1, 1))
	}
	return slices.Compact(out)
}

// Whichever step of writing fails, for any file, the old file or the complete new one
// is there and nothing else, and the error says which file and why.
func TestNoStepTearsAFile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every command several times, some seconds; left out by -short")
	}
	if apart(t) {
		return
	}
	t.Chdir(t.TempDir())
	prepareWriters(t)
	defer func() { atomicfile.Fault = nil }()
	for _, line := range writers {
		t.Run(line, func(t *testing.T) {
			if strings.HasPrefix(line, "demo") { // it learns, every time
				testenv.Slow(t)
			}
			age(t, "out", nil)
			steps := atStep(0, nil)
			if err := os.MkdirAll("out", 0o777); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(line, "report") { // an older page: where there is none, one of the parts comes first
				if err := os.WriteFile("out/r.html", []byte("older"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			must(t, writerArgs(line, "out")...)
			want := contents(t, "out")
			n := steps.Load()
			if n < 5 || len(want) == 0 {
				t.Fatalf("%d steps, %d files", n, len(want))
			}
			most := int64(3)
			switch {
			case testenv.Full():
				most = 20
			case strings.HasPrefix(line, "demo"):
				most = 2
			}
			for _, at := range chosen(n, most) {
				age(t, "out", want)
				if err := os.RemoveAll("kept"); err != nil { // a checkpoint, with which fewer steps are left
					t.Fatal(err)
				}
				failed := stepOf{}
				atStep(at, func() error { return syscall.ENOSPC }, &failed)
				o := patchworkCommand(t, writerArgs(line, "out")...)
				what := fmt.Sprintf("step %d of %d", at, n)
				if o.code != exitFailed || !strings.Contains(o.err, folderOf(failed.path)+string(filepath.Separator)) ||
					!strings.Contains(o.err, syscall.ENOSPC.Error()) || strings.Count(o.err, "\n") != 1 {
					t.Errorf("%s: exit %d, %q", what, o.code, o.err)
				}
				made := whole(t, what, "out", want, false)
				if made == len(want) && failed.step != "sync folder" {
					t.Errorf("%s: nothing failed", what)
				}
				if set := strings.Fields(line)[0]; made > 0 && made < len(want) && (set == "report" || set == "find") {
					t.Errorf("%s: wrote %d of %d files, which belong together", what, made, len(want))
				}
			}
		})
	}
}

// folderOf returns the folder of the test that a path leads into.
func folderOf(path string) string {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if part == "kept" {
			return part
		}
	}
	return "out"
}

// killAt makes a process kill itself before that step of writing files.
const killAt = "PATCHWORK_TEST_KILL_AT"

func dieAsked() {
	at, err := strconv.ParseInt(os.Getenv(killAt), 10, 64)
	if err != nil {
		return
	}
	atStep(at, func() error {
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		select {} // until it has happened
	})
}
