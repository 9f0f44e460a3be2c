package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn"
)

// exitInterrupted is the exit code after Ctrl-C: 128 and the number of the signal.
const exitInterrupted = 128 + int(syscall.SIGINT)

// interruption is why the context of an interrupted command ends: the user has
// enough, and takes the best that was learned so far.
type interruption struct{ signal os.Signal }

func (i interruption) Error() string { return "interrupted" }

// Is makes learners end with the best so far, and all others with an error.
func (i interruption) Is(target error) bool {
	return target == learn.Enough || target == context.Canceled
}

// code returns the exit code.
func (i interruption) code() int {
	if n, ok := i.signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return exitInterrupted
}

// codeOf returns the exit code of an interrupted command.
func codeOf(ctx context.Context) int {
	var i interruption
	if errors.As(context.Cause(ctx), &i) {
		return i.code()
	}
	return exitInterrupted
}

// interrupted reports whether the user has ended the work.
func interrupted(ctx context.Context) bool { return errors.Is(context.Cause(ctx), learn.Enough) }

// keptError says what an interrupted command has written nevertheless.
type keptError struct{ what string }

func (e *keptError) Error() string { return "interrupted: " + e.what }

// Is makes it an interruption.
func (e *keptError) Is(target error) bool { return target == context.Canceled }

// bestSoFar describes the model of an interrupted run.
func bestSoFar(m *patchwork.Model, open bool) string {
	if open {
		return fmt.Sprintf("the best so far, with %s", words.Count(m.K(), "part"))
	}
	return startsSoFar(len(m.Extras().Record.Starts))
}

// startsSoFar says what an interrupted run keeps after a number of complete starts.
func startsSoFar(starts int) string {
	switch {
	case starts > 1:
		return fmt.Sprintf("the best of %d starts so far", starts)
	case starts == 1:
		return "the best so far, of 1 start"
	}
	return "what the first start had learned so far"
}
