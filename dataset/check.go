package dataset

import (
	"fmt"
	"slices"
)

// checkData returns an error if a column of data has cells that are not of the kind asked for, or that nobody can read.
func (in *input) checkData(s *survey, p *tablePlan, asked map[int]*Coding) error {
	var unread []int // columns of numbers where bits are read
	for _, i := range p.data {
		if err := in.checkWanted(s, i); err != nil {
			return err
		}
		class, _ := s.columns[i].classOf(s.vocabularies)
		switch {
		case asked[i] != nil || s.ends(i):
		case class == labelClass:
			return noWord(s.columns[i].first(texts...), s.name(i), p.numbers)
		case class == numberClass && !p.numbers && in.rule.threshold == nil:
			unread = append(unread, i)
		}
	}
	if len(unread) == 0 {
		return nil
	}
	c, all := &s.columns[unread[0]], s.called(unread)
	at := c.first(numberToken, commaToken)
	fe := noBit(at.text, s.name(unread[0]), c.span())
	if fe.Line = at.line; len(unread) > 1 {
		fe.Msg += fmt.Sprintf(", and there are numbers in %d of %d columns: %s", len(unread), len(p.data), andList(all))
	}
	return fe
}

// first returns the first cell of some kinds.
func (c *columnStats) first(kinds ...token) (at cellPlace) {
	for _, t := range kinds {
		if p := c.place(t); p.line > 0 && (at.line == 0 || p.line < at.line) {
			at = p
		}
	}
	return at
}

// noBit returns the error for a number in a column of bits, whose numbers lie in a range.
func noBit(cell, column string, r numberRange) *FormatError {
	fix := []string{allNumbers, columnFlag(column, "label"), columnFlag(column, "category")}
	msg, hint := needThreshold(cell, "")
	hint += r.threshold()
	return &FormatError{Column: column, Msg: msg, fix: fix,
		Hint: fmt.Sprintf("%s; %s learns from the numbers as they are, %s keeps the column as a label, =category makes a "+
			"column of bits for each value", hint, fix[0], fix[1])}
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

// noWord returns the error for a text in a column of bits or of numbers.
func noWord(at cellPlace, column string, numbers bool) *FormatError {
	what := "none of 0, 1, y, n, true, false, yes and no in several languages, ?, NA and empty"
	if numbers {
		what = "not a number"
	}
	label, unknown := columnFlag(column, "label"), missingFlag(column+"="+at.text)
	return &FormatError{Line: at.line, Column: column, Msg: fmt.Sprintf("%q is %s", at.text, what),
		Hint: "correct it, take it as unknown (" + unknown + "), or make the column a label: " + label,
		fix:  []string{label}}
}

// checkWanted returns an error if a column has cells that are not of the kind asked for.
func (in *input) checkWanted(s *survey, i int) error {
	c, name := &s.columns[i], s.name(i)
	want := in.opts.wanted(name, i+1)
	number, text := c.first(numberToken, commaToken), c.first(texts...)
	switch {
	case want == "bit":
		if yes, _ := c.bitWords(s.vocabularies, true); yes == "" && number.line > 0 {
			return &FormatError{Line: number.line, Column: name, Msg: fmt.Sprintf("%s is neither 0 nor 1", number.text),
				Hint: "say from which number on it is on: " + columnFlag(name, "bit>"+number.text)}
		}
	case !slices.Contains([]string{"number", "count"}, want):
	case text.line > 0:
		return noWord(text, name, true)
	case want == "count" && (c.span().fractions || c.span().least < 0):
		return &FormatError{Column: name, Msg: "holds numbers that are no counts", Hint: "say " + columnFlag(name, "number")}
	}
	return nil
}
