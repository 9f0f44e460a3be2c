// Package figures reproduces the results of the paper, one file per figure, and
// writes a report: one self-contained HTML page, the pictures as PNG and SVG,
// the numbers as CSV, and a ledger of claims.
package figures

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/render"
)

// Figure is one figure of the paper, or one group of its claims. It gives the same result for
// the same options, on any number of workers.
type Figure struct {
	Name  string // on the command line: "1", "rules"
	Title string // its heading in the report
	Claim string // what the paper shows and says, paraphrased; a blank line starts a paragraph
	Run   func(ctx context.Context, o Options) (Result, error)
}

// Options of a run. The zero value is the full run on the project's own data.
type Options struct {
	Quick   bool // fewer seeds, sizes and settings: well under a minute in all
	Seed    uint64
	Workers int // 0 means 1

	// Digits are drawings for Figure 3, such as MNIST, and Labels their
	// classes; none means the project's own digits.
	Digits []*bitmap.Image
	Labels []int

	// Tees is a set whose metadata "y" names the letter, for Figure 7;
	// Letters one with "y" and "writer" (numbers from 1), for Figure 8. nil
	// means the project's own pen-stroke letters.
	Tees, Letters *dataset.Set

	compare func() (*compared, error) // the comparison shared by Figures 4 to 6; Make sets it

	least bool // even less than quick, for tests: one set of T's, one letter
}

// Result is the result of a figure: plain data, except for the drawings.
type Result struct {
	Text       string // what we did, in plain text; a blank line starts a paragraph
	Statements []Statement
	Pictures   []Picture
	Tables     []Table
}

// Statement is one claim of the paper and what was measured.
type Statement struct {
	Claim   string  // in our words
	Found   string  // the number, with its unit
	Spread  string  // what it varies over, and how much; "exact" if nothing varies
	Verdict Verdict // decided by the program from the number
}

// Picture is a drawing with its caption.
type Picture struct {
	Name    string // of the files, without extension
	Caption string
	Alt     string // describes the picture for those who cannot see it; empty: the caption

	Drawing render.Picture
}

// Table is numbers for the report and for a CSV file.
type Table struct {
	Name, Title string // of the file, without extension; no title: not on the page
	Columns     []Column
	Rows        [][]string
}

// Column is the head of a column, and how many decimals of its numbers the page shows: -1 for
// as they are.
type Column struct {
	Name     string
	Decimals int
}

// heads returns columns of as many decimals.
func heads(decimals int, names ...string) (out []Column) {
	for _, name := range names {
		out = append(out, Column{name, decimals})
	}
	return out
}

// add adds a row. Numbers have full precision; for NaN the cell is empty.
func (t *Table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		if v, ok := c.(float64); ok {
			row[i] = number(v)
		} else {
			row[i] = fmt.Sprint(c)
		}
	}
	t.Rows = append(t.Rows, row)
}

// csv writes the table with a header line.
func (t Table) csv(w io.Writer) error {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return csv.NewWriter(w).WriteAll(append([][]string{names}, t.Rows...))
}

// Verdict says whether a claim of the paper was found to hold.
type Verdict string

// The verdicts.
const (
	Holds       Verdict = "holds"
	InPart      Verdict = "holds in part"
	DoesNotHold Verdict = "does not hold"
)

// judge returns Holds if whole is true, else InPart if part is, else
// DoesNotHold.
func judge(whole, part bool) Verdict {
	switch {
	case whole:
		return Holds
	case part:
		return InPart
	}
	return DoesNotHold
}

// Verdict returns the verdict of a figure: that of its statements if they
// agree, else InPart.
func (r Result) Verdict() Verdict {
	if len(r.Statements) == 0 {
		return Holds
	}
	first := r.Statements[0].Verdict
	if slices.ContainsFunc(r.Statements, func(s Statement) bool { return s.Verdict != first }) {
		return InPart
	}
	return first
}

// figures are in the order of the paper.
var figures = []Figure{figure1, rulesFigure, figure2, figure3, inferenceFigure, figure4, figure5, figure6, figure7,
	figure8, nextFigure}

// Contents lists the names and titles of the figures, one per line, for a help.
func Contents() string {
	var b strings.Builder
	for _, f := range figures {
		fmt.Fprintf(&b, "  %-10s %s\n", f.Name, f.Title)
	}
	return b.String()
}

// choose finds figures by name, in the order of the paper; no names means all.
// The error lists the existing names.
func choose(names []string) ([]Figure, error) {
	var known []string
	for _, f := range figures {
		known = append(known, f.Name)
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, fmt.Errorf("the paper has no figure %q; there are %s", n, strings.Join(known, ", "))
		}
	}
	if len(names) == 0 {
		return figures, nil
	}
	return slices.DeleteFunc(slices.Clone(figures), func(f Figure) bool { return !slices.Contains(names, f.Name) }), nil
}

// atLeast returns least for tests, else n.
func (o Options) atLeast(least, n int) int {
	if o.least {
		return least
	}
	return n
}

// pick returns quick in a quick run, else full.
func pick[T any](o Options, quick, full T) T {
	if o.Quick {
		return quick
	}
	return full
}

// seed returns the seed of the i-th set of a figure.
func (o Options) seed(i int) uint64 { return o.Seed*1_000_003 + uint64(i) }
