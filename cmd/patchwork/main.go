// Command patchwork learns parts (experts) from binary images and explains images
// with them: likelihood matching pursuit under extremal composition rules.
//
//	patchwork synth letters --letters T --writers 20 --seed 1 -o t.npz
//	patchwork learn t.npz -o t-model.npz -k 2 --shift 14 --rotate 24:6 --rows :10
//	patchwork explain -m t-model.npz t.npz
//
// Every subcommand has --help with an example. Exit codes: 0 done; 1 the work
// failed (input/output, disk full); 2 the request was wrong (flags, unreadable or
// malformed input); 130 interrupted (143 by SIGTERM). An error is one line on stderr.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/term"

	"example.com/patchwork/internal/atomicfile"
	"example.com/patchwork/learn"
)

func main() { os.Exit(realMain()) }

// realMain runs the command in the real process. The first SIGINT or SIGTERM stops
// the work in an orderly way, with the best so far where there is one; the second
// ends the process at once.
func realMain() int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		cancel(interruption{<-signals})
		again := <-signals
		atomicfile.RemoveUnfinished()
		os.Exit(interruption{again}.code())
	}()
	// If the reader of a pipe has gone, writing returns EPIPE, so that unfinished
	// files are removed before the process ends.
	signal.Ignore(syscall.SIGPIPE)
	return run(ctx, os.Args[1:], console{
		out: os.Stdout, err: os.Stderr, getenv: os.Getenv,
		outTerminal: isTerminal(os.Stdout), errTerminal: isTerminal(os.Stderr),
		width: width(os.Stdout),
	})
}

// console is all that the command knows of its environment, apart from files.
type console struct {
	out, err                 io.Writer
	getenv                   func(string) string
	outTerminal, errTerminal bool
	width                    int // of the terminal in characters, 0 if not known

	follow func(done, total int, line string) // gets the line of progress in place of a terminal; nil for none
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func width(f *os.File) int {
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, c console) int {
	var line *statusLine
	switch _, file := c.err.(*os.File); {
	case c.errTerminal:
		line = &statusLine{to: c.err}
		c.err = line
	case !file: // an engine's process writes there, too
		c.err = &lockedWriter{w: c.err}
	}
	if c.outTerminal {
		c.out = &terminalWriter{to: c.out, line: line}
	}
	a := &app{console: c}
	root := a.rootCommand()
	root.SetArgs(append([]string{}, a.plainHelp(columnArgs(withCommand(root, args)))...)) // of nil cobra makes os.Args
	root.SetOut(c.out)
	root.SetErr(c.err)
	return a.report(ctx, root.ExecuteContext(context.WithValue(ctx, filesKey{}, &a.files)))
}

// lockedWriter lets one goroutine write at a time.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

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
