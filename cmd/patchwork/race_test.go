//go:build race

package main

// raceDetector reports whether the race detector, which takes memory, is on.
const raceDetector = true
