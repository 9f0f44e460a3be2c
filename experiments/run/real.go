package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/real"
)

// runReal measures the learner of real values: quadrants [numbers of images], bars [beginnings of their names] or digits
// [classes]; without a name all three.
func runReal(ctx context.Context, args []string) error {
	if len(args) == 0 {
		for _, name := range []string{"quadrants", "bars", "digits"} {
			if err := runReal(ctx, []string{name}); err != nil {
				return err
			}
			fmt.Println()
		}
		return nil
	}
	some := args[1:]
	switch args[0] {
	case "quadrants":
		var sizes []int
		for _, text := range some {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return fmt.Errorf("real quadrants %s: give numbers of images", text)
			}
			sizes = append(sizes, n)
		}
		return real.ReportQuadrants(ctx, os.Stdout, 5, sizes...)
	case "bars":
		return real.ReportBars(ctx, os.Stdout, 4, some...)
	case "digits":
		set, err := dataset.Read([]string{data("optdigits_orig", "optdigits_orig.npz")}, dataset.Options{
			Where: []dataset.Condition{{Name: "split", Op: "=", Values: []string{"windep"}}}})
		if err != nil {
			return err
		}
		rows, class, err := real.Digits8(set)
		if err != nil {
			return err
		}
		return real.ReportDigits(ctx, os.Stdout, rows, class, some...)
	}
	return fmt.Errorf("real %s: choose quadrants, bars or digits", args[0])
}
