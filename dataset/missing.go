package dataset

import (
	"regexp"
	"slices"
	"strings"

	"example.com/patchwork/diagnose/words"
)

// missingWords are the words, in lower case, for what is not known that may be values elsewhere: they are unknown in
// columns of numbers and of words for yes and no, where no other text stands.
var missingWords = []string{"don't know", "don’t know", "dont know", "do not know", "not known", "dk", "refused",
	"unknown",
	"n.a.", "missing", "not applicable", "not available", "no answer", "no response", "not answered", "prefer not to say",
	"not asked", "skipped", "no opinion", "not voting", "did not vote", "abstained", "abstain", "not sure", "unsure",
	"can't say", "not stated", "not reported", "no data", "inapplicable", "nd", "n.d.", "n/d", "bdl", "lod", "<lod",
	"<loq", "below detection", "trace", "inf", "+inf", "-inf", "infinity", "-infinity",
	"#div/0!", "#value!", "#num!", "#ref!", "#name?", "#null!"}

// isMissingWord reports whether a word is one of these, perhaps behind its code as in "-8. Don't know".
func isMissingWord(word string) bool {
	return slices.Contains(missingWords, strings.ToLower(uncoded(word)))
}

// IsUnknown reports whether a text says that nothing is known: an empty one, NA and the like, or a word such as
// refused.
func IsUnknown(text string) bool {
	t, _ := tokenOf(trim(text))
	return t == blankToken || t == unknownToken && !strings.EqualFold(trim(text), "none") || isMissingWord(trim(text))
}

// leadingCode is a code that programs write before the word for it.
var leadingCode = regexp.MustCompile(`^-?[0-9]{1,3}[.:)=] ?`)

// uncoded returns a word without its code.
func uncoded(word string) string { return word[len(leadingCode.FindString(word)):] }

// missingCodes are the numbers for what is not known, which are unknown among 0 and 1, yes and no, or 1 and 2.
var missingCodes = []string{"-9", "-99", "-999", "-9999", "-99999", "99", "999", "9999", "99999"}

// fewCodes are such numbers that are unknown only where they come again and are few.
var fewCodes = []string{"-1", "-2", "-3", "-7", "-8", "7", "8", "9", "97", "98"}

// missingCells are such values of a column, and how many cells have them.
type missingCells struct {
	values []string
	n      int
}

func (m *missingCells) of() []string {
	if m == nil {
		return nil
	}
	return m.values
}

// takeMissing counts such cells as unknown, in all columns: what is one of few codes in some is one in all. It also
// takes units, and commas before thousands, for what they are.
func (s *survey) takeMissing() {
	var codes []string
	for range 2 {
		for i := range s.columns {
			c := &s.columns[i]
			c.takeMissing(codes)
			c.takeUnit()
			if s.grouped(c) {
				c.takeGrouped()
			}
			codes = append(codes, c.missing.of()...)
		}
		if len(codes) == 0 {
			return
		}
	}
}

// takeSlips makes unknown cells of slips of the pen, but in columns of which it was said what they are.
func (s *survey) takeSlips(in *input) {
	s.vocabularies = vocabulariesOf(s.columns)
	for i := range s.columns {
		c := &s.columns[i]
		if class, _ := c.classOf(s.vocabularies); class != bitClass && len(in.opts.Columns) == 0 &&
			in.opts.wanted(s.name(i), i+1) == "" {
			c.takeSlips(in.rule)
			c.takeUnit()
		}
		c.foldCase()
	}
	s.vocabularies = vocabulariesOf(s.columns)
}

// takeGrouped makes numbers of cells of text that are numbers with commas before thousands.
func (c *columnStats) takeGrouped() {
	r := c.numbers
	if r == nil || c.count(textToken) == 0 || r.grouped == r.taken {
		return
	}
	n := r.grouped - r.taken
	r.taken = r.grouped
	c.move(textToken, commaToken, n)
}

// move makes cells of one kind of so many of another.
func (c *columnStats) move(from, to token, n int) {
	k := c.of(from)
	k.n -= n
	if other := c.of(to); other != nil {
		other.n += n
	} else {
		c.kinds = append(c.kinds, kindStats{cellPlace{to, k.line, k.text}, n})
	}
	c.kinds = slices.DeleteFunc(c.kinds, func(k kindStats) bool { return k.n == 0 })
}

// takeMissing counts such cells as unknown, and those of codes that other columns have.
func (c *columnStats) takeMissing(codes []string) {
	c.takeNone()
	if n := c.count(textToken); n > 0 && !c.wordsMany && n == c.sum(texts...) && 10*n <= 9*c.known() {
		bounds := 0
		for word, n := range c.words.all() {
			bounds += btoi(isBound(word) || isMissingWord(word)) * n
		}
		if bounds == n && c.sum(numberToken, commaToken) > 0 {
			c.unknow(textToken, func(string) bool { return true })
		}
	}
	if c.many || c.levels.n == 0 {
		return
	}
	code := func(level string) bool {
		n := c.levels.count(level)
		return slices.Contains(missingCodes, level) || slices.Contains(fewCodes, level) && 10*n <= c.known() &&
			(n > 1 || slices.Contains(codes, level))
	}
	taken := func(is func(string) bool) (n, kinds int) {
		for level, times := range c.levels.all() {
			if is(level) {
				n, kinds = n+times, kinds+1
			}
		}
		return n, kinds
	}
	// beside two words, or words for yes and no
	n, kinds := taken(isMissingWord)
	if n > 0 && (n == c.sum(texts...) || c.levels.n == kinds+2 && 4*n <= c.known()) {
		c.unknow(textToken, isMissingWord)
	}
	bits := c.sum(zeroToken, oneToken, yesToken, noToken)
	if c.digits[0] == 0 {
		bits += c.levels.count("2")
	}
	if n, _ := taken(code); n > 0 && n < bits && n+bits == c.known() {
		c.unknow(numberToken, code)
	}
}

