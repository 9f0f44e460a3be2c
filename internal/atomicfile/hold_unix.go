//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"os"
	"syscall"
)

// hold locks a hidden file until release is called or the process ends, also after the file is closed. It returns nil
// if another process has taken the file, new as it is, for the rest of a killed one. Where the file system has no
// locks, nobody removes the file either.
func hold(f *os.File) (release func()) {
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == syscall.EWOULDBLOCK {
		return nil
	}
	var info syscall.Stat_t
	if err := syscall.Fstat(int(f.Fd()), &info); err == nil && info.Nlink == 0 {
		return nil
	}
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
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return
	}
	// What was opened may be at its target by now, and the name another writer's. Nobody renames what is locked here.
	opened, err := f.Stat()
	if there, lerr := os.Lstat(path); err == nil && lerr == nil && os.SameFile(opened, there) {
		os.Remove(path)
	}
}
