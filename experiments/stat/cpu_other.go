//go:build !unix

package stat

import "time"

var began = time.Now()

// ProcessorTime returns the time since the process began.
func ProcessorTime() time.Duration { return time.Since(began) }
