package main

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/pose"
)

// A workload with a peer runs, small, and in make long every one: explanations are what was planted (check fails
// otherwise), and every peer answers.
func TestQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts Python")
	}
	if _, err := peers.Path(); err != nil {
		t.Skip(err)
	}
	s := &session{rounds: 2, quick: true, dir: t.TempDir()}
	_, _, err := prepare("match", map[string]any{"images": "none.npy", "templates": "none.npy"})
	if err == nil || !strings.Contains(err.Error(), "none.npy") {
		t.Errorf("a file that is not there: %v", err)
	}
	var out bytes.Buffer
	text, err := s.machine()
	if err != nil {
		t.Fatal(err)
	}
	out.WriteString(text)
	var results []*result
	workloads, tasks, words := []string{"P1"}, 1, []string{"| workload |", "cv2.matchTemplate", "OpenCV"}
	if testenv.Long() {
		workloads, tasks, words = []string{"P1", "P2", "P3"}, 1+3+3*3, append(words, "NMF.transform", "first pick")
	}
	for _, name := range workloads {
		more, err := s.workload(name)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, more...)
	}
	if len(results) != tasks {
		t.Errorf("%d tasks were measured", len(results))
	}
	for _, t2 := range results {
		for i := range t2.peers {
			for _, ratio := range t2.ratios(i) {
				if !(ratio > 0) || math.IsInf(ratio, 0) {
					t.Errorf("%s beside %s: a ratio of %v", t2.name, t2.peers[i].name, ratio)
				}
			}
		}
	}
	write(&out, results)
	for _, want := range words {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

// Wrong explanations stop a benchmark.
func TestVerdictFindsWrongExplanations(t *testing.T) {
	p, err := plantLetters(2)
	if err != nil {
		t.Fatal(err)
	}
	pursuit, err := patchwork.NewPursuit(p.model, patchwork.PursuitOptions{Paper: true})
	if err != nil {
		t.Fatal(err)
	}
	explained, err := p.explain(pursuit)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := p.verdict(explained); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	for _, e := range explained {
		for i := range e.Picks {
			e.Picks[i].Pose = pose.Pose{DY: 5, DX: 5}
		}
	}
	if text, err := p.verdict(explained); err == nil {
		t.Errorf("letters explained by strokes elsewhere: %s", text)
	}
}

// A round takes at least the given time, however short the work; errors end it.
func TestRepeats(t *testing.T) {
	took := func(each float64) func(int) (float64, error) {
		return func(n int) (float64, error) { return each * float64(n), nil }
	}
	for _, c := range []struct {
		each  float64
		least time.Duration
		want  int
	}{{1, time.Second, 1}, {0.5, time.Second, 2}, {0.001, time.Second, 1200}, {0, 0, 1}} {
		got, err := repeats(took(c.each), c.least)
		if err != nil || got < c.want || float64(got) > 1.3*float64(c.want) {
			t.Errorf("%v s for %v: %d, %v; want about %d", c.each, c.least, got, err, c.want)
		}
	}
	broken := errors.New("broken")
	if _, err := repeats(func(int) (float64, error) { return 0, broken }, time.Second); err != broken {
		t.Errorf("the error is %v", err)
	}
}

// Invalid requests are refused before anything runs.
func TestBadRequests(t *testing.T) {
	for _, args := range [][]string{{"P9"}, {"P1", "--rounds", "0"}} {
		if err := run(args); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}
