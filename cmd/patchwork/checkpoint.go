package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/patchwork/internal/journal"
	"example.com/patchwork/modelfile/tallyfile"
)

// checkpoint says where a learning run keeps its intermediate results, so that it
// can continue after it was killed.
type checkpoint struct {
	dir    string
	resume bool
}

const journalName = "run.journal"

func (c *checkpoint) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.dir, "checkpoint", "", "folder `DIR` that keeps every iteration until the model is written; the same command continues the run that it finds there, to the same model")
	cmd.Flags().BoolVar(&c.resume, "resume", false, "the default: continue the run kept by --checkpoint")
	hide(cmd, "resume")
}

func (c *checkpoint) check() error {
	if c.resume && c.dir == "" {
		return usagef("--resume continues a run that was kept; say where with --checkpoint DIR")
	}
	return nil
}

// open opens the journal of a run, or begins one: a run that was kept goes on if it is
// the same, and is never replaced by another. The description has all that the run
// depends on.
func (c *checkpoint) open(description string) (*journal.Journal, error) {
	path := filepath.Join(c.dir, journalName)
	j, err := journal.Open(path, description)
	var other *journal.DescriptionError
	var format *journal.FormatError
	switch {
	case errors.As(err, &other):
		return nil, usagef("%s keeps an unfinished run with other data or options (%s); give the same to continue it, or another folder, or remove it", path, difference(other.Got, other.Want))
	case errors.As(err, &format): // killed before anything was kept
	case !errors.Is(err, fs.ErrNotExist):
		return j, err
	}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return nil, fmt.Errorf("make the folder %s: %w", c.dir, underlying(err))
	}
	return journal.Create(path, description)
}

// openCheckpoint opens the journal of a run; it returns nil without --checkpoint.
func (f *learnFlags) openCheckpoint(cmd *cobra.Command, s *source, paths []string) (*journal.Journal, error) {
	if f.checkpoint.dir == "" {
		return nil, nil
	}
	identity := ""
	if s.stream == nil {
		id := tallyfile.NewIdentity()
		id.Add(s.set.Data)
		identity = id.String()
	}
	description, err := describeRun(cmd, identity, paths)
	if err != nil {
		return nil, err
	}
	return f.checkpoint.open(description)
}

// done removes the journal of a run whose model is written.
func (c *checkpoint) done(j *journal.Journal) error {
	if j == nil {
		return nil
	}
	return errors.Join(j.Close(), os.Remove(filepath.Join(c.dir, journalName)))
}

// difference returns the first line in which two descriptions differ.
func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("it had %s, this has %s", a[i], b[i])
		}
	}
	return "one has more options than the other"
}

// indifferent lists the flags that do not change the model.
var indifferent = map[string]bool{"checkpoint": true, "resume": true, "output": true, "workers": true, "quiet": true, "memory": true, "engine": true, "beam": true,
	"picture": true, "progress-picture": true, "curve": true}

// describeRun returns all that the model of a run depends on, one line each: its
// flags, and its data, by the identity of their content, or if that is "" by files.
func describeRun(cmd *cobra.Command, identity string, paths []string) (string, error) {
	var b strings.Builder
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !indifferent[flag.Name] {
			fmt.Fprintf(&b, "--%s %s\n", flag.Name, flag.Value)
		}
	})
	if identity != "" {
		fmt.Fprintf(&b, "data %s\n", identity)
		return b.String(), nil
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return "", &inputError{err}
		}
		fmt.Fprintf(&b, "file %s of %d bytes, changed %s\n", path, info.Size(), info.ModTime().UTC().Format("2006-01-02T15:04:05.000000000Z"))
	}
	return b.String(), nil
}

// memory makes the journal the memory of a run.
type memory struct{ *journal.Journal }

func (m memory) Recall(key string) ([]byte, bool, error) {
	value, ok, err := m.Journal.Recall(key)
	if err != nil {
		err = &checkpointError{err}
	}
	return value, ok, err
}

func (m memory) Keep(key string, value []byte) error {
	if err := m.Journal.Keep(key, value); err != nil {
		return &checkpointError{err}
	}
	return nil
}

// checkpointError says that a journal can no longer be written or read: the
// request is not at fault.
type checkpointError struct{ err error }

func (e *checkpointError) Error() string { return e.err.Error() }
func (e *checkpointError) Unwrap() error { return e.err }
