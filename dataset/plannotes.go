package dataset

import (
	"fmt"
	"strings"
)

// noteTransposed notes that what names the columns may be what is to be described: they are many more than the rows,
// and their names are one with numbers.
func (p *tablePlan) noteTransposed(s *survey) {
	if s.names == nil || !s.complete || len(p.meta) == 0 || len(p.data) < 4*s.rows || s.rows < 3 {
		return
	}
	alike := 0
	for _, i := range p.data {
		name := unnumbered(s.names[i])
		alike += btoi(name != s.names[i] && name == unnumbered(s.names[p.data[0]]))
	}
	if 10*alike >= 9*len(p.data) {
		p.fix(fmt.Sprintf("there are %d columns, from %s on, and %d rows: are the columns what is to be described?",
			len(p.data), s.names[p.data[0]], s.rows), "--size columns")
	}
}

// pairHint says how to read a table of two columns of words if its lines name a row and one of its items.
func (s *survey) pairHint() string {
	if len(s.columns) != 2 || s.unit != "line" {
		return ""
	}
	return fmt.Sprintf("if each line names a row and one of its items, say --items=%s,%s", s.name(0), s.name(1))
}

func (p *tablePlan) note(format string, args ...any) {
	p.fix(fmt.Sprintf(format, args...))
}

// fix notes what was decided, and the flags that decide otherwise.
func (p *tablePlan) fix(text string, flags ...string) {
	p.notes = append(p.notes, Note{text, flags})
}

// noteDoubled says which names came again.
func (p *tablePlan) noteDoubled(s *survey) {
	if len(s.doubled) > 0 {
		p.note("a name stands above more than one column: these are called %s", andList(s.doubled))
	}
}

// noData adds to the error that no column is left what the columns are.
func (s *survey) noData(err error, texts []int) error {
	fe, ok := err.(*FormatError)
	if !ok || len(texts) == 0 || !fe.noData {
		return err
	}
	c := &s.columns[texts[0]]
	example := c.place(textToken)
	for _, t := range []token{xToken, plusToken, pToken, aToken} {
		if example.line == 0 {
			example = c.place(t)
		}
	}
	const bits = "cells are 0 or 1, yes or no, and the like"
	for _, i := range texts {
		if c := s.columns[i].place(textToken); s.rows == 1 && strings.Contains(c.text, "\n") {
			fe.Line, fe.Msg = c.line, "all lines from here on are one cell in quotes"
			fe.Hint = "close the quote where the cell ends, or double the quotes inside it"
			return fe
		}
	}
	if s.rows == 1 && s.first && len(texts) == len(s.columns) {
		fe.Msg, fe.Hint = fmt.Sprintf("there is one line only, which begins with %q: names of columns, perhaps, and no rows",
			example.text), bits
		return fe
	}
	fe.Line, fe.Column = example.line, s.name(texts[0])
	if len(s.columns) == 1 {
		fe.Msg = fmt.Sprintf("the only column holds text, such as %q", example.text)
		fe.Hint = bits + "; is each line a list of items (--items)?"
		for _, c := range []string{",", ";", "\t", "|", ":", " "} {
			if strings.Contains(example.text, c) {
				fe.Hint = bits + fmt.Sprintf(
					"; if %q separates columns, say --delimiter %q, and if each line is a list of items --items", c, c)
				break
			}
		}
		return fe
	}
	fe.Msg = fmt.Sprintf("none of the %d columns is data; %s text, such as %q", len(s.columns),
		people(len(texts), "holds", "hold"), example.text)
	fe.Hint = bits + "; --column NAME=category makes a column of bits for each value of a column"
	if pairs := s.pairHint(); pairs != "" {
		fe.Hint += "; " + pairs
	}
	return fe
}

// people returns a number with the right form of a verb.
func people(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// noteLabels says which columns of text are labels, unless they were named.
func (p *tablePlan) noteLabels(s *survey, texts []int) {
	var names, fix []string
	auto := make([]bool, p.n)
	for k, i := range p.meta {
		auto[i] = p.auto[k]
	}
	for _, i := range texts {
		if auto[i] {
			names = append(names, s.called([]int{i})...)
			if kind, could := p.kinds[i]; could && len(fix) < 3 {
				fix = append(fix, columnFlag(s.name(i), kind.String()))
			}
		}
	}
	if len(names) > 0 {
		p.fix(labelNote(names), fix...)
	}
	for _, i := range p.constant {
		p.note("%s is left out of the data, since the rows with --where have one value of it", s.called([]int{i})[0])
	}
}

// called returns the names of columns for people.
func (s *survey) called(columns []int) []string {
	var out []string
	for _, i := range columns {
		name := s.name(i)
		if s.names == nil {
			name = "column " + name + " of the file"
		}
		out = append(out, name)
	}
	return out
}

// labelNote says that columns are labels.
func labelNote(names []string) string {
	if len(names) == 1 {
		return names[0] + " is taken as a label"
	}
	return andList(names) + " are taken as labels"
}

// andList joins names in a sentence, cut to a readable length.
func andList(names []string) string {
	const most = 5
	if len(names) == 1 {
		return names[0]
	}
	if n := len(names) - most; n > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
