//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"os"
	"syscall"
	"time"
)

// stale is how long nothing was written to a hidden file that nobody holds before it is taken for
// the rest of a killed process: longer than it takes from creating it to holding it.
const stale = time.Minute

// hold marks a hidden file as one that is needed, until release is called or the process ends, also
// after the file is closed. Where the file system cannot, nobody removes it either.
func hold(f *os.File) (release func()) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	second, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	syscall.CloseOnExec(second)
	return func() { _ = syscall.Close(second) }
}

// removeUnheld removes a hidden file that no process holds.
func removeUnheld(path string) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		os.Remove(path)
	}
}
