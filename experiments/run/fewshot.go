package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"example.com/patchwork/experiments/fewshot"
)

// runFewshot measures classes learned from few examples: with so many seeds, and of the
// tasks named, or all.
func runFewshot(ctx context.Context, args []string) error {
	o := fewshot.Options{Data: data(), Workers: runtime.GOMAXPROCS(0)}
	for _, arg := range args {
		if n, err := strconv.Atoi(arg); err == nil {
			if n < 1 {
				return fmt.Errorf("%d seeds; give at least 1", n)
			}
			o.Seeds = n
		} else {
			o.Tasks = append(o.Tasks, arg)
		}
	}
	return fewshot.Report(ctx, os.Stdout, o)
}
