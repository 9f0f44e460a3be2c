package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// largeTable writes an .npy file of n x 400 bytes of 0 and 1, without holding it.
func largeTable(t *testing.T, path string, n int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	header := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 400), }", n)
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, "\x93NUMPY\x01\x00%c\x00%s", len(header), header)
	row := make([]byte, 400)
	state := uint32(1)
	for range n {
		clear(row)
		for part := range 4 {
			if state = state*1664525 + 1013904223; state>>30 == 0 {
				for i := part * 100; i < part*100+100; i += 3 {
					row[i] = 1
				}
			}
		}
		row[state>>8%400] ^= 1
		w.Write(row)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

// statusTo makes the test binary behave as the command, and write its status from the
// system at its end to the named file. (The resource usage that a parent sees includes
// the parent's own memory at the fork.)
const statusTo = "PATCHWORK_TEST_STATUS_TO"

func init() {
	if path := os.Getenv(statusTo); path != "" {
		code := realMain()
		status, err := os.ReadFile("/proc/self/status")
		if err == nil {
			err = os.WriteFile(path, status, 0o666)
		}
		if err != nil {
			panic(err)
		}
		os.Exit(code)
	}
}

// limited runs the command in a process whose memory is limited by the environment.
// resident is its largest resident set.
func limited(t *testing.T, dir, limit string, args string) (stderr string, resident int64) {
	t.Helper()
	status := filepath.Join(t.TempDir(), "status")
	cmd := process(t, dir, fields(args)...)
	cmd.Env = append(cmd.Env, "GOMEMLIMIT="+limit, statusTo+"="+status)
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v, %s", args, err, &out)
	}
	_, line, _ := strings.Cut(read(t, status), "VmHWM:")
	if _, err := fmt.Sscanf(line, "%d kB", &resident); err != nil {
		t.Fatalf("no VmHWM: %v", err)
	}
	return out.String(), resident << 10
}

// A file several times larger than the memory allowed can be learned from and
// explained: the largest resident set is far below its size.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 64 MB")
	}
	dir := t.TempDir()
	large := filepath.Join(dir, "large.npy")
	largeTable(t, large, 160000)
	largeTable(t, filepath.Join(dir, "small.npy"), 1000)
	limited(t, dir, "16MiB", "learn small.npy -q -k 2 --method batch --starts 1 -o m.npz")
	for line, most := range map[string]int64{
		"learn large.npy -k 2 --method batch --starts 1 -o n.npz": 52 << 20,
		"score -m m.npz large.npy":                                52 << 20,
	} {
		says, resident := limited(t, dir, "16MiB", line)
		if !strings.Contains(says, "needs more than --memory 8388608") { // half of it
			t.Errorf("%s: %q", line, says)
		}
		t.Logf("%s: %d MB resident of a file of 64 MB", line, resident>>20)
		if !raceDetector && resident > most {
			t.Errorf("%s: %d bytes resident", line, resident)
		}
	}
}

// Interrupted in the middle of a pass, the command stops soon with the best so far; so it does
// if a pipe turns out to be too large.
func TestStreamInterrupted(t *testing.T) {
	dir := t.TempDir()
	largeTable(t, filepath.Join(dir, "large.npy"), 50000)
	cmd := process(t, dir, fields("learn large.npy -k 2 --method batch --starts 1 -o m.npz --memory 1MB")...)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	lines := bufio.NewReader(r)
	if note, err := lines.ReadString('\n'); err != nil || !strings.Contains(note, "one pass per iteration") {
		t.Fatalf("%q, %v", note, err)
	}
	time.Sleep(100 * time.Millisecond)
	began := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, _ := lines.ReadString('\n')
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted ||
		!strings.HasPrefix(rest, "patchwork: interrupted") || time.Since(began) > 3*time.Minute {
		t.Errorf("%v after %v: %q", err, time.Since(began), rest)
	}
	if got := listing(t, dir); got != "large.npy" && got != "large.npy m.npz" ||
		strings.Contains(got, "m.npz") != strings.Contains(rest, "interrupted: wrote m.npz") {
		t.Errorf("left %s after %q", got, rest)
	}

	pipe := filepath.Join(dir, "pipe.npy")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	go func() {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer w.Close()
		content, _ := os.ReadFile(filepath.Join(dir, "large.npy"))
		w.Write(content) // until the reader has gone
	}()
	o := patchworkCommand(t, "learn", pipe, "-k", "2", "-o", filepath.Join(dir, "m.npz"), "--memory", "1MB")
	if o.code != 2 || !strings.Contains(o.err, "can be read only once; save it to a file first") {
		t.Errorf("a pipe: exit %d, %q", o.code, o.err)
	}
}
