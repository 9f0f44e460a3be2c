package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

// endWithParent ends a worker when the program that started it has gone: a runner
// kills only that one, and the worker would go on waiting for a job that is over.
func endWithParent() {
	if worker := flag.Lookup("worker"); worker == nil || worker.Value.String() != "true" {
		return
	}
	parent := os.Getppid()
	if adopted(parent) {
		endOrphan()
	}
	go func() {
		for range time.Tick(time.Second) {
			if os.Getppid() != parent {
				endOrphan()
			}
		}
	}()
}

func endOrphan() {
	fmt.Fprintln(os.Stderr, "patchwork-beam: the program that started this worker has gone")
	os.Exit(1)
}
