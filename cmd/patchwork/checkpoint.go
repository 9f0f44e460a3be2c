package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/patchwork/internal/journal"
)

// checkpoint says where a learning run keeps its intermediate results, so that it
// can continue after it was killed.
type checkpoint struct{ dir string }

const journalName = "run.journal"

func (c *checkpoint) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.dir, "checkpoint", "",
		"folder `DIR` that keeps every iteration until the model is written; the same command continues the run that it "+
			"finds there, to the same model")
	writesInside(cmd, "checkpoint", journalName)
	groupFlags(cmd.Flags(), largeData, "checkpoint")
}

// open opens the journal of a run, or begins one: a run that was kept goes on if it is
// the same, and is never replaced by another, nor by a second run at the same time. The
// description has all that the run depends on.
func (c *checkpoint) open(description string) (*journal.Journal, error) {
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return nil, fmt.Errorf("make the folder %s: %w", c.dir, underlying(err))
	}
	path := filepath.Join(c.dir, journalName)
	j, err := journal.Open(path, description)
	var other *journal.DescriptionError
	var format *journal.FormatError
	var busy *journal.BusyError
	switch {
	case errors.As(err, &other):
		return nil, usagef("%s keeps an unfinished run of another program, data or options (%s); give the same to continue "+
			"it, or another folder, or remove it", path, difference(other.Got, other.Want))
	case errors.As(err, &format):
		return nil, usagef("%s is not a file of a checkpoint, and stays as it is; give another folder", format.Path)
	case errors.As(err, &busy):
		return nil, fmt.Errorf("%w, a run that goes on; wait until it ends, or give another folder", err)
	}
	return j, err
}

// openCheckpoint opens the journal of a run with its settings; it returns nil without --checkpoint.
func (f *learnFlags) openCheckpoint(cmd *cobra.Command, identity func() string, paths []string,
	settings ...any) (*journal.Journal, error) {
	if f.checkpoint.dir == "" {
		return nil, nil
	}
	description, err := describeRun(cmd, identity(), paths, settings...)
	if err != nil {
		return nil, err
	}
	return f.checkpoint.open(description)
}

// done removes the journal of a run whose model is written.
func (*checkpoint) done(j *journal.Journal) error {
	if j == nil {
		return nil
	}
	return j.Remove()
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
var indifferent = map[string]bool{"checkpoint": true, "output": true, "workers": true, "quiet": true, "memory": true,
	"engine": true}

// describeRun returns all that the model of a run depends on, one line each: the version of
// the program, its flags, its data, by the identity of their content, or if that is "" by
// files, and the settings with their defaults.
func describeRun(cmd *cobra.Command, identity string, paths []string, settings ...any) (string, error) {
	var b strings.Builder
	b.WriteString("program " + version() + "\n")
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !indifferent[flag.Name] {
			fmt.Fprintf(&b, "--%s %s\n", flag.Name, flag.Value)
		}
	})
	if identity != "" {
		fmt.Fprintf(&b, "data %s\n", identity)
		paths = nil
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return "", &inputError{err}
		}
		fmt.Fprintf(&b, "file %s of %d bytes, changed %s\n", path, info.Size(),
			info.ModTime().UTC().Format("2006-01-02T15:04:05.000000000Z"))
	}
	for _, s := range settings {
		if err := describeSettings(&b, s); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// describeSettings writes the fields of a struct, as JSON has them, one line each, but for
// the number of workers, which does not matter.
func describeSettings(b *strings.Builder, settings any) error {
	text, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	delete(fields, "Workers")
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(b, "%s %s\n", name, fields[name])
	}
	return nil
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
