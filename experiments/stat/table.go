package stat

import (
	"fmt"
	"io"
	"strings"
)

// Table prints a table in Markdown, row by row, so that a long run shows how far it is. Cells stand between
// bars.
type Table struct{ w io.Writer }

// NewTable prints the head of a table.
func NewTable(w io.Writer, columns ...string) Table {
	t := Table{w}
	t.Row("%s", strings.Join(columns, " | "))
	fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", strings.Count(strings.Join(columns, "|"), "|")+1))
	return t
}

// Row prints a row, its cells by a format.
func (t Table) Row(format string, cells ...any) { fmt.Fprintf(t.w, "| "+format+" |\n", cells...) }

// Cells returns cells of a row, one for each thing, to be printed by one %s.
func Cells[T any](all []T, cell func(T) string) string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = cell(one)
	}
	return strings.Join(out, " | ")
}

// Spread returns the mean of values and their standard deviation as text.
func Spread(values []float64, decimals int) string {
	return fmt.Sprintf("%.*f ± %.*f", decimals, Mean(values), decimals, SD(values))
}

// Seeds measures n times, and returns what each gave; the first error ends it.
func Seeds[T any](n int, measure func(i uint64) (T, error)) ([]T, error) {
	out := make([]T, n)
	for i := range out {
		var err error
		if out[i], err = measure(uint64(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Of returns a number of each thing.
func Of[T any](all []T, number func(T) float64) []float64 {
	out := make([]float64, len(all))
	for i, one := range all {
		out[i] = number(one)
	}
	return out
}

// MeanOf returns the mean of a number of each thing.
func MeanOf[T any](all []T, number func(T) float64) float64 { return Mean(Of(all, number)) }

// Count returns for how many things something holds.
func Count[T any](all []T, holds func(T) bool) (n int) {
	for _, one := range all {
		if holds(one) {
			n++
		}
	}
	return n
}
