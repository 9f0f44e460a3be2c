package python

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
)

// script is Python without any module.
func script(t *testing.T) *Script {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: starts Python")
	}
	s := &Script{Text: `
import os
calls = 0

def count(job):
    global calls
    calls += 1
    return calls

def fail(job):
    raise ValueError("nothing of " + job["of"])

def double(job):
    print("what a library prints is no answer")
    return [2 * x for x in job]

ops = {"count": count, "double": double, "fail": fail, "env": lambda job: os.environ[job]}
`, Modules: "json, sys", Env: []string{"PATCHWORK_TEST=here"}}
	if _, err := s.Path(); err != nil {
		t.Skip(err)
	}
	return s
}

// Answers are decoded, errors of the script are ours and end nothing, and one process answers all.
func TestAsk(t *testing.T) {
	s := script(t)
	var doubled []float64
	if err := s.Ask(t.Context(), "double", []float64{1, 2.5}, &doubled); err != nil ||
		!slices.Equal(doubled, []float64{2, 5}) {
		t.Errorf("%v, %v", doubled, err)
	}
	var env string
	if err := s.Ask(t.Context(), "env", "PATCHWORK_TEST", &env); err != nil || env != "here" {
		t.Errorf("%q, %v", env, err)
	}
	err := s.Ask(t.Context(), "fail", map[string]string{"of": "this"}, &env)
	if err == nil || !strings.Contains(err.Error(), "ValueError: nothing of this") {
		t.Errorf("a failing function: %v", err)
	}
	if err := s.Ask(t.Context(), "none", nil, &env); err == nil || !strings.Contains(err.Error(), "KeyError") {
		t.Errorf("no such function: %v", err)
	}
	for want := 1; want <= 3; want++ {
		var calls int
		if err := s.Ask(t.Context(), "count", nil, &calls); err != nil || calls != want {
			t.Errorf("call %d: %d, %v", want, calls, err)
		}
	}
}

// Who asks at the same time gets his own answer.
func TestAskTogether(t *testing.T) {
	s := script(t)
	var wait sync.WaitGroup
	for i := range 3 {
		wait.Go(func() {
			for range 5 {
				var doubled []int
				if err := s.Ask(t.Context(), "double", []int{i}, &doubled); err != nil || doubled[0] != 2*i {
					t.Errorf("%d: %v, %v", i, doubled, err)
				}
			}
		})
	}
	wait.Wait()
	if len(s.idle) > 3 {
		t.Errorf("%d processes for three askers", len(s.idle))
	}
}

func TestAskRefuses(t *testing.T) {
	s := &Script{Modules: "no_such_module_of_python", Debian: "python3-nothing"}
	missing := new(MissingError)
	if err := s.Ask(t.Context(), "count", nil, nil); !errors.As(err, &missing) ||
		!strings.Contains(err.Error(), "python3-nothing") {
		t.Errorf("a module that is not there: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := s.Ask(ctx, "count", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
