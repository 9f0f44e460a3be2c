package dataset

import (
	"slices"
	"strconv"
	"strings"
)

// separators are what may stand between several answers in a cell, the surer ones first.
const separators = ";|,"

// anySeparator asks for the one that a column has.
const anySeparator = "auto"

// mostAnswers is how many answers there may be to choose from.
const mostAnswers = 60

// answerStats counts the answers of a column some of whose cells have several, for each separator.
type answerStats [len(separators)]struct {
	n     int // cells with it
	parts levelCounts
	many  bool
}

// countAnswers counts the answers in a cell.
func (c *columnStats) countAnswers(cell string) {
	if c.answer == nil {
		if !strings.ContainsAny(cell, separators) || c.many {
			return
		}
		c.answer = new(answerStats)
		for level, n := range c.levels.all() { // of the cells before
			for range n {
				c.addAnswers(level)
			}
		}
	}
	c.addAnswers(cell)
}

func (c *columnStats) addAnswers(cell string) {
	for k := range c.answer {
		a := &c.answer[k]
		if a.many {
			continue
		}
		for part := range strings.SplitSeq(cell, separators[k:k+1]) {
			if part = trim(part); part != "" &&
				(len(part) > mostAnswers || !a.parts.add(part, levelLimit{mostAnswers, levelBytes})) {
				a.many, a.parts = true, levelCounts{}
				break
			}
		}
		a.n += btoi(strings.Contains(cell, separators[k:k+1]))
	}
}

// separator returns what stands between several answers in the cells of a column, "" if they have one each: there are
// fewer answers than combinations of them, and all of it comes again, unless they are asked for.
func (c *columnStats) separator(asked bool) string {
	if c.answer == nil {
		return ""
	}
	for k := range c.answer {
		a := &c.answer[k]
		sum, number := 0, false
		for part, n := range a.parts.all() {
			sum += n
			_, err := parseFloat(part)
			number = number || err == nil
		}
		combined := c.many || a.parts.n < c.levels.n && c.levels.n < c.known()
		if a.n > 0 && !a.many && (asked || a.n > 1 && 20*a.n >= c.known() && combined && sum >= 3*a.parts.n &&
			!(number && separators[k] == ',')) {
			return separators[k : k+1]
		}
	}
	return ""
}

// answersOf adds the columns with several answers in a cell to the categories.
func (in *input) answersOf(s *survey, asked map[int]*Coding) {
	used := members(len(s.columns), in.used(s))
	for i := range s.columns {
		if used[i] || asked[i] != nil || len(in.opts.Columns) > 0 {
			continue
		}
		if sep := s.columns[i].separator(false); sep != "" {
			asked[i] = &Coding{Name: s.name(i), Kind: Category, Levels: s.columns[i].answers(sep), Split: sep}
		}
	}
}

// answers returns the answers of a column, sorted.
func (c *columnStats) answers(separator string) []string {
	var out []string
	if k := strings.Index(separators, separator); c.answer != nil && k >= 0 {
		for part := range c.answer[k].parts.all() {
			out = append(out, part)
		}
	}
	for v, n := range c.digits {
		if n > 0 {
			out = append(out, strconv.Itoa(v))
		}
	}
	return distinctLevels(out)
}

// bands reports whether cuts are to be found.
func (c *Coding) bands() bool { return c.Cuts != nil && len(c.Cuts) == 0 }

// thirds returns two numbers that cut those of a column in three, or fewer where they are alike.
func (c *columnStats) thirds() []float64 {
	all := slices.Clone(c.all)
	for v, n := range c.digits {
		all = append(all, slices.Repeat([]float64{float64(v)}, n)...)
	}
	slices.Sort(all)
	var out []float64
	for k := 1; k < 3; k++ {
		if n := len(all); n > 1 && all[(n*k-1)/3] < all[n-1] {
			out = append(out, all[(n*k-1)/3])
		}
	}
	return slices.Compact(out)
}

// bandNames returns the names of the levels between cuts.
func bandNames(cuts []float64) (names []string) {
	text := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	for k, cut := range cuts {
		if k == 0 {
			names = append(names, "to "+text(cut))
		} else {
			names = append(names, text(cuts[k-1])+" to "+text(cut))
		}
	}
	if len(cuts) > 0 {
		names = append(names, "over "+text(cuts[len(cuts)-1]))
	}
	return names
}
