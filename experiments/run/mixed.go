package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/experiments/mixed"
	learn "example.com/patchwork/learn/mixed"
)

// mixedWords are what runMixed measures.
var mixedWords = append([]string{"planted", "tables", "numbers"}, mixed.NumberTables...)

// runMixed measures the learner of mixed tables, on one worker: on planted tables, all or those of the given numbers,
// on real ones, and on real ones of numbers alone. The seeds begin with one that nothing was tuned on.
func runMixed(j job) error {
	if i := slices.IndexFunc(j.words, func(w string) bool { return !slices.Contains(mixedWords, w) }); i >= 0 {
		return fmt.Errorf("mixed: there is no %q; choose of %s", j.words[i], strings.Join(mixedWords, ", "))
	}
	first, sizes := 400, mixed.Sizes
	var err error
	if text, ok := j.values["from"]; ok {
		if first, err = strconv.Atoi(text); err != nil || first < 0 {
			return fmt.Errorf("from=%s: give the first seed, such as from=400", text)
		}
	}
	if text, ok := j.values["set"]; ok {
		sizes = nil
		for _, t := range strings.Split(text, ",") {
			n, err := strconv.Atoi(t)
			if err != nil || n < 1 || n > len(mixed.Sizes) {
				return fmt.Errorf("set=%s: give numbers from 1 to %d, such as set=1,2", text, len(mixed.Sizes))
			}
			sizes = append(sizes, mixed.Sizes[n-1])
		}
	}
	if len(j.words) == 0 || slices.Contains(j.words, "planted") {
		if err := mixed.ReportPlanted(j.ctx, j.w, sizes, uint64(first), j.number(5), learn.Options{}); err != nil {
			return err
		}
		fmt.Fprintln(j.w)
	}
	if len(j.words) == 0 || slices.Contains(j.words, "tables") {
		err = mixed.ReportTables(j.ctx, j.w, data("mixed"), uint64(first), j.number(5), learn.Options{})
		fmt.Fprintln(j.w)
	}
	named := slices.DeleteFunc(slices.Clone(j.words), func(w string) bool { return slices.Contains(mixedWords[:3], w) })
	if err == nil && (len(j.words) == 0 || len(named) > 0 || slices.Contains(j.words, "numbers")) {
		err = mixed.ReportNumbers(j.ctx, j.w, uint64(first), j.number(5), learn.Options{}, named...)
	}
	return err
}
