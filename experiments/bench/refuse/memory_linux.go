package main

import (
	"os"
	"syscall"
)

// memory returns the most bytes that an ended process held at once.
func memory(s *os.ProcessState) int64 {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return int64(usage.Maxrss) << 10 // an int32 on some machines
}
