package dataset

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// columnStats counts what the cells of a column of text are. A table may have hundreds of
// thousands of columns, so what few columns have takes no memory in the others.
type columnStats struct {
	digits  [2]int      // cells that are 0 and 1
	kinds   []kindStats // of the other kinds that there are
	levels  levelCounts // how often each value occurs, but 0, 1 and unknown ones
	numbers *numberRange
	many    bool // more levels than are counted
	decimal bool // some comma in a number cannot stand before thousands
	missing *missingCells
	unit    *unitStats
	answer  *answerStats
	nones   levelCounts // of the word none, which may be a value

	codes     int         // cells of digits with zeros in front
	spelled   []string    // words that differ from others in case only, and are taken as these
	words     levelCounts // of cells of text, unless there are too many
	wordsMany bool
	all       []float64 // the numbers beside 0 and 1, if they are to be cut; nil if not
	learned   marking   // of this column in the data that a model was learned from
}

// kindStats counts the cells of a kind.
type kindStats struct {
	cellPlace // the first of them
	n         int
}

// cellPlace is a cell, its kind and its line (from 1; 0 for none).
type cellPlace struct {
	kind token
	line int
	text string
}

// of returns what was counted of a kind, or nil.
func (c *columnStats) of(t token) *kindStats {
	for i := range c.kinds {
		if c.kinds[i].kind == t {
			return &c.kinds[i]
		}
	}
	return nil
}

// place returns the first cell of a kind, but 0 and 1.
func (c *columnStats) place(t token) cellPlace {
	if k := c.of(t); k != nil {
		return k.cellPlace
	}
	return cellPlace{}
}

// count returns the number of cells of a kind.
func (c *columnStats) count(t token) int {
	if t == zeroToken || t == oneToken {
		return c.digits[t-zeroToken]
	}
	if k := c.of(t); k != nil {
		return k.n
	}
	return 0
}

// add counts a cell, and reports whether it is the first of its kind, 0 and 1 apart. limit bounds the levels.
func (c *columnStats) add(cell string, line int, limit levelLimit) (fresh bool) {
	if len(cell) == 1 && (cell[0] == '0' || cell[0] == '1') {
		c.digits[cell[0]-'0']++
		return false
	}
	cell = trim(cell)
	t, v := tokenOf(cell)
	if t == zeroToken || t == oneToken {
		c.digits[t-zeroToken]++
		return false
	}
	k := c.of(t)
	if fresh = k == nil; fresh {
		c.kinds = slices.Concat(c.kinds, []kindStats{{cellPlace: cellPlace{kind: t}}}) // no larger than it must be
		k = &c.kinds[len(c.kinds)-1]
	}
	if k.n++; k.n == 1 || line < k.line {
		k.line, k.text = line, strings.Clone(shorten(cell))
	}
	if t == commaToken {
		c.decimal = c.decimal || isDecimalComma(cell)
	}
	c.codes += btoi(t == textToken && isCode(cell) && !strings.ContainsAny(cell, ".,eE"))
	switch {
	case t == textToken && !c.wordsMany:
		c.wordsMany = !c.words.add(cell, levelLimit{min(2*mostAnswers, limit.n), limit.bytes})
	case t == unknownToken && strings.EqualFold(cell, "none"):
		c.nones.add(cell, levelLimit{leastLevels, levelBytes})
	}
	group := 0.0
	groups := false
	if t == textToken {
		group, groups = thousands(cell)
		c.measure(cell)
	}
	if t == numberToken || t == commaToken || groups {
		if c.numbers == nil {
			c.numbers = new(numberRange)
		}
		c.numbers.pointed = c.numbers.pointed || t == numberToken && v != math.Trunc(v) || group != math.Trunc(group)
		c.numbers.grouped += btoi(groups)
		if !groups {
			c.numbers.widen(v)
		}
		if c.all != nil {
			c.all = append(c.all, v+group)
		}
	}
	if t > unknownToken {
		c.countAnswers(cell)
	}
	if t > unknownToken && !c.many && !c.levels.add(levelOf(cell), limit) {
		c.many, c.levels = true, levelCounts{n: c.levels.n}
	}
	return fresh
}

// numberRange says where the numbers of a column lie, and 0.
type numberRange struct {
	least, most float64
	fractions   bool  // some number is not an integer
	unit        int64 // of these numbers as weights
	pointed     bool  // that is not only the comma's doing
	grouped     int   // cells that are text, or thousands where commas divide columns: 1,234.5
	taken       int   // of these as numbers
}

// span returns the range of the numbers.
func (c *columnStats) span() numberRange {
	if c.numbers == nil {
		return numberRange{}
	}
	return *c.numbers
}

