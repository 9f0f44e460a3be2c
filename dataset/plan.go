package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tablePlan says how the rows of a table of text become a set.
type tablePlan struct {
	roles
	pixels   []dataColumn // what roles.data becomes
	width    int          // pixels of a row
	codings  []Coding     // of data, those that need more than names to be read
	notes    []Note
	header   []string // the first line, if it has names
	first    bool     // the first line is data
	complete bool     // the plan was made of the whole table
	numbers  bool     // the data are numbers, not bits
	sure     bool     // of numbers: enough is known of every column and of the first line
	open     bool     // more of the table may show that a label is data
	plain    bool     // all columns are 0 and 1 or words for them
	unit     string   // what places count: lines or rows
	absent   int      // columns of a model that the table lacks
	whole    int64    // the weight of a row, if there are weights
	levels   bool     // some column became several, or a bit of two words
	model    bool     // made for a model
}

// dataColumn says how the cells of a column become pixels.
type dataColumn struct {
	Coding
	column int
	digit  [2]uint8       // the states of "0" and "1"
	at     int            // the first pixel
	n      int            // how many
	level  map[string]int // the pixels of a category; nil for one pixel
	groups bool           // commas in numbers stand before thousands
	whole  bool           // a category among numbers: its pixel is the number of the level
}

// survey is what was found out about a table of text.
type survey struct {
	names    []string // nil if the table has none
	columns  []columnStats
	kinds    int        // of cells, all columns together
	index    indexStats // of the first column
	rows     int
	first    bool     // the first line is data
	header   []string // the first line otherwise
	doubled  []string // names made of those that came again
	complete bool
	trailing bool // every line ends in a delimiter
	commas   bool // divide the columns
	unit     string

	vocabularies
}

// name returns the name of column i for people.
func (s *survey) name(i int) string { r := roles{names: s.names}; return r.name(i) }

// planTable decides what each column is for, and whether the data are bits or numbers.
func (in *input) planTable(s *survey) (*tablePlan, error) {
	p := &tablePlan{first: s.first, header: s.header, complete: s.complete, unit: s.unit}
	if err := s.checkNames(false); err != nil && !in.real { // of numbers such names are no hindrance
		return nil, err
	}
	p.noteDoubled(s)
	asked, err := in.askedCategories(s)
	if err != nil {
		return nil, err
	}
	in.bitsOfWords(s, asked)
	in.answersOf(s, asked)
	kinds := map[int]Kind{}
	labels, texts, err := in.labelsOf(s, p, asked, kinds)
	if err != nil {
		return nil, err
	}
	if p.roles, err = in.rolesOf(s.names, len(s.columns), append(labels, texts...)); err != nil {
		return nil, s.noData(err, texts)
	}
	if p.kinds = kinds; s.trailing {
		p.data = slices.DeleteFunc(p.data, s.ends)
		p.note("every line ends in a delimiter; the empty last column is left out")
	}
	if err := in.checkData(s, p, asked); err != nil {
		return nil, err
	}
	p.asideWords(s, texts)
	p.noteLabels(s, texts)
	if err := in.layOut(s, p, asked); err != nil {
		return p, err
	}
	if p.numbers && !in.real {
		in.setNumbers()
		in.why = p.why(s)
	}
	p.noteTransposed(s)
	if pairs := s.pairHint(); pairs != "" && len(p.codings) == 2 && len(in.opts.categories()) == 0 && !p.numbers {
		p.note("%s", pairs)
	}
	return p, nil
}

// ends reports whether a column is the empty one behind the delimiter in which every line ends.
func (s *survey) ends(i int) bool { return s.trailing && i == len(s.columns)-1 }

