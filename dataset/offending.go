package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// offender is a column of data with cells that are none.
type offender struct {
	name  string
	place cellPlace
	stats *columnStats
	kind  token // of the cell: a number, a number with a comma, or text
}

// offending returns an error that lists the data columns with cells that are not
// bits, or nil.
func (in *input) offending(s *survey, p *tablePlan, v vocabularies, asked map[int]*Category) error {
	var numbers, texts []offender
	for _, i := range p.data {
		c := &s.columns[i]
		class, code := c.classOf(v)
		if asked[i] != nil || class == bitClass {
			continue
		}
		if number, ok := c.worst(in.rule, numberToken, commaToken); ok {
			number.name = s.name(i)
			numbers = append(numbers, number)
		}
		kinds := slices.DeleteFunc([]token{textToken, xToken, plusToken, pToken, aToken, commaToken}, func(t token) bool { return slices.Contains(takes[code], t) })
		if text, ok := c.worst(in.rule, kinds...); ok && text.kind != commaToken {
			text.name = s.name(i)
			texts = append(texts, text)
		}
	}
	switch {
	case len(texts) > 0 && (len(numbers) == 0 || texts[0].place.line <= numbers[0].place.line):
		return textError(texts, s.unit)
	case len(numbers) > 0:
		return numberError(numbers, s.unit, len(p.data))
	}
	return nil
}

// worst returns the first cell of one of some kinds that the rule does not turn
// into a bit.
func (c *columnStats) worst(r rule, kinds ...token) (o offender, ok bool) {
	for _, t := range kinds {
		p := c.place(t)
		if p.line == 0 || r.threshold != nil && (t == numberToken || t == commaToken) {
			continue
		}
		if !ok || p.line < o.place.line {
			o, ok = offender{place: p, stats: c, kind: t}, true
		}
	}
	return o, ok
}

// flagNames returns the names of the columns as the value of a flag.
func flagNames(all []offender) string {
	const most = 6
	var names []string
	for _, o := range all {
		name := o.name
		if strings.ContainsAny(name, ",\" ") {
			name = strconv.Quote(name)
		}
		names = append(names, name)
	}
	if len(names) > most {
		return strings.Join(names[:most], ",") + ",..."
	}
	return strings.Join(names, ",")
}

// listed describes up to ten columns with a cell of each.
func listed(all []offender, unit string) string {
	const most = 10
	var out []string
	for _, o := range all[:min(len(all), most)] {
		out = append(out, fmt.Sprintf("%q (%s on %s %d)", o.name, o.place.text, unit, o.place.line))
	}
	if len(all) > most {
		out = append(out, fmt.Sprintf("... (%d in all)", len(all)))
	}
	return strings.Join(out, ", ")
}

// numberError returns the error for columns of numbers, of so many columns of data (0:
// unknown). Where they are probably labels it first says how to keep them as such.
func numberError(all []offender, unit string, of int) error {
	o := all[0]
	commas := slices.ContainsFunc(all, func(o offender) bool { return o.kind == commaToken })
	names, labels, them := flagNames(all), "them as labels", "them"
	if len(all) == 1 {
		labels, them = "the column as a label", "it"
	}
	ways := "; --meta " + names + " keeps " + labels + ", --categories " + names + " makes a column of bits for each value, --columns chooses others"
	msg, hint := needThreshold(o.place.text, "")
	switch {
	case len(all) > 1:
		what := "numbers that are neither 0 nor 1"
		if commas {
			what += " (some have a comma)"
		}
		msg = fmt.Sprintf("%d columns hold %s: %s", len(all), what, listed(all, unit))
		hint = "give --threshold T to convert them to bits (greater than T is on)"
	case commas:
		msg = fmt.Sprintf("value %s, with a comma, is neither 0 nor 1", o.place.text)
	}
	hint += thresholdFor(all) + ways
	if likeLabels(all, of) {
		hint = "give --meta " + names + " to keep " + labels + ", --categories " + names + " for a column of bits for each value, or --threshold T to convert " + them +
			" to bits (greater than T is on); --columns chooses others"
	}
	fe := &FormatError{Line: o.place.line, Msg: msg, Hint: hint}
	if len(all) == 1 {
		fe.Column = o.name
	}
	return fe
}

// likeLabels reports whether columns of numbers are probably labels, such as years: one
// or two of many columns, or whole numbers from 1000 on.
func likeLabels(all []offender, of int) bool {
	if len(all) <= 2 && of >= 4*len(all) {
		return true
	}
	for _, o := range all {
		if v, err := strconv.ParseFloat(o.place.text, 64); err != nil || v < 1000 || o.stats.fractions {
			return false
		}
	}
	return true
}

// thresholdFor suggests a threshold by the range of the numbers.
func thresholdFor(all []offender) string {
	least, most, fractions := 0.0, 1.0, false
	for _, o := range all {
		least, most, fractions = min(least, o.stats.least), max(most, o.stats.most), fractions || o.stats.fractions
	}
	switch {
	case least < 0:
		return ""
	case most <= 1:
		return ", such as 0.5"
	case !fractions:
		return "; --threshold 0 makes presences of counts"
	}
	return ""
}

// textError returns the error for columns of bits in which some cells are text.
func textError(all []offender, unit string) error {
	o := all[0]
	carry := "; if the column is a label, add --meta " + flagNames(all) + "; --categories " + flagNames(all) + " makes a column of bits for each value"
	const words = "write 0 or 1, yes or no, and leave unknown cells empty"
	if len(all) == 1 {
		return &FormatError{Line: o.place.line, Column: o.name, Msg: fmt.Sprintf("%q is none of 0, 1, y, n, true, false, yes and no in several languages, ?, NA and empty", o.place.text), Hint: words + carry}
	}
	return &FormatError{Line: o.place.line, Msg: fmt.Sprintf("%d columns of bits hold text too: %s", len(all), listed(all, unit)), Hint: words + strings.Replace(carry, "if the column is a label", "if they are labels", 1)}
}
