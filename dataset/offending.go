package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// offender is a column of data with cells that are none.
type offender struct {
	name  string
	place cellPlace
	span  numberRange // of the numbers of the column
	kind  token       // of the cell: a number, a number with a comma, or text
}

// offenders sums up such columns, of which there may be hundreds of thousands.
type offenders struct {
	first []offender // up to mostListed
	n     int
	span  numberRange
	comma bool // some cell is a number with a comma
	other bool // some column holds more than whole numbers from 1000 on
}

// mostListed is how many columns an error lists.
const mostListed = 10

func (all *offenders) add(o offender) {
	if all.n++; len(all.first) < mostListed {
		all.first = append(all.first, o)
	}
	all.span.widen(o.span.least)
	all.span.widen(o.span.most)
	all.span.fractions = all.span.fractions || o.span.fractions
	all.comma = all.comma || o.kind == commaToken
	v, err := parseFloat(o.place.text)
	all.other = all.other || err != nil || v < 1000 || o.span.fractions
}

// offending returns an error that lists the data columns with cells that are not
// bits, or nil.
func (in *input) offending(s *survey, p *tablePlan, v vocabularies, asked map[int]*Coding) error {
	var numbers, words offenders
	for _, i := range p.data {
		c := &s.columns[i]
		class, code := c.classOf(v)
		if asked[i] != nil || class == bitClass {
			continue
		}
		of := []token{numberToken, commaToken}
		if !slices.Contains(s.notNumbers(c), textToken) {
			of = append(of, textToken)
		}
		if number, ok := c.worst(in.rule, of...); ok {
			number.name = s.name(i)
			numbers.add(number)
		}
		kinds := slices.DeleteFunc([]token{textToken, xToken, plusToken, pToken, aToken, commaToken},
			func(t token) bool { return slices.Contains(takes[code], t) || t == textToken && slices.Contains(of, t) })
		if text, ok := c.worst(in.rule, kinds...); ok && text.kind != commaToken {
			text.name = s.name(i)
			words.add(text)
		}
	}
	switch {
	case words.n > 0 && (numbers.n == 0 || words.first[0].place.line <= numbers.first[0].place.line):
		return words.textError(s.unit)
	case numbers.n > 0:
		return numbers.numberError(s.unit, len(p.data))
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
			o, ok = offender{place: p, span: c.span(), kind: t}, true
		}
	}
	return o, ok
}

// flag returns the flag that says what the columns are, of the first of them, and with others that they are told
// likewise.
func (all *offenders) flag(want string) string {
	text := columnFlag(all.first[0].name, want)
	if all.n > 1 {
		text += " (and the others likewise)"
	}
	return text
}

// listed describes up to ten columns with a cell of each.
func (all *offenders) listed(unit string) string {
	var out []string
	for _, o := range all.first {
		out = append(out, fmt.Sprintf("%q (%s on %s %d)", o.name, o.place.text, unit, o.place.line))
	}
	if all.n > mostListed {
		out = append(out, fmt.Sprintf("... (%d in all)", all.n))
	}
	return strings.Join(out, ", ")
}

// numberError returns the error for columns of numbers, of so many columns of data (0:
// unknown). Where they are probably labels it first says how to keep them as such.
func (all *offenders) numberError(unit string, of int) error {
	o := all.first[0]
	labels, them := "them as labels", "them"
	if all.n == 1 {
		labels, them = "the column as a label", "it"
	}
	ways := "; " + all.flag("label") + " keeps " + labels + ", =category makes a column of bits for each value, " +
		"--columns chooses others"
	msg, hint := needThreshold(o.place.text, "")
	switch {
	case all.n > 1:
		what := "numbers that are neither 0 nor 1"
		if all.comma {
			what += " (some have a comma)"
		}
		msg = fmt.Sprintf("%d columns hold %s: %s", all.n, what, all.listed(unit))
		hint = "give --threshold T to convert them to bits (greater than T is on)"
	case all.comma:
		msg = fmt.Sprintf("value %s, with a comma, is neither 0 nor 1", o.place.text)
	}
	hint += all.span.threshold() + ways
	if all.likeLabels(of) {
		hint = "give " + all.flag("label") + " to keep " + labels + ", =category for a column of bits for each value, or " +
			"--threshold T to convert " + them + " to bits (greater than T is on); --columns chooses others"
	}
	fe := &FormatError{Line: o.place.line, Msg: msg, Hint: hint, notBits: true,
		fix: []string{allNumbers, columnFlag(o.name, "label"), columnFlag(o.name, "category")}}
	if all.n == 1 {
		fe.Column = o.name
	}
	return fe
}

// likeLabels reports whether columns of numbers are probably labels, such as years: one
// or two of many columns, or whole numbers from 1000 on.
func (all *offenders) likeLabels(of int) bool {
	return all.n <= 2 && of >= 4*all.n || !all.other
}

// threshold suggests a threshold by the range of the numbers.
func (r numberRange) threshold() string {
	switch {
	case r.least < 0:
		return ""
	case r.most <= 1:
		return ", such as 0.5"
	case !r.fractions:
		return "; --threshold 0 makes presences of counts"
	}
	return ""
}

// textError returns the error for columns of bits in which some cells are text.
func (all *offenders) textError(unit string) error {
	o := all.first[0]
	carry := "; if the column is a label, add " + all.flag("label") + "; =category makes a column of bits for each value"
	const words = "write 0 or 1, yes or no, and leave unknown cells empty"
	if all.n == 1 {
		return &FormatError{Line: o.place.line, Column: o.name,
			Msg: fmt.Sprintf("%q is none of 0, 1, y, n, true, false, yes and no in several languages, ?, NA and empty",
				o.place.text), Hint: words + carry}
	}
	return &FormatError{Line: o.place.line, Msg: fmt.Sprintf("%d columns of bits hold text too: %s", all.n,
		all.listed(unit)), Hint: words + strings.Replace(carry, "if the column is a label", "if they are labels", 1)}
}
