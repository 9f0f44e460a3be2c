package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"example.com/patchwork/experiments/fewshot"
)

// runFewshot measures classes learned from few examples: with so many seeds, from n=1,5
// examples, of the tasks named, or all. With "rows" first, they are rows of tables.
// With picture=FILE, how well probabilities are calibrated is drawn.
func runFewshot(ctx context.Context, args []string) error {
	report := fewshot.Report
	if len(args) > 0 && args[0] == "rows" {
		report, args = fewshot.ReportRows, args[1:]
	}
	o := fewshot.Options{Data: data(), Workers: runtime.GOMAXPROCS(0)}
	for _, arg := range args {
		if list, ok := strings.CutPrefix(arg, "n="); ok {
			for _, text := range strings.Split(list, ",") {
				n, err := strconv.Atoi(text)
				if err != nil || n < 1 {
					return fmt.Errorf("%s: give numbers of examples, such as n=1,5", arg)
				}
				o.Numbers = append(o.Numbers, n)
			}
		} else if file, ok := strings.CutPrefix(arg, "picture="); ok {
			o.Picture = file
		} else if n, err := strconv.Atoi(arg); err == nil {
			if n < 1 {
				return fmt.Errorf("%d seeds; give at least 1", n)
			}
			o.Seeds = n
		} else {
			o.Tasks = append(o.Tasks, arg)
		}
	}
	return report(ctx, os.Stdout, o)
}
