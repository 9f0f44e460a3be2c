package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.com/patchwork/diagnose/words"
)

// A reader that closes its pipe early causes no error message.
func TestBrokenPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	broken := writerFunc(func([]byte) (int, error) {
		return 0,
			&os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
	})
	for _, l := range []string{"explain -m model.npz t.npz", "show model.npz", "version"} {
		var stderr bytes.Buffer
		code := run(context.Background(), fields(l), console{out: broken, err: &stderr, getenv: os.Getenv})
		if code != 1 || stderr.Len() > 0 {
			t.Errorf("%s: exit %d, stderr %q", l, code, stderr.String())
		}
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell here")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c",
		`{ "$0" explain -m model.npz t.npz t.npz t.npz; echo "exit $?" >&2; } | true`, self)
	cmd.Env = append(os.Environ(), beMain+"=1")
	got, err := cmd.CombinedOutput()
	if err != nil || string(got) != "exit 1\n" && string(got) != "exit 0\n" { // 0: all was written before the reader left
		t.Errorf("%v, %q", err, got)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// Interrupted while it reads, learn leaves nothing; while it learns, the best so far, and
// says so. The exit code names the signal.
func TestInterrupt(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for when, flags := range map[string]string{
			"reading": "", "starts": "-k 6 --starts 20000",
			"soft": "--method soft -k 3", "kept": "-k 6 --starts 20000 --checkpoint kept",
			"real values":      "--column *=number --starts 20000",
			"real values kept": "--column *=number --starts 20000 --checkpoint kept",
		} {
			t.Run(when+" "+signal.String(), func(t *testing.T) {
				t.Parallel()
				interrupt(t, signal, flags)
			})
		}
	}
}

// manyRows returns a table of bits by chance.
func manyRows(rows, columns int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for range rows {
		for range columns - 1 {
			b.WriteString([...]string{"0,", "1,"}[r.IntN(2)])
		}
		b.WriteString("1\n")
	}
	return b.String()
}

func interrupt(t *testing.T, signal syscall.Signal, flags string) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "x.csv")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	cmd := process(t, dir, fields("learn x.csv -o m.npz "+cmp.Or(flags, "-k 6"))...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the command has begun to read
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if flags != "" {
		rows := strings.Repeat("1,0,1,0,0,1\n0,1,1,0,1,0\n0,0,0,1,1,1\n", 50)
		if strings.Contains(flags, "soft") { // which is done with few rows at once
			rows = manyRows(4000, 100)
		}
		if _, err := io.WriteString(w, rows); err != nil {
			t.Fatal(err)
		}
		w.Close()
		time.Sleep(300 * time.Millisecond)
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	says, left := stderr.String(), listing(t, dir)
	if code := cmd.ProcessState.ExitCode(); code != 128+int(signal) {
		t.Errorf("exit %d, %v, stderr %q", code, err, says)
	}
	if says == "patchwork: interrupted; no unfinished file was written\n" { // so early that there was nothing to keep
		if left = strings.TrimPrefix(left, "kept "); left != "x.csv" {
			t.Errorf("left %s", left)
		}
		return
	}
	if flags == "" || !regexp.MustCompile(
		`\Apatchwork: interrupted: wrote m\.npz, (the best of \d+ starts so far|the best so far, of 1 start|what the first start had learned so far|the best so far, with \d parts?)(; the same command goes on from here)?\n\z`).MatchString(says) {
		t.Errorf("stderr %q", says)
	}
	if strings.Contains(flags, "kept") != strings.Contains(says, "goes on from here") {
		t.Errorf("left %s, stderr %q", left, says)
	}
	if out := must(t, "show", filepath.Join(dir, "m.npz")); !strings.Contains(out, words.Interrupted) {
		t.Errorf("show does not say so:\n%s", out)
	}
}

// The second Ctrl-C ends the process at once, even if it hangs, and leaves no hidden
// file.
func TestSecondInterrupt(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	smallLetters(t)
	args := fields("explain -m model.npz -q")
	for range 60 {
		args = append(args, "t.npz")
	}
	cmd := process(t, dir, args...)
	full, err := cmd.StdoutPipe() // which nobody reads, so that the command hangs
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	waitUntilFull(t, full.(*os.File))
	cmd.Process.Signal(os.Interrupt)
	select {
	case err := <-ended:
		t.Fatalf("it did not hang: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	cmd.Process.Signal(os.Interrupt)
	select {
	case <-ended:
	case <-time.After(2 * time.Minute):
		t.Fatal("the second interrupt did not end it")
	}
	full.Close()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit %d", code)
	}
	if got := listing(t, dir); got != "model.npz t.npz" {
		t.Errorf("left %s", got)
	}
}

// waitUntilFull waits until a pipe holds something and its writer adds nothing more.
func waitUntilFull(t *testing.T, pipe *os.File) {
	t.Helper()
	last := 0
	for range 360 {
		time.Sleep(500 * time.Millisecond)
		n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 && n == last {
			return
		}
		last = n
	}
	t.Fatal("the pipe does not fill")
}

// In a process of its own the exit codes and streams are the same.
func TestRealProcess(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		code int
	}{
		{"version", 0}, {"synth --help", 0}, {"learn missing.npz -k 2 -o m.npz", 2}, {"synth bars --n 3 -o no/bars.npz", 1},
	} {
		cmd := process(t, dir, fields(c.args)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		if cmd.ProcessState.ExitCode() != c.code || (c.code == 0) != (stdout.Len() > 0) ||
			(c.code == 0) != (stderr.Len() == 0) {
			t.Errorf("%s: %v, stdout %q, stderr %q", c.args, err, &stdout, &stderr)
		}
	}
}

// If the file system fills up in the middle of a file, nothing is left behind.
func TestFullDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	must(t, "synth", "letters", "--letters", "TL", "--writers", "20", "--side", "24", "-o", "many.npz", "-q")
	full := t.TempDir()
	if err := syscall.Mount("tmpfs", full, "tmpfs", 0, "size=16k"); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(full, 0); err != nil {
			t.Error(err)
		}
	}()
	for _, line := range []string{
		learnLine(filepath.Join(full, "model.npz")),
		"synth scenes --n 20 -o " + filepath.Join(full, "scenes.npz"),
		"predict -m model.npz t.npz --all -o " + filepath.Join(full, "out.csv"),
		"predict -m model.npz many.npz --all -o " + filepath.Join(full, "out.npz"),
		"demo -o " + filepath.Join(full, "demo"),
	} {
		o := patchworkCommand(t, fields(line)...)
		if o.code != 1 || !strings.Contains(o.err, syscall.ENOSPC.Error()) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: exit %d, stderr %q", line, o.code, o.err)
		}
		for _, dir := range []string{full, filepath.Join(full, "demo")} {
			if got := partial(t, dir); got != "" {
				t.Errorf("%s: left %s", line, got)
			}
		}
	}
}

func learnLine(model string) string { return strings.Join(learnSmall(model), " ") }

// partial lists what must not be left in a folder: hidden files, and those
// that a disk of 16 kB cannot hold.
func partial(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		if n := e.Name(); strings.HasPrefix(n, ".") || n == "model.npz" || n == "scenes.npz" || strings.HasPrefix(n, "out.") {
			left = append(left, n)
		}
	}
	return strings.Join(left, " ")
}
