//go:build unix

package stat

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time of this process so far, outside the
// system.
func ProcessorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano())
}