// labelsOf returns the columns that are labels though nobody said so, those of words apart, and decides whether the
// others are bits or numbers. It adds to kinds what labels could be.
func (in *input) labelsOf(s *survey, p *tablePlan, asked map[int]*Coding,
	kinds map[int]Kind) (labels, texts []int, err error) {
	explicit, err := findColumns(s.names, len(s.columns), in.opts.Columns)
	if err != nil {
		return nil, nil, err
	}
	chosen := members(len(s.columns), explicit)
	claimed := func(i int) bool {
		wanted := in.opts.wanted(s.name(i), i+1)
		return asked[i] != nil || chosen[i] || s.ends(i) ||
			slices.Contains([]string{"bit", "number", "count", "weight", "unknown", "ignore"}, wanted)
	}
	var blank, constant []int
	for i := range s.columns {
		class, _ := s.columns[i].classOf(s.vocabularies)
		switch {
		case len(explicit) > 0, claimed(i):
		case s.isIndex(i, class):
			labels = append(labels, i)
			p.note("%s counts or names the rows and is taken as a label", strconv.Quote(s.name(i)))
		case class == labelClass:
			texts = append(texts, i)
			p.open = p.open || s.columns[i].levels.n <= 2
		case s.columns[i].known() == 0:
			blank = append(blank, i)
		case class == numberClass && s.columns[i].constant() && s.rows >= fewestConstant:
			constant = append(constant, i)
		case class == numberClass && s.maybeWeight(i):
			p.fix(strconv.Quote(s.name(i))+" may say how much each row counts", columnFlag(s.name(i), "weight"))
		}
	}
	if len(labels)+len(texts)+len(blank)+len(constant)+btoi(s.trailing) == len(s.columns) {
		constant = nil // there is no other data
	}
	p.open = p.open || len(constant) > 0
	scaled := in.either && len(explicit) == 0 && in.rule.threshold == nil && s.scaled(texts, in.used(s), asked)
	if !scaled {
		texts = in.categoriesForWantOfBits(s, texts, labels, explicit, asked)
	}
	aside, many := in.numbersAmong(s, claimed, slices.Concat(labels, texts, constant), explicit, asked)
	if p.numbers = in.real || in.either && many || scaled; p.numbers {
		texts = in.categoriesOf(s, texts, explicit, asked)
		for i, c := range asked { // numbers are in an order
			if class, _ := s.columns[i].classOf(s.vocabularies); c.Kind == Ordinal && class == numberClass {
				delete(asked, i)
			}
		}
		if len(blank) > 0 {
			p.note("%s, of which nothing is known", labelNote(s.called(blank)))
		}
		return append(labels, blank...), texts, nil
	}
	for _, i := range constant {
		p.note("%s is %s in all rows where it is known, and left out of the data", s.called([]int{i})[0],
			s.columns[i].allLevels()[0])
	}
	labels = append(labels, constant...)
	if len(aside) > 0 {
		hold := map[bool]string{true: "it holds", false: "they hold"}[len(aside) == 1]
		p.fix(fmt.Sprintf("%s, since %s numbers beside bits", labelNote(s.called(aside)), hold),
			columnFlag(s.name(aside[0]), "number"), columnFlag(s.name(aside[0]), "bands"))
	}
	for _, i := range aside {
		kinds[i] = s.columns[i].numberKind()
	}
	return append(labels, aside...), texts, nil
}

// fewestConstant is how many rows show that a column of one number says nothing.
const fewestConstant = 3

// scaled reports whether two columns of words, but for those that are used otherwise, hold steps of a scale, or one is
// said to do so.
func (s *survey) scaled(texts, used []int, asked map[int]*Coding) bool {
	n := 0
	for _, i := range texts {
		n += btoi(!slices.Contains(used, i) && s.columns[i].few() && s.columns[i].wordsKind() == Ordinal)
	}
	for i, c := range asked {
		class, _ := s.columns[i].classOf(s.vocabularies)
		n += 2 * btoi(c.Kind == Ordinal && c.By == Asked && class == labelClass)
	}
	return n > 1
}

// categoriesOf makes categories of columns of few words among numbers, and returns the others.
func (in *input) categoriesOf(s *survey, texts, explicit []int, asked map[int]*Coding) (labels []int) {
	used := members(len(s.columns), in.used(s))
	for _, i := range texts {
		kind := s.columns[i].wordKind()
		if used[i] || len(explicit) > 0 || in.opts.wanted(s.name(i), i+1) != "" || kind != Category && kind != Ordinal {
			labels = append(labels, i)
			continue
		}
		asked[i] = &Coding{Name: s.name(i), Kind: kind}
	}
	return labels
}

// numbersAmong returns the columns of numbers that are labels, being few where bits are asked for, and whether there
// are numbers to learn from instead; labels are columns that are no data.
func (in *input) numbersAmong(s *survey, claimed func(i int) bool, labels, explicit []int,
	asked map[int]*Coding) (aside []int, many bool) {
	isLabel, used := members(len(s.columns), labels), members(len(s.columns), in.used(s))
	chosen := members(len(s.columns), explicit)
	all, columns, asNumbers := 0, 0, 0 // all and columns as they would be if nobody said what some column is
	for i := range s.columns {
		c := &s.columns[i]
		class, _ := c.classOf(s.vocabularies)
		words := class == labelClass && (asked[i] == nil || asked[i].By == Asked)
		if isLabel[i] || words || s.ends(i) || len(explicit) > 0 && !chosen[i] {
			continue
		}
		if columns++; class != numberClass || c.sum(numberToken, commaToken) == 0 {
			continue
		}
		if all++; asked[i] == nil && !used[i] {
			asNumbers++
		}
		if !claimed(i) && !used[i] {
			aside = append(aside, i)
		}
	}
	few := !in.either && 4*all < columns && len(explicit) == 0
	if !few || in.rule.threshold != nil {
		aside = nil
	}
	return aside, asNumbers > 0 && !few
}

