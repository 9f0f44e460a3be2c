//go:build !unix

package sheets

import "time"

var began = time.Now()

// processorTime returns the time since the process began.
func processorTime() time.Duration { return time.Since(began) }
