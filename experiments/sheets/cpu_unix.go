//go:build unix

package sheets

import (
	"syscall"
	"time"
)

// processorTime returns the processor time of this process so far, outside the
// system.
func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano())
}
