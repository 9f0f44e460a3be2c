//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package journal

import (
	"errors"
	"os"
)

const noFollow = 0

// lockFile fails: without a lock that ends with its process a checkpoint is not safe.
func lockFile(*os.File) error { return errors.ErrUnsupported }
