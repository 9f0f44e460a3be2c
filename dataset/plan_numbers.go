package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// surelyKnown is how many cells of a column show whether it holds numbers or text.
const surelyKnown = 20

// planNumbers decides what each column is for where the data are read as numbers.
func (in *input) planNumbers(s *survey) (*tablePlan, error) {
	p := &tablePlan{numbers: true, sure: true, first: s.first, header: s.header, complete: s.complete, unit: s.unit}
	_ = s.checkNames(false) // names that come twice are no hindrance here
	p.noteDoubled(s)
	var auto []int
	end := len(s.columns) - 1
	index := end > 0 && s.index.counts()
	v := vocabulariesOf(s.columns)
	asked, err := in.askedCategories(s, v)
	if err != nil {
		return nil, err
	}
	in.bitsOfWords(s, v, asked)
	in.answersOf(s, asked)
	for i := range s.columns {
		if len(in.opts.Columns) == 0 && (i == 0 && index || asked[i] == nil && s.isID(i)) || s.isText(i) &&
			!(s.trailing && i == end) && asked[i] == nil &&
			!slices.Contains([]string{"number", "count"}, in.opts.wanted(s.name(i), i+1)) {
			auto = append(auto, i)
		}
	}
	if p.roles, err = in.rolesOf(s.names, len(s.columns), auto); err != nil {
		return nil, err
	}
	p.kinds = map[int]Kind{}
	p.asideWords(s, auto)
	if index && len(in.opts.Columns) == 0 {
		p.note("%q counts the rows and is taken as a label", s.name(0))
		auto = auto[1:]
	}
	p.noteLabels(s, auto)
	for _, i := range p.data {
		if s.trailing && i == end {
			p.note("every line ends in a delimiter; the empty last column is left out")
			continue
		}
		c := &s.columns[i]
		if err := in.checkWanted(s, i); err != nil {
			return nil, err
		}
		p.sure = p.sure && c.known() >= surelyKnown && asked[i] == nil
		d := Coding{Name: s.name(i), Kind: c.numberKind()}
		if category := asked[i]; category != nil {
			d = c.withLevels(*category)
		}
		d.Unknown, d.Unit = c.missing.of(), c.unitName()
		p.lay(in, s, i, d)
	}
	p.settleNames()
	p.noteBits()
	p.noteMissing(s)
	p.noteUnits()
	return p, nil
}

// grouped reports whether commas in the numbers of a column stand before thousands.
func (s *survey) grouped(c *columnStats) bool { return s.commas && !c.decimal }

// texts are the tokens of cells that are no numbers.
var texts = []token{textToken, xToken, plusToken, minusToken, pToken, aToken}

// notNumbers returns those of a column: not [textToken] where all such cells are numbers with commas before thousands.
func (s *survey) notNumbers(c *columnStats) []token {
	if n := c.span().grouped; n > 0 && n == c.count(textToken) && s.grouped(c) {
		return texts[1:]
	}
	return texts
}

// isText reports whether a column has text in more than a tenth of its known cells, or nothing but unknown cells. Words for yes without one
// for no, or the other way round, are text beside text: f beside m.
func (s *survey) isText(i int) bool {
	c := &s.columns[i]
	text, numbers := c.sum(texts...), c.sum(zeroToken, oneToken, numberToken, commaToken)
	if s.grouped(c) {
		text, numbers = text-c.span().grouped, numbers+c.span().grouped
	}
	yes, no := c.count(yesToken), c.count(noToken)
	if text > 0 && (yes == 0 || no == 0) {
		text += yes + no
	} else {
		numbers += yes + no
	}
	return !fewSlips(text, text+numbers) || text+numbers == 0 || c.hasCodes()
}

// headsNumbers reports whether the first line has names, given what is below it, where numbers are read.
func (s *survey) headsNumbers(first []string) bool {
	if s.rows > 0 && len(first) > 1 && counts(first) {
		return true
	}
	for i, cell := range first {
		t, _ := tokenOf(trim(cell))
		c := &s.columns[i]
		word := slices.Contains(texts, t) || (t == yesToken || t == noToken) && c.sum(yesToken, noToken) == 0
		if s.rows > 0 && word && !s.isText(i) && !c.measures(cell) {
			return true // a word above numbers
		}
	}
	return false
}

