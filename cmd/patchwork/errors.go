package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/patchwork"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/enum"
)

// Exit codes, a contract with scripts.
const (
	exitDone    = 0
	exitFailed  = 1 // input/output, disk full
	exitRequest = 2 // flags, unreadable or malformed input
)

// usageError says that a request is wrong: a flag, an argument, or options that
// exclude each other.
type usageError struct {
	err     error
	command string // whose help to read, may be empty
}

func (e *usageError) Error() string {
	if e.command == "" {
		return e.err.Error()
	}
	return fmt.Sprintf("%v (see %s --help)", e.err, e.command)
}

func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}

// misused says that a command line is not one of those that a command takes.
func misused(cmd *cobra.Command, format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...), command: calling(cmd)}
}

// calling returns how a command is called: the answer has no name, a file stands for it.
func calling(cmd *cobra.Command) string {
	if cmd.Name() == answerName {
		return cmd.Root().Name() + " FILE"
	}
	return cmd.CommandPath()
}

// inputError says that input cannot be read or used, whatever the cause.
type inputError struct{ err error }

func (e *inputError) Error() string {
	s := e.err.Error()
	if strings.HasSuffix(s, syscall.ENOENT.Error()) {
		s += cmp.Or(nearFile(e.err), "; check the name")
	}
	return s
}

// nearFile returns the end of a message about a file that does not exist: which one in
// its folder is probably meant.
func nearFile(err error) string {
	var missing *fs.PathError
	if !errors.As(err, &missing) {
		return ""
	}
	dir, base := filepath.Split(missing.Path)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return ""
	}
	var names []string
	for _, entry := range entries {
		if filepath.Ext(base) == ".npz" && filepath.Ext(entry.Name()) != ".npz" && !entry.IsDir() {
			continue // a model is meant, or an archive of arrays: no table is either
		}
		names = append(names, entry.Name())
	}
	if near := enum.Nearest(base, names); near != "" && near != base {
		return "; did you mean " + dir + near + "?"
	}
	return ""
}

func (e *inputError) Unwrap() error { return e.err }

// badNumber matches the beginning of package strconv's errors, which is of use to
// programmers only.
var badNumber = regexp.MustCompile(`strconv\.\w+: parsing "[^"]*": `)

// badFlag matches the beginning of package pflag's errors about values.
var badFlag = regexp.MustCompile(`^invalid argument "(.*?)" for "(?:-\w, )?(--[\w-]+)" flag: `)

// flagError returns an error about a flag of a command, in plain words.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.ValueRequiredError
	text := badFlag.ReplaceAllString(badNumber.ReplaceAllString(err.Error(), ""), "$2 $1: ")
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		text = fmt.Sprintf("unknown flag: --%s%s", unknown.GetSpecifiedName(), meantFlag(cmd, unknown.GetSpecifiedName()))
	case errors.As(err, &unknown):
		short := unknown.GetSpecifiedShortnames()
		text = fmt.Sprintf("unknown flag: -%s%s", short, meantFlag(cmd, strings.SplitN(short, "=", 2)[0]))
	case errors.As(err, &value):
		f := value.GetFlag()
		text = fmt.Sprintf("--%s needs a value: %s", f.Name, strings.TrimSpace(flagSpec(f)))
	}
	return &usageError{err: errors.New(text), command: calling(cmd)}
}

// meantFlag returns the end of a message about a flag that does not exist: which one
// is probably meant.
func meantFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		names = append(names, f.Name)
	})
	near := enum.Nearest(strings.TrimLeft(name, "-"), names)
	if near == "" {
		return ""
	}
	return "; did you mean --" + near + "?"
}

// request marks an error of the library as one of the request, unless it is an
// interruption, a failed engine or checkpoint, or an output that cannot be written.
func request(err error) error {
	var engine *engineError
	var checkpoint *checkpointError
	var output *outputError
	if err == nil || errors.Is(err, context.Canceled) || errors.As(err, &engine) || errors.As(err, &checkpoint) ||
		errors.As(err, &output) {
		return err
	}
	return &usageError{err: err}
}

// outputError says that what the library hands out on its way cannot be written.
type outputError struct{ err error }

func (e *outputError) Error() string { return e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// exitCode returns the exit code for an error.
func (a *app) exitCode(ctx context.Context, err error) int {
	var (
		usage  *usageError
		input  *inputError
		format *dataset.FormatError
		size   *patchwork.SizeError
		option *synth.OptionError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		return codeOf(ctx)
	case errors.As(err, &usage), errors.As(err, &input), errors.As(err, &format),
		errors.As(err, &size), errors.As(err, &option), !a.started:
		return exitRequest
	}
	return exitFailed
}

// report prints an error as one line and returns the exit code.
func (a *app) report(ctx context.Context, err error) int {
	var kept *keptError
	switch {
	case err == nil:
	case errors.Is(err, syscall.EPIPE): // the reader has gone
	case errors.As(err, &kept):
		fmt.Fprintln(a.err, "patchwork: "+words.Visible(kept.Error()))
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(a.err, "patchwork: interrupted; no unfinished file was written")
	default:
		fmt.Fprintln(a.err, "patchwork: "+words.Visible(oneLine(err.Error())))
	}
	return a.exitCode(ctx, err)
}

// oneLine joins the lines of a message and drops the names of our own packages from
// its front, because every message begins with "patchwork" already.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.ReplaceAll(s, ": patchwork: ", ": ")
	for _, name := range []string{"patchwork: ", "dataset: ", "synth: ", "modelfile: ", "render: ", "pose: ", "rule: "} {
		s = strings.TrimPrefix(s, name)
	}
	return s
}

// underlying returns the cause of an error of the file system, without the name of
// the operation and the path, which the message around it has.
func underlying(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
