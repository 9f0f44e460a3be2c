package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/patchwork/internal/testenv"
)

// kills returns how often TestKilledRuns kills: 100 times take minutes.
func kills(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("PATCHWORK_KILLS"))
	switch {
	case err == nil:
		return n
	case testenv.Full():
		return 100
	case testing.Short():
		t.Skip("kills processes, some seconds; left out by -short")
	}
	return 10
}

// A run that is killed repeatedly, at any time, ends in the same bytes as one that is
// not, and leaves nothing behind.
func TestKilledRuns(t *testing.T) {
	left := kills(t)
	t.Chdir(t.TempDir())
	must(t, "synth", "quadrants", "--n", "40", "--seed", "1", "-o", "q.npz", "-q")
	must(t, "synth", "letters", "--letters", "T", "--writers", "6", "--side", "20", "--seed", "1", "-o", "t.npz", "-q")
	lines := []string{
		"learn q.npz --rule max-minus-min --experts 8 --seed 5",
		"learn q.npz --rule max-minus-min --method soft --experts 8 --seed 5",
		"learn t.npz --experts 2 --shift 4 --rotate 12:6 --seed 5 --starts 6",
		"learn q.npz --rule max-minus-min --experts 5..6 --seed 5",
		"learn q.npz --rule max-minus-min --method soft --experts auto --start-from grow --aim interpret --seed 5",
	}
	rng := rand.New(rand.NewPCG(uint64(left), 1))
	for round := 0; left > 0; round++ {
		line := lines[round%len(lines)]
		began := time.Now()
		must(t, append(strings.Fields(line), "-q", "-o", "want.npz")...)
		took := time.Since(began)
		want := read(t, "want.npz")
		args := append(strings.Fields(line), "-q", "-o", "got.npz", "--checkpoint", "kept")
		for {
			cmd := process(t, ".", args...)
			if left == 0 {
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: the last resume: %v, %s", line, err, out)
				}
				break
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(time.Duration(rng.Int64N(int64(took))), func() { cmd.Process.Kill() })
			err := cmd.Wait()
			timer.Stop()
			var exit *exec.ExitError
			switch {
			case err == nil: // it was done before it could be killed
			case errors.As(err, &exit) && exit.ExitCode() == -1:
				left--
				continue
			default:
				t.Fatalf("%s: %v", line, err)
			}
			break
		}
		if read(t, "got.npz") != want {
			t.Fatalf("%s: another model after kills", line)
		}
		if _, err := os.Stat("kept/" + journalName); err == nil {
			t.Errorf("%s: the journal is left behind", line)
		}
		if err := os.Remove("got.npz"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCheckpointRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "synth", "quadrants", "--n", "40", "--seed", "1", "-o", "q.npz", "-q")
	must(t, "synth", "quadrants", "--n", "40", "--seed", "2", "-o", "other.npz", "-q")
	line := "learn q.npz --rule max-minus-min --experts 8 --seed 5 -o m.npz -q --checkpoint kept"
	cmd := process(t, ".", strings.Fields(line)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 120000 { // until it has kept something
		if kept, err := filepath.Glob("kept/" + journalName + "/*.value"); err == nil && len(kept) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if _, err := os.Stat("m.npz"); err == nil {
		t.Skip("the machine was too quick to be killed")
	}
	for _, c := range []struct {
		line, want string
		code       int
	}{
		{strings.Replace(line, "--seed 5", "--seed 6", 1), "it had --seed 5, this has --seed 6", exitRequest},
		{strings.Replace(line, "q.npz", "other.npz", 1), "it had data sha256:", exitRequest},
		{"learn q.npz --experts 2 -o m.npz --checkpoint q.npz", "not a directory", exitFailed},
	} {
		o := patchworkCommand(t, strings.Fields(c.line)...)
		if o.code != c.code || !strings.Contains(o.err, c.want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("patchwork %s: exit %d, %q; want %d, %q", c.line, o.code, o.err, c.code, c.want)
		}
	}
	must(t, strings.Fields(line)...) // goes on by itself
}
