package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// races returns how often TestRunsAtOnce starts runs at once: 200 times take minutes.
func races(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("PATCHWORK_RACES"))
	if err != nil {
		if testing.Short() {
			t.Skip("starts processes, some seconds; left out by -short")
		}
		return 3 // two, four and eight at once
	}
	return n
}

// Of two, four or eight runs that go on from one checkpoint at once, one proceeds and
// the others are told who has it and what to do. All models are right, and nothing is left.
func TestRunsAtOnce(t *testing.T) {
	if apart(t) {
		return
	}
	rounds := races(t)
	t.Chdir(t.TempDir())
	must(t, "synth", "quadrants", "--n", "60", "--seed", "1", "-o", "q.npz", "-q")
	line := "learn q.npz --rule max-minus-min --experts 8 --starts 3 --seed 5 -q"
	began := time.Now()
	must(t, append(fields(line), "-o", "want.npz")...)
	took := time.Since(began)
	want := read(t, "want.npz")
	rng := rand.New(rand.NewPCG(uint64(rounds), 2))
	right, done, told := 0, 0, 0
	for round := range rounds {
		n := 2 << (round % 3)
		if round%2 == 1 { // something is there to go on from
			cmd := process(t, ".", append(fields(line), "-o", "never.npz", "--checkpoint", "kept")...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rng.Int64N(int64(took))))
			cmd.Process.Kill()
			_ = cmd.Wait() // it was killed, or was done
			os.Remove("never.npz")
		}
		cmds, said := make([]*exec.Cmd, n), make([]strings.Builder, n)
		for i := range cmds {
			cmds[i] = process(t, ".", append(fields(line), "-o", fmt.Sprintf("%d.npz", i), "--checkpoint", "kept")...)
			cmds[i].Stderr = &said[i]
			if err := cmds[i].Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rng.Int64N(int64(took) / 4)))
		}
		wrong := 0
		for i, cmd := range cmds {
			err := cmd.Wait()
			name := fmt.Sprintf("%d.npz", i)
			_, missing := os.Stat(name)
			switch text := said[i].String(); {
			case err == nil && missing == nil && read(t, name) == want:
				done++
				os.Remove(name)
			case cmd.ProcessState.ExitCode() == exitFailed && missing != nil &&
				strings.Contains(text, "another run (process ") &&
				strings.Contains(text, "wait until it ends, or give another folder") && strings.Count(text, "\n") == 1:
				told++
			default:
				wrong++
				t.Errorf("round %d, run %d of %d: %v, %q; no model: %v", round, i, n, err, text, missing)
			}
		}
		if left, _ := os.ReadDir("kept"); len(left) > 0 {
			t.Errorf("round %d: %v is left", round, left)
			wrong++
		}
		if wrong == 0 {
			right++
		}
	}
	t.Logf("right %d of %d times; %d runs wrote the model, %d were told", right, rounds, done, told)
	if told == 0 {
		t.Error("no two runs met")
	}
}
