package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/real"
)

// realReports are what runReal measures, all if none is named, with what may follow.
var realReports = []struct {
	name string
	run  func(ctx context.Context, w io.Writer, a arguments) error
}{
	{"quadrants", func(ctx context.Context, w io.Writer, a arguments) error {
		return real.ReportQuadrants(ctx, w, 5, a.numbers...)
	}},
	{"rivals", func(ctx context.Context, w io.Writer, a arguments) error {
		if !slices.Equal(a.words, []string{"digits"}) {
			return real.ReportRivals(ctx, w, 5, a.numbers...)
		}
		rows, class, err := digits8()
		if err != nil {
			return err
		}
		return real.ReportDigitRivals(ctx, w, rows, class)
	}},
	{"bars", func(ctx context.Context, w io.Writer, a arguments) error {
		return real.ReportBars(ctx, w, 4, a.words...)
	}},
	{"digits", func(ctx context.Context, w io.Writer, a arguments) error {
		rows, class, err := digits8()
		if err != nil {
			return err
		}
		var classes []string
		for _, n := range a.numbers {
			classes = append(classes, strconv.Itoa(n))
		}
		return real.ReportDigits(ctx, w, rows, class, append(classes, a.words...)...)
	}},
	{"tables", func(ctx context.Context, w io.Writer, a arguments) error {
		return real.ReportTables(ctx, w, 5, a.words...)
	}},
	{"parts", func(ctx context.Context, w io.Writer, _ arguments) error { return real.ReportParts(ctx, w, 4) }},
	{"scenes", func(_ context.Context, w io.Writer, _ arguments) error {
		set, err := dataset.ReadValues([]string{data("mnist_t10k", "t10k-images-idx3-ubyte.gz")},
			dataset.Options{Labels: []string{data("mnist_t10k", "t10k-labels-idx1-ubyte.gz")}})
		if err != nil {
			return err
		}
		class, ok := set.Meta[len(set.Meta)-1].Values.([]int64)
		if !ok {
			return fmt.Errorf("real scenes: the labels are no whole numbers")
		}
		return real.ReportScenes(w, set.Rows, class, 20)
	}},
}

// runReal measures the learner of real values, on one worker, so that times are for one
// core.
func runReal(ctx context.Context, w io.Writer, a arguments) error {
	var names []string
	for _, r := range realReports {
		names = append(names, r.name)
		if len(a.words) > 0 && a.words[0] == r.name {
			a.words = a.words[1:]
			return r.run(ctx, w, a)
		}
	}
	if len(a.words) > 0 {
		return fmt.Errorf("real %s: choose %s", a.words[0], strings.Join(names, ", "))
	}
	for _, r := range realReports {
		if err := r.run(ctx, w, a); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}

// digits8 returns the grey digits of 8 x 8 and their classes.
func digits8() (rows [][]float64, class []string, err error) {
	set, err := dataset.Read([]string{data("optdigits_orig", "optdigits_orig.npz")}, dataset.Options{
		Where: []dataset.Condition{{Name: "split", Op: "=", Values: []string{"windep"}}}})
	if err != nil {
		return nil, nil, err
	}
	return real.Digits8(set)
}
