package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/render"
	"example.com/patchwork/workbench"
)

// sheetTitle returns what the data are, in one line.
func sheetTitle(set *dataset.Set) string {
	source := set.Source
	if !strings.Contains(source, ", ") { // one file or folder
		source = filepath.Base(source)
	}
	return source + ": " + describe(set.Len(), set)
}

// sheetFacts returns what stands beside a sheet of a set: its labels, what is remarkable, and what was decided.
func sheetFacts(set *dataset.Set, plan *dataset.Plan, o *dataset.Overview) []render.Fact {
	var out []render.Fact
	for _, c := range plan.Columns {
		if (c.Kind == dataset.Label || c.Aside) && c.Name != "name" { // that of a picture: it is shown with it
			out = append(out, render.Fact{Name: c.Name, Text: c.Seen()})
		}
	}
	out = append(out, overviewFacts(set, o)...)
	for _, n := range plan.Notes {
		out = append(out, render.Fact{Name: "note", Text: n.Text})
	}
	return out
}

// overviewFacts returns an overview as named facts.
func overviewFacts(set *dataset.Set, o *dataset.Overview) []render.Fact {
	var out []render.Fact
	if o == nil {
		return nil
	}
	called := set.Called()
	say := func(name, format string, args ...any) {
		out = append(out, render.Fact{Name: name, Text: fmt.Sprintf(format, args...)})
	}
	ink := "ink"
	if set.Table {
		ink = "ones"
	}
	nouns := words.NounsOf(set.Table)
	noun, of := nouns.Image, nouns.Pixel+"s"
	known, span := "", ""
	if o.Unknown > 0 {
		known = "known "
	}
	if set.Len() > 1 {
		span = fmt.Sprintf(", %s to %s per %s", words.PercentFine(o.InkMin), words.PercentFine(o.InkMax), noun)
	}
	say(ink, "%s of the %s%s%s", words.PercentFine(o.Ink), known, of, span)
	if o.Unknown > 0 {
		say("unknown", "%s of the %s", words.PercentFine(o.Unknown), of)
	}
	if len(set.Weights) > 0 {
		least, most, sum := set.Times(0), set.Times(0), 0.0
		for i := range set.Weights {
			n := set.Times(i)
			least, most, sum = min(least, n), max(most, n), sum+n
		}
		say("weights", "%.15g to %.15g, in all %.15g; what is counted here is %ss, each once", least, most, sum, noun)
	}
	some := func(name, text string, which []int) {
		if len(which) > 0 {
			var names []string
			for _, i := range which {
				names = append(names, called(i))
			}
			say(name, "%s %s: %s", words.Count(len(which), noun), text, words.Listed(names, 5))
		}
	}
	some("blank", "without any "+ink, o.Blank)
	some("full", "of nothing but "+ink, o.Full)
	some("nothing", "of which nothing is known", o.Nothing)
	if n := len(o.Same); n > 0 {
		say("twice", "%s equal to an earlier one, such as %s to %s", words.Count(n, noun), called(o.Same[0]),
			called(o.SameAs[0]))
	}
	if n := len(o.Constant); n > 0 {
		var names []string
		for _, j := range o.Constant {
			names = append(names, set.ColumnName(j))
		}
		say("constant", "%s the same in every row: %s", words.Count(n, "column"), words.Listed(names, 5))
	}
	return out
}

// overviewText returns an overview as lines of text, and of a table the first rows.
func overviewText(set *dataset.Set, o *dataset.Overview) []string {
	facts := overviewFacts(set, o)
	if set.Table && o != nil {
		called := set.Called()
		for i := range min(3, set.Len()) {
			facts = append(facts, render.Fact{Name: called(i), Text: workbench.Ones(set.Images[i], 6, set.ColumnName)})
		}
	}
	widest := 0
	for _, f := range facts {
		widest = max(widest, len([]rune(f.Name)))
	}
	var out []string
	for _, f := range facts {
		out = append(out, fmt.Sprintf("%-*s  %s", widest, f.Name, f.Text))
	}
	return out
}

// sharesOf returns the shares of ones of columns; NaN where nothing is known.
func sharesOf(columns []dataset.Column) []float64 {
	out := make([]float64, len(columns))
	for j, c := range columns {
		if out[j] = math.NaN(); c.Yes != nil {
			out[j] = *c.Yes
		}
	}
	return out
}