// why returns why a table is meant as numbers, in a clause.
func (p *tablePlan) why(s *survey) string {
	numbers, decimals, units, columns, groups := 0, 0, 0, 0, false
	for _, d := range p.pixels {
		if d.level != nil && d.By == Asked {
			continue
		}
		columns++
		r, commas := s.columns[d.column].span(), s.columns[d.column].count(commaToken) > 0
		numbers += btoi(commas || s.columns[d.column].count(numberToken) > 0)
		groups = groups || commas && d.groups
		units += btoi(d.Unit != "")
		decimals += btoi(r.pointed || !d.groups && commas && r.fractions)
	}
	if numbers == 0 {
		return "it has scales of words"
	}
	why := plainTable(numbers, decimals, columns, groups)
	if decimals == units {
		return strings.Replace(why, "decimals", "numbers with a unit", 1)
	}
	return why
}

// checkNames rejects columns that cannot be told apart, and names those without
// a name by their number. So it does with 0 and 1 if they are repeated beside real
// names: a program wrote a row into the header.
//
// Of a name that comes again the second gets its number, unless a model knows which columns there are.
func (s *survey) checkNames(known bool) error {
	bits := map[string]int{}
	for _, name := range s.names {
		if name == "0" || name == "1" {
			bits[name]++
		}
	}
	if max(bits["0"], bits["1"]) > 1 && bits["0"]+bits["1"] < len(s.names) {
		s.names = slices.Clone(s.names)
		for i, name := range s.names {
			if name == "0" || name == "1" {
				s.names[i] = "column " + strconv.Itoa(i+1)
			}
		}
	}
	seen := make(map[string]int, len(s.names))
	for i, name := range s.names {
		if name == "" {
			if name = strconv.Itoa(i + 1); i == 0 {
				name = "row"
			}
			s.names[i] = name
		}
		if first, ok := seen[name]; ok {
			if t, _ := tokenOf(name); t > yesToken && t != numberToken && !known {
				s.names[i] = s.numbered(name)
				s.doubled = append(s.doubled, s.names[i])
				name = s.names[i]
				seen[name] = i
				continue
			}
			line, hint := 1, "rename one of them"
			if t, _ := tokenOf(name); t <= yesToken && s.unit == "line" {
				hint += "; if the first line is a row, say --header no"
			}
			if s.unit == "row" {
				line = 0
			}
			return &FormatError{Line: line, Column: name, Msg: fmt.Sprintf("columns %d and %d both have this name", first+1,
				i+1), Hint: hint}
		}
		seen[name] = i
	}
	return nil
}

// numbered returns a name that comes again with a number that no other has.
func (s *survey) numbered(name string) string {
	for n := 2; ; n++ {
		if to := fmt.Sprintf("%s (%d)", name, n); !slices.Contains(s.names, to) {
			return to
		}
	}
}

// isIndex reports whether a column only counts or names the rows: pandas writes
// one without a name, or as "Unnamed: 0".
func (s *survey) isIndex(i int, class columnClass) bool {
	if i == 0 && s.index.counts() && len(s.columns) > 1 {
		return true
	}
	if class == numberClass && s.isID(i) {
		return true
	}
	unnamed := s.names != nil && (i == 0 && s.names[0] == "row" || strings.HasPrefix(s.names[i], "Unnamed: "))
	return unnamed && class == numberClass
}

// used returns the columns that have a use and are no data: metadata, those of
// groups, and weights. Names that are no columns are told of by rolesOf.
func (in *input) used(s *survey) (used []int) {
	for _, name := range append(in.opts.said("label", "weight", "unknown", "ignore"), in.opts.FirstPer.Names...) {
		if at, err := findColumns(s.names, len(s.columns), []string{name}); err == nil {
			used = append(used, at...)
		}
	}
	return used
}

