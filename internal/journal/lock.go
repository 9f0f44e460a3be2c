package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// lockMagic begins a lock file, so that no other file is taken for one.
const lockMagic = "patchwork-lock 1\n"

// lockSuffix is added to the path of a journal: the name of its lock file.
const lockSuffix = ".lock"

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

// takeLock locks the journal at path by a lock of the operating system on a file beside it, which ends with
// the process, however that ends. A lock file that nobody holds means nothing. The error is a *[BusyError]
// where another has it, or a *[FormatError] where the lock file is something else.
func takeLock(path string) (*flock.Flock, error) {
	name := path + lockSuffix
	for range 100 { // whoever ends in between removes the file that was opened here
		if err := ours(name, lockMagic); err != nil {
			return nil, err
		}
		l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
		ok, err := l.TryLock()
		switch {
		case errors.Is(err, fs.ErrNotExist): // there is no such folder
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("lock %s: %w; choose a folder on a file system that has locks", name, err)
		case !ok:
			return nil, &BusyError{path, holder(name)}
		case !same(l, name):
			l.Close()
			continue
		}
		sign(name)
		return l, nil
	}
	return nil, &BusyError{Path: path}
}

// same reports whether a path still names the file that is locked.
func same(l *flock.Flock, path string) bool {
	a, errA := l.Stat()
	b, errB := os.Lstat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// release removes the lock file and ends the lock. Where an open file cannot be removed
// it is closed first, and stays if another has opened it in between.
func release(l *flock.Flock) error {
	if !l.Locked() {
		return nil // closed before
	}
	if runtime.GOOS == "windows" {
		err := l.Close()
		_ = os.Remove(l.Path())
		return err
	}
	return errors.Join(os.Remove(l.Path()), l.Close())
}

// sign writes into a lock file who has it, where the system lets others write in a locked file.
func sign(name string) {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	_ = os.WriteFile(name, fmt.Appendf(nil, "%sprocess %d on %s\n", lockMagic, os.Getpid(), host), 0o666)
}

// holder returns who has signed a lock file; "" if it does not say. Who has just taken the
// lock signs at once, which is waited for.
func holder(name string) string {
	for range 100 {
		text, err := os.ReadFile(name)
		rest, ok := strings.CutPrefix(string(text), lockMagic)
		if who, _, whole := strings.Cut(rest, "\n"); err == nil && ok && whole {
			return strings.ToValidUTF8(who, "?")
		}
		time.Sleep(2 * time.Millisecond)
	}
	return ""
}

// ours returns a *[FormatError] where something else is at path: a file that does not begin with magic (a torn
// beginning of it counts as ours, which a killed writer leaves), a link, a device or a pipe.
func ours(path, magic string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return &FormatError{path}
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed in between
	}
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, int64(len(magic))))
	if err == nil && !strings.HasPrefix(magic, string(head)) {
		return &FormatError{path}
	}
	return err
}
