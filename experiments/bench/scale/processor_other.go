//go:build !unix

package main

import "time"

var began = time.Now()

// processorTime is what this process has used so far; where the system does not
// say, the time that has passed.
func processorTime() time.Duration { return time.Since(began) }