// layOut gives the data columns their pixels.
func (in *input) layOut(s *survey, p *tablePlan, asked map[int]*Coding) error {
	p.plain, p.sure = !p.numbers && len(p.meta) == 0 && p.weight < 0 && len(asked) == 0, p.numbers
	var marked, made []string
	var open []columnCode
	for _, i := range p.data {
		st := &s.columns[i]
		if category := asked[i]; category != nil && category.Cuts != nil {
			open = append(open, st.takeCodes(s.name(i))...)
		}
		c := Coding{Name: s.name(i), Kind: Bit}
		if _, c.Marks = st.classOf(s.vocabularies); p.numbers {
			c.Kind = st.numberKind()
		}
		p.sure = p.sure && st.known() >= surelyKnown && asked[i] == nil
		c.Unknown, c.Unit = st.missing.of(), st.unitName()
		if category := asked[i]; category != nil {
			known := category.Levels != nil && category.Split == ""
			category.Unknown, category.Unit = c.Unknown, c.Unit
			if c = st.withLevels(*category); !known && c.Kind == Ordinal && c.By == Asked && scaleOf(c.Levels) == nil {
				p.fix(fmt.Sprintf("the words of %s are in the order of the alphabet", c.Name),
					columnFlag(c.Name, strings.Join(c.Levels, "<")))
			}
			if !known || len(category.Cuts) > 1 {
				made = append(made, fmt.Sprintf("%s (%s)", c.Name, listShort(c.Levels)))
			}
		}
		if (c.Marks == markCoding && c.Levels == nil || slices.Contains(c.Off, "")) && st.count(blankToken) > 0 {
			marked = append(marked, s.name(i))
		}
		p.lay(in, s, i, c)
	}
	if len(marked) > 0 {
		p.note("an empty cell means off in %s, where the others hold a mark; write NA for what is not known", andList(marked))
	}
	p.settleNames()
	p.noteBits()
	p.noteKey(in, s)
	p.noteMissing(s)
	p.noteWeights(s)
	p.noteSpelling(s)
	p.noteUnits()
	p.notes = append(p.notes, noteOpenCodes(open)...)
	if len(made) > 0 {
		var fix []string
		if len(in.opts.categories()) == 0 {
			fix = []string{columnFlag(p.lastMade(), "label")}
		}
		text := "a column of bits was made for each value of "
		if p.numbers {
			text = "learned as words: "
		}
		p.fix(text+andList(made), fix...)
	}
	if p.width == 0 {
		return &FormatError{Msg: "no column is left as data"}
	}
	return checkSize(1, p.width)
}

// lastMade returns the name of the last column that became several.
func (p *tablePlan) lastMade() (name string) {
	for _, d := range p.pixels {
		if d.Levels != nil {
			name = d.Name
		}
	}
	return name
}

// lay gives column i of the file the next pixels.
func (p *tablePlan) lay(in *input, s *survey, i int, c Coding) {
	if in.opts.wanted(c.Name, i+1) != "" {
		c.By = Asked
	}
	d := dataColumn{Coding: c, column: i, at: p.width, n: 1, groups: s.grouped(&s.columns[i])}
	d.digit = [2]uint8{c.Marks.of("0", in.rule), c.Marks.of("1", in.rule)}
	if c.Levels != nil {
		d.level, p.levels = levelsOf(c.Levels), true
		if d.whole = p.numbers && c.exclusive(); !d.whole && !c.bit() {
			d.n = len(c.Levels)
		}
	}
	if !c.plain() {
		p.codings = append(p.codings, c)
	}
	p.plain = p.plain && c.plain()
	p.pixels, p.width = append(p.pixels, d), p.width+d.n
}

// settleNames gives the pixels names, if the file or its columns of several pixels have any.
func (p *tablePlan) settleNames() {
	if p.names == nil && !p.levels {
		return
	}
	p.columns = make([]string, 0, p.width)
	for i := range p.pixels {
		if d := &p.pixels[i]; d.whole {
			p.columns = append(p.columns, d.Name)
		} else {
			p.columns = append(p.columns, d.columns()...)
		}
	}
}

// plain reports whether the name of a column says all that there is to know of it: it has 0 and 1, or words for them.
func (c *Coding) plain() bool {
	return c.Kind == Bit && c.By == Seen && c.Levels == nil && c.Unknown == nil && c.Unit == "" && c.Marks == bitCoding
}

// marked reports whether an empty cell says no in some column.
func (p *tablePlan) marked() bool {
	return slices.ContainsFunc(p.codings, func(c Coding) bool { return c.Marks == markCoding && c.Levels == nil })
}
