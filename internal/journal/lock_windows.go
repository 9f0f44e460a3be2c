package journal

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// noFollow is not needed: what was opened is compared with what was looked at.
const noFollow = 0

// lockFile locks a byte far behind the text of a file, which others may go on reading. The
// error is errHeld where another has it.
func lockFile(f *os.File) error {
	at := windows.Overlapped{OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errHeld
	}
	return err
}
