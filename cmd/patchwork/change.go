package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// changePatience is how long a command waits for others that change the same file.
const changePatience = 20 * time.Second

// change lets a command read a file, change it and write it again, while no other command does: each
// would lose what the other wrote. Who waits holds a hidden file beside it, which is gone afterwards.
func (f *files) change(ctx context.Context, path string, do func() error) (err error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return do() // which says so
	}
	lock, err := lockBeside(ctx, target)
	if err != nil {
		return fmt.Errorf("change %s: %w", path, err)
	}
	defer func() {
		_ = os.Remove(lock.Path()) // before it is let go; where it is open elsewhere, as on Windows, the last one does it
		_ = lock.Close()
	}()
	f.mayReplace(path)
	return do()
}

// lockBeside locks the hidden file that stands for a file.
func lockBeside(ctx context.Context, target string) (*flock.Flock, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, changePatience,
		fmt.Errorf("another command has been changing it for %v; wait until it is done", changePatience))
	defer cancel()
	dir, base := filepath.Split(target)
	for {
		lock := flock.New(filepath.Join(dir, "."+base+".lock"))
		if ok, err := lock.TryLockContext(ctx, 10*time.Millisecond); !ok {
			_ = lock.Close()
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return nil, underlying(err)
		}
		held, err := lock.Stat()
		there, gone := os.Stat(lock.Path())
		if err == nil && gone == nil && os.SameFile(held, there) {
			return lock, nil
		}
		_ = lock.Close() // who had it before has removed it meanwhile
	}
}
