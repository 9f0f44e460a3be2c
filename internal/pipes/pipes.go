// Package pipes opens files that may be named pipes. To open a pipe waits for somebody at its other end,
// for ever if nobody comes; here that is an error after a while.
package pipes

import (
	"fmt"
	"io/fs"
	"os"
	"time"
)

// patience is how long somebody may take to come to the other end.
var patience = 10 * time.Second

// Open opens a file for reading.
func Open(path string) (*os.File, error) { return open(path, os.O_RDONLY, "writes to") }

// OpenWriter opens a file that exists for writing.
func OpenWriter(path string) (*os.File, error) { return open(path, os.O_WRONLY, "reads from") }

func open(path string, flag int, other string) (*os.File, error) {
	if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.OpenFile(path, flag, 0)
	}
	var f *os.File
	var err error
	opened := make(chan bool)
	go func() {
		f, err = os.OpenFile(path, flag, 0)
		select {
		case opened <- true:
		case <-time.After(patience): // nobody waits any more
			if err == nil {
				f.Close()
			}
		}
	}()
	select {
	case <-opened:
		return f, err
	case <-time.After(patience):
		return nil, &fs.PathError{Op: "open", Path: path,
			Err: fmt.Errorf("it is a pipe that nobody %s: waited for %v; start the other program first, or name a file", other,
				patience)}
	}
}
