//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import (
	"os"
	"time"
)

// hold does nothing: what is old enough is not needed.
func hold(*os.File) (release func()) { return func() {} }

// removeUnheld removes a hidden file to which nothing was written for a day.
func removeUnheld(path string) {
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
		os.Remove(path)
	}
}
