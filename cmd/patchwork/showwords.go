package main

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/render"
)

// overviewTitle returns what the data are, in one line.
func overviewTitle(set *dataset.Set, o *dataset.Overview) string {
	source := o.Source
	if !strings.Contains(source, ", ") { // one file or folder
		source = filepath.Base(source)
	}
	return source + ": " + describe(o.Images, set)
}

// overviewFacts returns an overview as named facts; its columns are left out.
func overviewFacts(set *dataset.Set, o *dataset.Overview) []render.Fact {
	var out []render.Fact
	say := func(name, format string, args ...any) {
		out = append(out, render.Fact{Name: name, Text: fmt.Sprintf(format, args...)})
	}
	ink := "ink"
	if o.Table {
		ink = "ones"
	}
	nouns := words.NounsOf(o.Table)
	noun, of := nouns.Image, nouns.Pixel+"s"
	known, span := "", ""
	if o.Unknown > 0 {
		known = "known "
	}
	if o.Images > 1 {
		span = fmt.Sprintf(", %s to %s per %s", words.PercentFine(o.InkMin), words.PercentFine(o.InkMax), noun)
	}
	say(ink, "%s of the %s%s%s", words.PercentFine(o.Ink), known, of, span)
	if o.Unknown > 0 {
		say("unknown", "%s of the %s", words.PercentFine(o.Unknown), of)
	}
	if w := set.Weights; len(w) > 0 {
		sum := int64(0)
		for _, n := range w {
			sum += n
		}
		say("weights", "%d to %d, in all %d; what is counted here is %ss, each once", slices.Min(w), slices.Max(w), sum, noun)
	}
	for _, l := range o.Labels {
		if l.Name != "name" { // that of a picture: it is shown with it
			say(l.Name, "%s", labelText(l, o.Images))
		}
	}
	some := func(name, text string, which []int) {
		if len(which) > 0 {
			say(name, "%s %s: %s", words.Count(len(which), noun), text, namesOf(set, which))
		}
	}
	some("blank", "without any "+ink, o.Blank)
	some("full", "of nothing but "+ink, o.Full)
	some("nothing", "of which nothing is known", o.Nothing)
	if n := len(o.Same); n > 0 {
		name := nameIn(set)
		one, other := name(o.Same[0]), name(o.SameAs[0])
		say("twice", "%s equal to an earlier one, such as %s to %s", words.Count(n, noun), one, other)
	}
	if n := len(o.Constant); n > 0 {
		var names []string
		for _, j := range o.Constant {
			names = append(names, o.Columns[j].Name)
		}
		say("constant", "%s the same in every row: %s", words.Count(n, "column"), listed(names, 5))
	}
	for _, note := range o.Notes {
		say("note", "%s", note)
	}
	return out
}

// overviewText returns an overview as lines of text, the title first.
func overviewText(set *dataset.Set, o *dataset.Overview) []string {
	facts := overviewFacts(set, o)
	widest := 0
	for _, f := range facts {
		widest = max(widest, len([]rune(f.Name)))
	}
	out := []string{overviewTitle(set, o)}
	for _, f := range facts {
		out = append(out, fmt.Sprintf("  %-*s  %s", widest, f.Name, f.Text))
	}
	return append(out, columnsText(set, o)...)
}

// labelText returns the values of a label with their counts, or how many there are.
func labelText(l dataset.LabelOverview, images int) string {
	const most = 12
	switch {
	case l.Distinct == 1:
		return cmp.Or(l.Counts[0].Value, "none") + " everywhere"
	case l.Distinct == images:
		return "all different, such as " + cmp.Or(l.Counts[0].Value, "none")
	case l.Distinct > most && l.Counts[0].N*l.Distinct == images:
		return fmt.Sprintf("%d values, each %d times", l.Distinct, l.Counts[0].N)
	case l.Distinct > 3*most:
		return fmt.Sprintf("%d values, most often %s (%d)", l.Distinct, cmp.Or(l.Counts[0].Value, "none"), l.Counts[0].N)
	}
	var parts []string
	for _, c := range l.Counts[:min(len(l.Counts), most)] {
		parts = append(parts, fmt.Sprintf("%s (%d)", cmp.Or(c.Value, "none"), c.N))
	}
	text := strings.Join(parts, ", ")
	if more := l.Distinct - len(parts); more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// nameIn returns what an image is called on a sheet: its file, or of a table what rows
// are called everywhere.
func nameIn(set *dataset.Set) func(i int) string {
	if set.Table {
		return set.Called()
	}
	return set.ImageName
}

// namesOf returns the names of some images, cut to a readable length.
func namesOf(set *dataset.Set, which []int) string {
	var names []string
	name := nameIn(set)
	for _, i := range which {
		names = append(names, name(i))
	}
	return listed(names, 5)
}

// listed joins up to so many names, and says how many more there are.
func listed(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s, and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// columnsText returns the columns of a table with their shares of ones: all of a small
// table in its order, or of a large one those with the most and the fewest ones.
func columnsText(set *dataset.Set, o *dataset.Overview) []string {
	const most, ends = 30, 10
	if !o.Table {
		return nil
	}
	var out []string
	line := func(j int) {
		c := o.Columns[j]
		unknown := ""
		if c.Unknown > 0 {
			unknown = fmt.Sprintf(", %s unknown", words.PercentFine(c.Unknown))
		}
		out = append(out, fmt.Sprintf("    %7s %-20s %s%s", words.PercentFine(c.Ones),
			strings.Repeat("█", int(math.Round(20*c.Ones))), c.Name, unknown))
	}
	if len(o.Columns) <= most {
		out = append(out, "  columns, with their shares of ones")
		for j := range o.Columns {
			line(j)
		}
	} else {
		order := upTo(len(o.Columns))
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Compare(o.Columns[b].Ones, o.Columns[a].Ones)
		})
		out = append(out, fmt.Sprintf("  %d columns, of which with the most ones", len(order)))
		for _, j := range order[:ends] {
			line(j)
		}
		out = append(out, "  and with the fewest")
		for _, j := range order[len(order)-ends:] {
			line(j)
		}
	}
	name := nameIn(set)
	for i := range min(3, set.Len()) {
		out = append(out, fmt.Sprintf("  %s: %s", name(i), onesOf(set.Images[i], 6, set.ColumnName)))
	}
	return out
}

// sharesOf returns the shares of ones of columns; NaN where nothing is known.
func sharesOf(columns []dataset.ColumnOverview) []float64 {
	out := make([]float64, len(columns))
	for j, c := range columns {
		out[j] = c.Ones
		if c.Unknown == 1 {
			out[j] = math.NaN()
		}
	}
	return out
}

// left returns the first columns of a row.
func left(m *bitmap.Image, columns int) *bitmap.Image {
	if columns == m.Width() {
		return m
	}
	out := bitmap.New(1, columns)
	for x := range columns {
		switch {
		case !m.Known(0, x):
			out.SetUnknown(0, x)
		case m.At(0, x):
			out.Set(0, x, true)
		}
	}
	return out
}
