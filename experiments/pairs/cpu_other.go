//go:build !unix

package pairs

import "time"

var began = time.Now()

// processorTime returns the time since the process began.
func processorTime() time.Duration { return time.Since(began) }
