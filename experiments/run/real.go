package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/real"
)

// realReports are what runReal measures, all if none is named, with what may follow.
var realReports = []struct {
	name string
	run  func(j job) error
}{
	{"quadrants", func(j job) error {
		return real.ReportQuadrants(j.ctx, j.w, 5, j.numbers...)
	}},
	{"rivals", func(j job) error {
		if !slices.Equal(j.words, []string{"digits"}) {
			return real.ReportRivals(j.ctx, j.w, 5, j.numbers...)
		}
		rows, class, err := digits8()
		if err != nil {
			return err
		}
		return real.ReportDigitRivals(j.ctx, j.w, rows, class)
	}},
	{"bars", func(j job) error {
		return real.ReportBars(j.ctx, j.w, 4, j.words...)
	}},
	{"digits", func(j job) error {
		rows, class, err := digits8()
		if err != nil {
			return err
		}
		var classes []string
		for _, n := range j.numbers {
			classes = append(classes, strconv.Itoa(n))
		}
		return real.ReportDigits(j.ctx, j.w, rows, class, append(classes, j.words...)...)
	}},
	{"parts", func(j job) error { return real.ReportParts(j.ctx, j.w, 4) }},
	{"scenes", func(j job) error {
		set, err := dataset.Read([]string{data("mnist_t10k", "t10k-images-idx3-ubyte.gz")},
			dataset.Options{Kind: dataset.Number, Labels: []string{data("mnist_t10k", "t10k-labels-idx1-ubyte.gz")}})
		if err != nil {
			return err
		}
		class, ok := set.Meta[len(set.Meta)-1].Values(0, set.Len()).([]int64)
		if !ok {
			return fmt.Errorf("real scenes: the labels are no whole numbers")
		}
		return real.ReportScenes(j.w, set.Values, class, 20)
	}},
}

// runReal measures the learner of real values, on one worker, so that times are for one
// core.
func runReal(j job) error {
	var names []string
	for _, r := range realReports {
		names = append(names, r.name)
		if len(j.words) > 0 && j.words[0] == r.name {
			j.words = j.words[1:]
			return r.run(j)
		}
	}
	if len(j.words) > 0 {
		return fmt.Errorf("real %s: choose %s", j.words[0], strings.Join(names, ", "))
	}
	for _, r := range realReports {
		if err := r.run(j); err != nil {
			return err
		}
		fmt.Fprintln(j.w)
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
