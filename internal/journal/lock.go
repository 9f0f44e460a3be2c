package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// BusyError reports a journal that another process has open.
type BusyError struct {
	Path   string // of the journal
	Holder string // who has it, such as "process 12 on ulmus"; may be empty
}

// Error implements the error interface.
func (e *BusyError) Error() string {
	who := "another run"
	if e.Holder != "" {
		who += " (" + e.Holder + ")"
	}
	return fmt.Sprintf("%s has %s", who, e.Path)
}

// takeLock locks a journal by a lock of the operating system on its lock file, which ends with the process,
// however that ends. A lock file that nobody holds means nothing. The error is a *[BusyError] where another
// has it, or a *[FormatError] where the folder is something else.
func takeLock(dir string) (*flock.Flock, error) {
	name := filepath.Join(dir, lockName)
	for range 100 { // whoever ends in between removes what was opened here
		if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if err := ours(dir); err != nil {
			return nil, err
		}
		l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
		ok, err := l.TryLock()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("lock %s: %w; choose a folder on a file system that has locks", name, err)
		case !ok:
			return nil, &BusyError{dir, holder(name)}
		case !same(l, name):
			l.Close()
			continue
		}
		sign(name)
		return l, nil
	}
	return nil, &BusyError{Path: dir}
}

// ours returns a *[FormatError] where something else than the folder of a journal is, or may become one.
func ours(dir string) error {
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		return &FormatError{dir}
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed in between
	}
	for _, e := range entries {
		name := e.Name() // hidden files are of the system, or of a writer that was killed
		known := name == aboutName || name == lockName || strings.HasSuffix(name, suffix) || name[0] == '.'
		if !known || !e.Type().IsRegular() {
			return &FormatError{filepath.Join(dir, name)}
		}
	}
	return err
}

// same reports whether a path still names the file that is locked.
func same(l *flock.Flock, path string) bool {
	a, errA := l.Stat()
	b, errB := os.Lstat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// release removes the lock file and the folder, and ends the lock. Where an open file cannot be removed
// it is closed first, and stays if another has opened it in between.
func (j *Journal) release() error {
	if runtime.GOOS == "windows" {
		err := j.held.Close()
		_ = os.Remove(j.held.Path())
		_ = os.Remove(j.dir)
		return err
	}
	err := os.Remove(j.held.Path())
	_ = os.Remove(j.dir) // another run may have begun there
	return errors.Join(err, j.held.Close())
}

// sign writes into a lock file who has it, where the system lets others write in a locked file.
func sign(name string) {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	_ = os.WriteFile(name, fmt.Appendf(nil, "process %d on %s\n", os.Getpid(), host), 0o666)
}

// holder returns who has signed a lock file; "" if it does not say. Who has just taken the
// lock signs at once, which is waited for.
func holder(name string) string {
	for range 100 {
		text, err := os.ReadFile(name)
		if who, _, whole := strings.Cut(string(text), "\n"); err == nil && whole {
			return strings.ToValidUTF8(who, "?")
		}
		time.Sleep(2 * time.Millisecond)
	}
	return ""
}