// widen extends the range by a number.
func (r *numberRange) widen(v float64) {
	r.least, r.most = min(r.least, v), max(r.most, v)
	if v != math.Trunc(v) {
		r.fractions = true
		if r.unit < finest {
			r.unit = max(r.unit, unitOf(v))
		}
	}
}

// levelOf returns the value of a cell of a categorical column: 2.0 is 2, since
// some programs write integers beside missing values so.
func levelOf(cell string) string {
	if v, err := parseFloat(cell); err == nil && v == math.Trunc(v) && math.Abs(v) < 1e15 && !isCode(cell) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return cell
}

// allLevels returns the values of a categorical column, sorted, numbers by size.
func (c *columnStats) allLevels() []string {
	var levels []string
	for level := range c.levels.all() {
		levels = append(levels, level)
	}
	for v, n := range c.digits {
		if n > 0 {
			levels = append(levels, strconv.Itoa(v))
		}
	}
	sortLevels(levels)
	return levels
}

func sortLevels(levels []string) {
	slices.SortFunc(levels, func(a, b string) int {
		x, errX := parseFloat(a)
		y, errY := parseFloat(b)
		switch {
		case errX == nil && errY == nil:
			return cmp.Or(cmp.Compare(x, y), strings.Compare(a, b))
		case errX == nil:
			return -1
		case errY == nil:
			return 1
		}
		return strings.Compare(a, b)
	})
}

func (c *columnStats) sum(kinds ...token) int {
	n := 0
	for _, t := range kinds {
		n += c.count(t)
	}
	return n
}

// known returns the number of cells that say something.
func (c *columnStats) known() int {
	n := c.digits[0] + c.digits[1]
	for i := range c.kinds {
		if c.kinds[i].kind > unknownToken {
			n += c.kinds[i].n
		}
	}
	return n
}

// cells returns the number of cells.
func (c *columnStats) cells() int { return c.known() + c.count(blankToken) + c.count(unknownToken) }

// few reports whether the column has few values that recur, as categories do.
func (c *columnStats) few() bool {
	const most = 30
	n := c.levels.n + min(c.digits[0], 1) + min(c.digits[1], 1)
	return !c.many && n >= 2 && n <= most && 2*n <= c.known()
}

// constant reports whether all that is known of a column is one number, neither 0 nor 1.
func (c *columnStats) constant() bool { return c.levels.n == 1 && !c.many && c.digits == [2]int{} }

// numberKind returns the kind of a column of numbers.
func (c *columnStats) numberKind() Kind {
	switch r := c.span(); {
	case c.sum(numberToken, commaToken, textToken) == 0:
		return Bit
	case !r.fractions && r.least >= 0:
		return Count
	}
	return Number
}

// date matches dates, with a time perhaps.
var date = regexp.MustCompile(`^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?$|^\d{1,2}:\d\d(:\d\d)?$`)

// idName matches the names of columns whose whole numbers name rows.
var idName = regexp.MustCompile(
	`^([iI][dD]s?|[uU][uU][iI][dD]|.*([ _.-][iI][dD]|I[dD]|[ _.-]([kK]ey|[nN]r|[nN]o|[nN]umber|` +
		`[cC]ode))|(?i:(respondent|record|case|participant|subject|patient|customer|user|` +
		`_?index|member|order|invoice|ticket|sample|` +
		`mrn|barcode|accession|account|isbn|ssn|policy|claim|loan|device|session|transaction|trip|employee|staff|` +
		`student|person|site|plot|serial)[ _.-]?(id|nr|no|number|code)?))$`)

// isID reports whether a column has whole numbers that name rows: by its name, and no number comes again.
func (s *survey) isID(i int) bool {
	c, r := &s.columns[i], s.columns[i].span()
	whole := c.sum(zeroToken, oneToken, numberToken) == c.known() && !r.fractions && r.least >= 0
	distinct := c.levels.n+min(1, c.digits[0])+min(1, c.digits[1]) == c.known()
	if c.many {
		distinct = r.most-r.least+1 >= float64(c.known())
	}
	return s.names != nil && whole && distinct && c.known() > 2 && idName.MatchString(s.names[i])
}

// hasCodes reports whether a column has whole numbers only, some with zeros in front, as postal codes do.
func (c *columnStats) hasCodes() bool {
	return c.codes > 0 && c.codes == c.count(textToken) && !c.span().fractions &&
		c.known() == c.codes+c.sum(zeroToken, oneToken, numberToken)
}

// wordKind returns the kind of a column of words: Label where they name rows.
func (c *columnStats) wordKind() Kind {
	switch levels := c.allLevels(); {
	case !c.few(), !slices.ContainsFunc(levels, func(level string) bool { return !date.MatchString(level) }):
		return Label
	case scaleOf(levels) != nil:
		return Ordinal
	case len(levels) == 2:
		return Bit
	}
	return Category
}