// takeSlips makes unknown cells of words that stand in no more than a tenth of those of a column of numbers, or of
// words for yes and no, and of numbers in no more than a hundredth of those of a column of bits: a slip of the pen is
// no reason to take the column for something else.
func (c *columnStats) takeSlips(r rule) {
	if n, bits := c.count(numberToken), c.sum(zeroToken, oneToken, yesToken, noToken); n > 0 && !c.many &&
		r.threshold == nil && n+bits == c.known() && !c.span().fractions && c.all == nil &&
		(100*n <= c.known() || n == 1 && bits >= 20) {
		c.unknow(numberToken, func(level string) bool { v, err := parseFloat(level); return err == nil && v != 0 && v != 1 })
		return
	}
	slips := []token{textToken, xToken, plusToken}
	rest := c.sum(zeroToken, oneToken, numberToken, commaToken)
	if yes, no := c.count(yesToken), c.count(noToken); yes > 0 && no > 0 || rest > 9*(yes+no) {
		rest += yes + no
	}
	if p, a := c.count(pToken), c.count(aToken); p > 0 && a > 0 && c.sum(numberToken, commaToken) == 0 {
		rest += p + a
	} else {
		slips = append(slips, pToken, aToken)
	}
	n := c.sum(slips...)
	if n == 0 || c.wordsMany || n > c.count(textToken) && c.many || n+rest+c.count(minusToken) != c.known() ||
		!fewSlips(n, n+rest) || c.hasCodes() || c.unit != nil {
		return
	}
	for _, t := range slips {
		c.unknow(t, func(level string) bool {
			_, group := thousands(level)
			is, _ := tokenOf(level)
			return is == t && !(group && c.span().taken > 0)
		})
	}
}

// fewSlips reports whether so many of the known cells of a column may be slips.
func fewSlips(n, known int) bool { return 10*n <= known || n == 1 && known >= 4 }

// bound matches what a number is less or more than.
var bound = regexp.MustCompile(`^[<>≤≥]=? ?[0-9.,]+$`)

// isBound reports whether a cell says no more of a number than that, as those below a limit of detection.
func isBound(cell string) bool { return bound.MatchString(cell) }

// takeNone makes a value of the word none where the others are words.
func (c *columnStats) takeNone() {
	n := 0
	for _, times := range c.nones.all() {
		n += times
	}
	if n == 0 || c.known() == 0 || c.many || c.sum(textToken, yesToken, noToken) != c.known() || c.count(textToken) == 0 {
		return
	}
	c.move(unknownToken, textToken, n)
	for word, n := range c.nones.all() {
		c.levels.addMany(word, n, manyLevels)
	}
	c.nones = levelCounts{}
}

// unknow makes unknown cells of those of a kind that have some values.
func (c *columnStats) unknow(t token, is func(level string) bool) {
	left, moved := levelCounts{}, 0
	from := &c.levels
	if t == textToken {
		from = &c.words
	}
	if c.count(t) == 0 {
		return
	}
	if c.missing == nil {
		c.missing = new(missingCells)
	}
	for level, n := range from.all() {
		if is(level) {
			c.missing.values, moved = distinctLevels(append(c.missing.values, level)), moved+n
		}
	}
	for level, n := range c.levels.all() {
		if !slices.Contains(c.missing.values, level) {
			left.addMany(level, n, manyLevels)
		}
	}
	if !c.many {
		c.levels = left
	}
	c.move(t, unknownToken, moved)
	if t == numberToken {
		c.numbers = nil
		if c.levels.count("2") > 0 {
			c.numbers = &numberRange{most: 2}
		}
	}
	c.missing.n += moved
}

// isMissing reports whether a cell is one of these.
func (d *dataColumn) isMissing(cell string) bool {
	return d.Unknown != nil && slices.Contains(d.Unknown, levelOf(trim(cell)))
}

// noteMissing says which cells are taken as unknown.
func (p *tablePlan) noteMissing(s *survey) {
	var all, names []string
	n := 0
	for _, d := range p.pixels {
		if c := &s.columns[d.column]; d.Unknown != nil {
			n, names = n+c.missing.n, append(names, s.name(d.column))
			all = append(all, d.Unknown...)
		}
	}
	if n > 0 {
		p.note("%s taken as unknown in %s: %s", strings.Replace(words.Count(n, "cell")+" is", "s is", "s are", 1),
			andList(names), listShort(distinctLevels(all)))
	}
}
