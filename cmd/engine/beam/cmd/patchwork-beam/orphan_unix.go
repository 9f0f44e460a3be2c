//go:build unix

package main

import "syscall"

// adopted reports whether the parent of this process is process 1 of another group: whoever
// started it went before it could look. In a container process 1 may have started it, and is of
// its group.
func adopted(parent int) bool {
	if parent != 1 {
		return false
	}
	group, err := syscall.Getpgid(parent)
	return err == nil && group != syscall.Getpgrp()
}