// asideWords notes what columns of words could be that are labels.
func (p *tablePlan) asideWords(s *survey, columns []int) {
	for _, i := range columns {
		if kind := s.columns[i].wordKind(); kind != Label {
			p.kinds[i] = kind
		}
	}
}

// columnClass says what a column is, as far as its cells show.
type columnClass uint8

const (
	bitClass    columnClass = iota // data, with the marking that belongs to it
	numberClass                    // numbers beyond 0 and 1
	labelClass                     // text
)

// vocabularies says which ways of writing a bit some column of the table proves:
// columns that have only one value of a pair are judged by them.
type vocabularies struct {
	marks, signs, letters, ones bool
	ones2                       bool // some column has 1 and 2 only
	options                     int  // columns of one word, and of empty cells
}

// fewestPresences is how many rows prove that a table lists presences only, if no cell
// of it says off: in fewer that may be chance.
const fewestPresences = 10

func vocabulariesOf(columns []columnStats) vocabularies {
	v := vocabularies{options: optionsAmong(columns)}
	zeros, ones := false, false // in columns of bits
	for i := range columns {
		c := &columns[i]
		blanks := c.sum(blankToken, unknownToken)
		all := c.cells()
		plus, minus, p, a := c.count(plusToken), c.count(minusToken), c.count(pToken), c.count(aToken)
		v.marks = v.marks || c.count(xToken) > 0 && c.count(blankToken) > 0 && c.count(xToken)+blanks == all
		v.signs = v.signs || plus > 0 && minus > 0 && plus+minus+blanks == all
		v.ones2 = v.ones2 || c.digits[0] == 0 && c.digits[1] > 0 && c.levels.n == 1 && c.levels.count("2") > 0 &&
			c.known() >= 4
		bits := c.sum(takes[letterCoding]...)+blanks == all
		v.letters = v.letters || p > 0 && a > 0 && bits
		if bits {
			zeros = zeros || c.sum(zeroToken, noToken, aToken) > 0
			ones = ones || c.count(blankToken) > 0 && c.sum(oneToken, yesToken, pToken) > 0
		}
	}
	v.ones = ones && !zeros && len(columns) > 0 && columns[0].cells() >= fewestPresences
	return v
}

// classOf judges a column.
func (c *columnStats) classOf(v vocabularies) (columnClass, marking) {
	known := c.known()
	only := func(kinds ...token) bool { return c.sum(kinds...) == known }
	has := func(t token) bool { return c.count(t) > 0 }
	switch {
	case c.learned != bitCoding && only(takes[c.learned]...) && (known > 0 || has(blankToken)):
		return bitClass, c.learned
	case known == 0 && (v.marks || v.ones) && has(blankToken):
		return bitClass, markCoding
	case has(minusToken) && only(minusToken) && v.signs, has(plusToken) && has(minusToken) && only(plusToken, minusToken):
		return bitClass, signCoding
	case has(plusToken) && only(plusToken):
		if v.signs {
			return bitClass, signCoding
		}
		return bitClass, markCoding
	case has(xToken) && only(xToken), v.ones && known > 0 && only(oneToken, yesToken, pToken):
		return bitClass, markCoding
	case only(takes[letterCoding]...) && (has(pToken) || has(aToken)) && (v.letters || has(pToken) && has(aToken)):
		return bitClass, letterCoding
	case only(zeroToken, oneToken, yesToken, noToken, minusToken):
		return bitClass, bitCoding
	}
	if digits, numbers := c.sum(zeroToken, oneToken), c.sum(numberToken, commaToken); numbers > 0 && !c.hasCodes() &&
		digits+numbers+c.count(minusToken) == known {
		return numberClass, bitCoding
	}
	return labelClass, bitCoding
}

// indexStats tells whether a column counts the rows.
type indexStats struct {
	from, n int
	broken  bool
}

// add takes the cell of the next row.
func (x *indexStats) add(cell string) {
	if x.broken {
		return
	}
	v, err := strconv.Atoi(trim(cell))
	if x.n == 0 {
		x.from = v
	}
	x.broken = err != nil || v != x.from+x.n
	x.n++
}

// precede takes the cell of the row before all others.
func (x *indexStats) precede(cell string) {
	v, err := strconv.Atoi(trim(cell))
	x.broken = x.broken || err != nil || x.n > 0 && v != x.from-1
	x.from = v
	x.n++
}

// counts reports whether the column counts the rows from 0 or 1.
func (x *indexStats) counts() bool {
	return !x.broken && x.n >= 3 && (x.from == 0 || x.from == 1)
}
