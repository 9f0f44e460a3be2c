package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"example.com/patchwork/learn"
)

// An interruption is enough for a learner, and a cancellation for everybody else, also
// as the cause of a context.
func TestInterruption(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	if interrupted(ctx) {
		t.Error("interrupted from the beginning")
	}
	cancel(interruption{syscall.SIGTERM})
	cause := fmt.Errorf("read: %w", context.Cause(ctx))
	if !interrupted(ctx) || !errors.Is(cause, learn.Enough) || !errors.Is(cause, context.Canceled) || codeOf(ctx) != 143 {
		t.Errorf("%v is enough %t, cancelled %t, exit %d", cause, errors.Is(cause, learn.Enough),
			errors.Is(cause, context.Canceled), codeOf(ctx))
	}
	if codeOf(t.Context()) != 130 {
		t.Error("another cancellation has another code")
	}
}

// Whatever is interrupted before it begins says so and writes nothing.
func TestInterruptedBeforeTheWork(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	before := listing(t, ".")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interruption{syscall.SIGINT})
	for _, line := range []string{
		"learn t.npz -k 2 -o m.npz", "explain -m model.npz t.npz -o e.jsonl", "predict -m model.npz t.npz -o p.csv",
		"score -m model.npz t.npz",
		"show model.npz -o parts.png", "show model.npz -o parts.svg", "show t.npz -o sheet.svg -q",
		"count -m model.npz t.npz -o 1.tally", "show -m model.npz t.npz -o sheet.png",
		"learn t.npz -k 2 --method soft --rule max-minus-min -o m.npz",
	} {
		var out, err strings.Builder
		code := run(ctx, fields(line), console{out: &out, err: &err, getenv: func(string) string { return "" }})
		if code != exitInterrupted || err.String() != "patchwork: interrupted; no unfinished file was written\n" ||
			out.Len() > 0 {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", line, code, out.String(), err.String())
		}
		if got := listing(t, "."); got != before {
			t.Errorf("%s left %s", line, got)
		}
	}
}
