// Package scale has the benchmark of README.md: what an iteration of learning costs on one core.
package scale
