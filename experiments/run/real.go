package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/real"
)

// runReal measures the learner of real values: quadrants or rivals on them [numbers of images] or on digits [digits], bars [beginnings of their names], digits
// [classes], tables [names], parts beside rivals, or scenes; without a name all of them.
func runReal(ctx context.Context, args []string) error {
	if len(args) == 0 {
		for _, name := range realNames {
			if err := runReal(ctx, []string{name}); err != nil {
				return err
			}
			fmt.Println()
		}
		return nil
	}
	some := args[1:]
	switch args[0] {
	case "rivals":
		if len(some) == 1 && some[0] == "digits" {
			rows, class, err := digits8()
			if err != nil {
				return err
			}
			return real.ReportDigitRivals(ctx, os.Stdout, rows, class)
		}
		fallthrough
	case "quadrants":
		var sizes []int
		for _, text := range some {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return fmt.Errorf("real %s %s: give numbers of images", args[0], text)
			}
			sizes = append(sizes, n)
		}
		if args[0] == "rivals" {
			return real.ReportRivals(ctx, os.Stdout, 5, sizes...)
		}
		return real.ReportQuadrants(ctx, os.Stdout, 5, sizes...)
	case "bars":
		return real.ReportBars(ctx, os.Stdout, 4, some...)
	case "digits":
		rows, class, err := digits8()
		if err != nil {
			return err
		}
		return real.ReportDigits(ctx, os.Stdout, rows, class, some...)
	case "tables":
		return real.ReportTables(ctx, os.Stdout, 5, some...)
	case "scenes":
		set, err := dataset.ReadValues([]string{data("mnist_t10k", "t10k-images-idx3-ubyte.gz")}, dataset.Options{Labels: []string{data("mnist_t10k", "t10k-labels-idx1-ubyte.gz")}})
		if err != nil {
			return err
		}
		class, ok := set.Meta[len(set.Meta)-1].Values.([]int64)
		if !ok {
			return fmt.Errorf("real scenes: the labels are no whole numbers")
		}
		return real.ReportScenes(os.Stdout, set.Rows, class, 20)
	case "parts":
		return real.ReportParts(ctx, os.Stdout, 4)
	}
	return fmt.Errorf("real %s: choose %s", args[0], strings.Join(realNames, ", "))
}

// realNames are what runReal measures.
var realNames = []string{"quadrants", "rivals", "bars", "digits", "tables", "parts", "scenes"}

// digits8 returns the grey digits of 8 x 8 and their classes.
func digits8() (rows [][]float64, class []string, err error) {
	set, err := dataset.Read([]string{data("optdigits_orig", "optdigits_orig.npz")}, dataset.Options{
		Where: []dataset.Condition{{Name: "split", Op: "=", Values: []string{"windep"}}}})
	if err != nil {
		return nil, nil, err
	}
	return real.Digits8(set)
}
