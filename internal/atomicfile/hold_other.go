//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import (
	"os"
	"runtime"
	"time"
)

// stale is how long nothing was written to a hidden file before it is taken for the rest of a killed process.
const stale = 24 * time.Hour

// hold does nothing: what is old enough is not needed.
func hold(*os.File) (release func()) { return func() {} }

// removeUnheld removes a hidden file of Windows, where one that is open cannot be removed.
func removeUnheld(path string) {
	if runtime.GOOS == "windows" {
		os.Remove(path)
	}
}
