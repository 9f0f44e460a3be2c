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

// lock is the right to use a journal, by a lock of the operating system on a file beside
// it, which ends with the process, however that ends. A lock file that nobody holds means
// nothing.
type lock struct {
	f *os.File
}

// errHeld reports a file that another open file has locked.
var errHeld = errors.New("locked by another")

// takeLock locks the journal at path. The error is a *[BusyError] where another has it, or a
// *[FormatError] where the lock file is something else.
func takeLock(path string) (*lock, error) {
	name := path + lockSuffix
	for range 100 { // whoever ends in between removes the file that was opened here
		f, _, err := openOwn(name, lockMagic)
		if err != nil {
			return nil, err
		}
		err = lockFile(f)
		if err == nil && !same(f, name) {
			f.Close()
			continue
		}
		switch {
		case errors.Is(err, errHeld):
			err = &BusyError{path, holder(f)}
		case err != nil:
			err = fmt.Errorf("lock %s: %w; choose a folder on a file system that has locks", name, err)
		default:
			err = sign(f)
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		return &lock{f}, nil
	}
	return nil, &BusyError{Path: path}
}

// release removes the lock file and ends the lock. Where an open file cannot be removed
// it is closed first, and stays if another has opened it in between.
func (l *lock) release() error {
	if l == nil {
		return nil
	}
	if runtime.GOOS == "windows" {
		err := l.f.Close()
		_ = os.Remove(l.f.Name())
		return err
	}
	err := os.Remove(l.f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.f.Close())
}

// sign writes into a lock file who has it.
func sign(f *os.File) error {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	text := fmt.Sprintf("%sprocess %d on %s\n", lockMagic, os.Getpid(), host)
	if _, err = f.WriteAt([]byte(text), 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(text)))
}

// holder returns who has signed a lock file; "" if it does not say. Who has just taken the
// lock signs at once, which is waited for.
func holder(f *os.File) string {
	for range 100 {
		text, err := io.ReadAll(io.NewSectionReader(f, 0, 512))
		if err != nil {
			return ""
		}
		rest, ok := strings.CutPrefix(string(text), lockMagic)
		if who, _, whole := strings.Cut(rest, "\n"); ok && whole {
			return strings.ToValidUTF8(who, "?")
		}
		time.Sleep(2 * time.Millisecond)
	}
	return ""
}

// openOwn opens a file of ours, or creates it, without following links. The error is a
// *[FormatError] where something else is at path, which stays as it is: a file that does not
// begin with magic (a torn beginning of it counts, which a killed writer leaves), a
// link, a device or a pipe.
func openOwn(path, magic string) (f *os.File, created bool, err error) {
	for range 100 { // what is there may come and go
		before, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
			if errors.Is(err, fs.ErrExist) {
				continue
			}
			return f, err == nil, err
		}
		if err != nil {
			return nil, false, err
		}
		if !before.Mode().IsRegular() {
			return nil, false, &FormatError{path}
		}
		f, err := os.OpenFile(path, os.O_RDWR|noFollow, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		now, err := f.Stat()
		if err == nil && !os.SameFile(before, now) {
			f.Close()
			continue
		}
		if err == nil {
			err = ours(f, path, magic)
		}
		if err != nil {
			f.Close()
			return nil, false, err
		}
		return f, false, nil
	}
	return nil, false, &BusyError{Path: path}
}

// ours returns a *[FormatError] unless the file begins with magic, or is shorter and as
// far as it goes.
func ours(f *os.File, path, magic string) error {
	head := make([]byte, len(magic))
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	if !strings.HasPrefix(magic, string(head[:n])) {
		return &FormatError{path}
	}
	return nil
}

// same reports whether a path still names an open file.
func same(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Lstat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
