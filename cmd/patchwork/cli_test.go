package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/npy"
)

// beMain makes the test binary behave as the command itself, so that some tests have a
// real process to send signals to.
const beMain = "PATCHWORK_TEST_BE_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(beMain) == "1" {
		dieAsked()
		main()
	}
	os.Exit(m.Run())
}

// process returns the command as a process of its own, in folder dir.
func process(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), beMain+"=1")
	return cmd
}

// apart runs a test that takes long in a process of its own, beside others of these: tests change the folder of their
// process. It returns false there, and where tests are named, covered or updated, so that the caller does the work.
func apart(t *testing.T) bool {
	t.Helper()
	if flag.Lookup("test.run").Value.String() != "" || testing.CoverMode() != "" || *update {
		return false
	}
	t.Parallel()
	cmd := process(t, ".", "-test.run=^"+strings.ReplaceAll(regexp.QuoteMeta(t.Name()), "/", "$/^")+"$",
		"-test.v", fmt.Sprintf("-test.short=%v", testing.Short()))
	cmd.Env = os.Environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return true
}

// outcome is the outcome of one run of the command.
type outcome struct {
	code     int
	out, err string
}

// patchworkCommand runs the command within the test, as in a pipe.
func patchworkCommand(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, err bytes.Buffer
	code := run(context.Background(), args, console{out: &out, err: &err, getenv: func(string) string { return "" }})
	return outcome{code, out.String(), err.String()}
}

// must runs the command, which has to succeed and print nothing on stderr, and returns
// its stdout.
func must(t *testing.T, args ...string) string {
	t.Helper()
	o := patchworkCommand(t, args...)
	if o.code != 0 || o.err != "" {
		t.Fatalf("patchwork %s: exit %d, stderr %q", strings.Join(args, " "), o.code, o.err)
	}
	return o.out
}

// fields splits a command line of a transcript or example. Blanks within
// single quotes do not split.
func fields(line string) []string {
	var out []string
	quoted := false
	for _, part := range strings.FieldsFunc(line, func(r rune) bool {
		if r == '\'' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	}) {
		out = append(out, strings.ReplaceAll(part, "'", ""))
	}
	return out
}

// saveSet writes a set as an .npz.
func saveSet(path string, set *dataset.Set) error {
	var b bytes.Buffer
	if err := dataset.EncodeNPZ(&b, set); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// save writes the arrays to an .npz file, or the only one to an .npy file.
func save(t *testing.T, path string, members ...npy.Member) {
	t.Helper()
	var b bytes.Buffer
	var err error
	if filepath.Ext(path) == ".npy" {
		err = npy.Write(&b, members[0].Array)
	} else {
		err = npy.WriteZip(&b, npy.Store, members...)
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, b.String())
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// listing returns the names of all files under dir, hidden ones included.
func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// smallLetters writes into the present folder t.npz, letters of 24 x 24 pixels, and
// model.npz, learned from them quickly.
func smallLetters(t *testing.T) {
	t.Helper()
	must(t, "synth", "letters", "--letters", "TL", "--writers", "6", "--side", "24", "--seed", "3", "-o", "t.npz", "-q")
	must(t, learnSmall("model.npz")...)
}

func learnSmall(model string, more ...string) []string {
	return append([]string{"learn", "t.npz", "-o", model, "--experts", "2", "--shift", "4", "--rotate", "12:12",
		"--starts", "3", "--where", "y=T", "-q"}, more...)
}
