//go:build !unix

package main

import "time"

var began = time.Now()

// processorTime returns the processor time that this process has used so far; here, where
// the system does not tell, the time that has passed.
func processorTime() time.Duration { return time.Since(began) }
