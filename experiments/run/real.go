package main

import (
	"context"
	"fmt"
	"os"

	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/real"
)

// runReal measures the learner of real values: quadrants, bars or digits, or all.
func runReal(ctx context.Context, names []string) error {
	if len(names) == 0 {
		names = []string{"quadrants", "bars", "digits"}
	}
	var err error
	switch names[0] {
	case "quadrants":
		err = real.ReportQuadrants(ctx, os.Stdout, 10)
	case "bars":
		err = real.ReportBars(ctx, os.Stdout, 4, names[1:]...)
	case "digits":
		var set *dataset.Set
		if set, err = dataset.Read([]string{data("optdigits_orig", "optdigits_orig.npz")}, dataset.Options{
			Where: []dataset.Condition{{Name: "split", Op: "=", Values: []string{"windep"}}}}); err != nil {
			return err
		}
		var rows [][]float64
		var class []string
		if rows, class, err = real.Digits8(set); err == nil {
			err = real.ReportDigits(ctx, os.Stdout, rows, class, 0)
		}
	default:
		return fmt.Errorf("real %s: choose quadrants, bars or digits", names[0])
	}
	if err != nil || names[0] == "bars" || len(names) == 1 {
		return err
	}
	fmt.Println()
	return runReal(ctx, names[1:])
}
