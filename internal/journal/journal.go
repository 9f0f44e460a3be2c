// Package journal keeps values by their keys in a folder, so that a run goes on after the death of its
// process at any moment: a value is there, and whole, or not there at all.
//
// The folder has a file for each value, with its checksum; "about", the description of what the journal is
// about; and "lock", which says who has it open, and is locked meanwhile.
package journal

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"example.com/patchwork/internal/atomicfile"
)

// The files of a journal beside its values, and how those end.
const (
	aboutName = "about"
	lockName  = "lock"
	suffix    = ".value"
)

// magic begins the description, so that no other file is taken for one.
const magic = "patchwork-journal 2\n"

// Journal is an open journal. It is safe for concurrent use.
type Journal struct {
	dir  string
	held *flock.Flock
}

// DescriptionError reports a journal of another run.
type DescriptionError struct {
	Path      string
	Got, Want string
}

// Error implements the error interface.
func (e *DescriptionError) Error() string {
	return fmt.Sprintf("%s is about another run: %s, not %s", e.Path, e.Got, e.Want)
}

// FormatError reports something that is not a journal.
type FormatError struct{ Path string }

// Error implements the error interface.
func (e *FormatError) Error() string { return e.Path + ": not a file of a checkpoint of patchwork" }

// Open opens the journal in a folder, which is made if need be. Only one process has a journal open: its
// lock ends when the process ends, however it does. No link is followed.
//
// The error is a *[BusyError] if another has the journal open, a *[FormatError] if
// something else is at path, which stays as it is, a *[DescriptionError] if the
// description differs, or one of the file system.
func Open(path, description string) (*Journal, error) {
	held, err := takeLock(path)
	if err != nil {
		return nil, err
	}
	j := &Journal{path, held}
	got, err := os.ReadFile(filepath.Join(path, aboutName))
	had, ours := strings.CutPrefix(string(got), magic)
	switch {
	case errors.Is(err, fs.ErrNotExist): // new, or killed before anything was kept
		if err = j.write(aboutName, []byte(magic+description)); err != nil {
			return nil, errors.Join(err, j.Remove())
		}
		err = atomicfile.SyncFolder(filepath.Dir(path))
	case err != nil:
	case !ours:
		err = &FormatError{path}
	case had != description:
		err = &DescriptionError{path, had, description}
	}
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return j, nil
}

// write writes a file of the journal.
func (j *Journal) write(name string, content []byte) error {
	return atomicfile.Write(filepath.Join(j.dir, name), func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// nameOf returns the name of the file of a key.
func nameOf(key string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(key))) + suffix }

// sealed returns what is in the file of a value: a checksum of it and its key, and the value.
func sealed(key string, value []byte) []byte {
	sum := sha256.Sum256(append([]byte(key+"\x00"), value...))
	return append(sum[:], value...)
}

// Recall returns the value of a key; ok is false if it has none, or if the file is no
// longer what was written.
func (j *Journal) Recall(key string) (value []byte, ok bool, err error) {
	content, err := os.ReadFile(filepath.Join(j.dir, nameOf(key)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil || len(content) < sha256.Size {
		return nil, false, err
	}
	value = content[sha256.Size:]
	return value, bytes.Equal(content, sealed(key, value)), nil
}

// Keep keeps a value, which then survives the end of the process and of the machine. A value that is there
// stays.
func (j *Journal) Keep(key string, value []byte) error {
	if _, ok, err := j.Recall(key); ok || err != nil {
		return err
	}
	return j.write(nameOf(key), sealed(key, value))
}

// Close ends the lock, for another run to go on with. It may be called more than once.
func (j *Journal) Close() error { return j.held.Close() }

// Remove removes the journal: what says what the values are about goes after them.
func (j *Journal) Remove() error {
	entries, err := os.ReadDir(j.dir)
	for _, e := range entries {
		if name := e.Name(); name != aboutName && name != lockName {
			err = errors.Join(err, os.Remove(filepath.Join(j.dir, name)))
		}
	}
	about := os.Remove(filepath.Join(j.dir, aboutName))
	if errors.Is(about, fs.ErrNotExist) {
		about = nil
	}
	return errors.Join(err, about, j.release())
}
