//go:build amd64 || arm64 || 386

package atomicfile

import (
	"os"
	"syscall"
)

// flush asks the system to begin writing bytes [from, to) of a file to its disk, and does
// not wait. It is for speed only: an error, as of a pipe, means nothing.
func flush(f *os.File, from, to int64) {
	const begin = 2 // SYNC_FILE_RANGE_WRITE
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _ = syscall.SyncFileRange(int(fd), from, to-from, begin) })
	}
}