// orNumbers returns the plan of a table as numbers, which the error says are no bits, if they cannot but be meant so.
func (in *input) orNumbers(s *survey, err error) (*tablePlan, error) {
	p, problem := in.planNumbers(s)
	if problem != nil {
		return nil, err
	}
	var fe *FormatError
	why := p.plainly(s)
	if problem = p.badNumber(s); problem != nil {
		if why != "" && in.opts.Height == 0 {
			return nil, problem
		}
		return nil, err
	}
	if in.opts.Height > 0 || why == "" {
		if errors.As(err, &fe) {
			fe.early = !s.complete
		}
		return nil, err
	}
	in.setNumbers()
	in.why, p.sure, p.complete = why, p.sure && !s.misheaded, p.complete && !s.misheaded
	return p, nil
}

// badNumber returns the error for the first cell of the data that is no number, or nil.
func (p *tablePlan) badNumber(s *survey) error {
	var bad *FormatError
	for _, d := range p.pixels {
		c := &s.columns[d.column]
		if d.level != nil {
			continue
		}
		for _, t := range s.notNumbers(c) {
			if at := c.place(t); at.line > 0 && (bad == nil || at.line < bad.Line) {
				bad = notNumber(at.text, p.name(d.column))
				bad.Line = at.line
			}
		}
	}
	if bad == nil {
		return nil
	}
	return bad
}

// notNumber returns the error for a cell of a column of numbers.
func notNumber(cell, column string) *FormatError {
	label, unknown := columnFlag(column, "label"), missingFlag(column, shorten(cell))
	return &FormatError{Column: column, Msg: fmt.Sprintf("%q is not a number", shorten(cell)),
		Hint: "correct it, take it as unknown (" + unknown + "), or make the column a label: " + label,
		fix:  []string{label}}
}

// plainly returns why a table cannot but be meant as numbers, see [Values.plainly].
func (p *tablePlan) plainly(s *survey) string {
	numbers, decimals, units, columns, groups := 0, 0, 0, 0, false
	for _, d := range p.pixels {
		columns += btoi(d.level == nil || d.By != Asked)
		c := &s.columns[d.column]
		r, commas := c.span(), c.count(commaToken)
		if d.groups {
			commas += r.grouped
			groups = groups || commas > 0
		}
		numbers += btoi(c.count(numberToken)+commas > 0)
		units += btoi(d.Unit != "")
		decimals += btoi(r.pointed || !d.groups && commas > 0 && r.fractions)
	}
	why := plainTable(numbers, decimals, columns, groups)
	if decimals == units {
		return strings.Replace(why, "decimals", "numbers with a unit", 1)
	}
	return why
}

// number returns the value of a cell of a column of numbers: NaN if it is unknown; ok is false for text.
func (d *dataColumn) number(cell string) (v float64, ok bool) {
	if d.Unit != "" {
		if v, unit, ok := measured(trim(cell)); ok {
			return v, unit == d.Unit
		}
	}
	if d.groups && strings.IndexByte(cell, ',') >= 0 {
		return thousands(trim(cell))
	}
	if d.isMissing(cell) {
		return math.NaN(), true
	}
	switch t, v := tokenOf(trim(cell)); t {
	case blankToken, unknownToken:
		return math.NaN(), true
	case zeroToken, oneToken, numberToken, commaToken:
		return v, !math.IsInf(v, 0)
	case yesToken:
		return 1, true
	case noToken:
		return 0, true
	}
	return 0, false
}

// addNumbers appends the values of a row.
func (t *textTable) addNumbers(cells []string) error {
	row := make([]float64, t.plan.width)
	for k := range t.plan.pixels {
		d := &t.plan.pixels[k]
		cell := cells[d.column]
		if d.level != nil {
			known, strange := d.turnOn(cell, func(k int) { row[d.at+k] = 1 })
			t.strange(d, strange)
			for k := d.at; !known && k < d.at+d.n; k++ {
				row[k] = math.NaN()
			}
			continue
		}
		v, ok := d.number(cell)
		if !ok && t.plan.model {
			t.strange(d, trim(cell))
			row[d.at] = math.NaN()
			continue
		}
		if !ok {
			return notNumber(trim(cell), t.plan.name(d.column))
		}
		if d.groups && strings.IndexByte(cell, ',') >= 0 {
			t.in.seen.grouped(cell)
		}
		row[d.at] = v
	}
	t.set.Values = append(t.set.Values, row)
	return nil
}
