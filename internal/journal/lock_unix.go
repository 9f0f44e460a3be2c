//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package journal

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// noFollow makes opening a link fail, and opening a pipe not wait.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// lockFile locks a file without waiting. The error is errHeld where another has it.
func lockFile(f *os.File) error {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return errHeld
		default:
			return err
		}
	}
}
