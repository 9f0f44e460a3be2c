package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/patchwork"
)

// columns returns the names of the columns of bits.
func (c *Coding) columns() []string {
	switch {
	case c.Levels == nil:
		return []string{c.Name}
	case c.bit():
		return []string{c.bitName()}
	}
	out := make([]string, len(c.Levels))
	for i, level := range c.Levels {
		out[i] = c.Name + "=" + level
	}
	return out
}

// exclusive reports whether a row has one of several levels.
func (c *Coding) exclusive() bool { return len(c.Levels) > 0 && !c.bit() && c.Split == "" }

// askedCategories returns, by column, the categories that the options ask for.
func (in *input) askedCategories(s *survey) (map[int]*Coding, error) {
	asked := map[int]*Coding{}
	for _, c := range in.opts.categories() {
		if c.Name == allColumns {
			in.allCategories(s, asked, c.Kind == Bit)
			continue
		}
		if c.Name == "" {
			if err := in.ordered(s, c, asked); err != nil {
				return nil, err
			}
			continue
		}
		at, err := findColumns(s.names, len(s.columns), []string{c.Name})
		if err != nil && c.keyed() {
			continue
		}
		if err != nil {
			return nil, err
		}
		of := &s.columns[at[0]]
		if class, _ := of.classOf(s.vocabularies); c.Kind == Ordinal && in.real && class == numberClass {
			continue // numbers are in an order
		}
		c.Name = s.name(at[0])
		if err := of.settle(&c, len(s.columns)); err != nil {
			return nil, err
		}
		asked[at[0]] = &c
	}
	return asked, nil
}

// settle finds the cuts or the separator of a category that is asked for.
func (c *columnStats) settle(of *Coding, columns int) error {
	switch {
	case of.bands():
		of.Cuts = c.thirds()
		of.Levels = bandNames(of.Cuts)
		if len(of.Cuts) == 0 {
			return &FormatError{Column: of.Name, Msg: "holds no numbers to cut in bands", Hint: "ask for a category instead"}
		}
	case of.Split == anySeparator:
		if of.Split = c.separator(true); of.Split == "" {
			return &FormatError{Column: of.Name, Msg: "no cell has several answers with ; | or , between them",
				Hint: "ask for a category instead"}
		}
		of.Levels = c.answers(of.Split)
	case of.Levels == nil && c.many:
		return tooManyLevels(of.Name, c.levels.n, columns)
	}
	return nil
}

// tooManyLevels returns the error for a column of which n values, and then another, were
// counted, in a table of so many columns.
func tooManyLevels(name string, n, columns int) error {
	limit := levelLimitOf(columns)
	msg := fmt.Sprintf("more than %d values, too many for categories", limit.n)
	if n < limit.n {
		msg = fmt.Sprintf("the values have more than %d bytes together, too many for categories of %d columns", limit.bytes,
			columns)
	}
	return &FormatError{Column: name, Msg: msg, Hint: "make them coarser, or keep the column as a label: " +
		columnFlag(name, "label")}
}

// allCategories asks for all columns that look like categories. If answers are to be cut in two, scales of words are;
// beside few bits others too.
func (in *input) allCategories(s *survey, asked map[int]*Coding, halves bool) {
	used := members(len(s.columns), in.used(s))
	var found []int
	bits := 0
	for i := range s.columns {
		c := &s.columns[i]
		class, _ := c.classOf(s.vocabularies)
		switch {
		case asked[i] != nil || used[i] || s.isIndex(i, class):
		case class == bitClass:
			bits++
		case c.few() && (class == labelClass || !c.span().fractions):
			found = append(found, i)
		}
	}
	for _, i := range found {
		c := &s.columns[i]
		class, _ := c.classOf(s.vocabularies)
		kind := c.wordsKind()
		switch words, _ := c.bitWords(s.vocabularies, false); {
		case !halves:
			asked[i] = &Coding{Name: s.name(i), Kind: kind}
		case words == "" && (kind == Ordinal || bits < len(found)):
			asked[i] = c.halved(s.name(i), kind == Ordinal || class == numberClass)
		}
	}
}

// halved returns the steps of a scale cut in two, as evenly as can be; of other words the most frequent one is yes.
func (c *columnStats) halved(name string, scale bool) *Coding {
	levels := c.allLevels()
	if inScale(levels); !scale {
		most := slices.MaxFunc(levels, func(a, b string) int { return cmp.Compare(c.times(a), c.times(b)) })
		return &Coding{Name: name, Kind: Bit, Levels: []string{most},
			Off: slices.DeleteFunc(levels, func(level string) bool { return level == most })}
	}
	below, best, at := 0, c.known()+1, 1
	for k, level := range levels[:len(levels)-1] {
		below += c.times(level)
		if uneven := max(2*below-c.known(), c.known()-2*below); uneven < best {
			best, at = uneven, k+1
		}
	}
	out := &Coding{Name: name, Kind: Bit, Levels: levels[at:], Off: levels[:at]}
	if cut, err := parseFloat(levels[at-1]); err == nil {
		e := Edit{name, fmt.Sprint("bit>", cut)}
		of, _ := e.coding()
		out = &of
		out.By = Seen
	}
	return out
}

// times returns in how many cells a value occurs.
func (c *columnStats) times(level string) int {
	if level == "0" || level == "1" {
		return c.digits[level[0]-'0']
	}
	return c.levels.count(level)
}

// categoriesForWantOfBits makes categories of the text columns that have few values if
// the table has more of them than of other data. It returns the others.
func (in *input) categoriesForWantOfBits(s *survey, texts, auto, explicit []int,
	asked map[int]*Coding) []int {
	if len(explicit) > 0 || in.opts.settled != nil {
		return texts
	}
	used := members(len(s.columns), in.used(s))
	other, text := members(len(s.columns), auto), members(len(s.columns), texts)
	bits, few := 0, 0
	for i := range s.columns {
		switch {
		case other[i], used[i], s.ends(i):
		case asked[i] != nil && asked[i].By == Asked && !asked[i].bit():
			few++
		case !text[i]:
			bits++
		case s.columns[i].few():
			few++
		}
	}
	if bits > 0 && few <= bits {
		return texts // there is other data
	}
	labels := texts[:0]
	for _, i := range texts {
		if s.columns[i].few() && !used[i] {
			asked[i] = &Coding{Name: s.name(i), Kind: s.columns[i].wordsKind()}
		} else {
			labels = append(labels, i)
		}
	}
	return labels
}

// wordsKind returns whether the words of a category are steps of a scale.
func (c *columnStats) wordsKind() Kind {
	if scaleOf(c.allLevels()) != nil {
		return Ordinal
	}
	return Category
}

// withLevels returns a category with the words that the column has, if it does not say which there are.
func (c *columnStats) withLevels(of Coding) Coding {
	if of.Levels == nil {
		if of.Levels = c.allLevels(); of.Kind == Ordinal {
			inScale(of.Levels)
		}
	}
	return of
}

// ordered adds the columns whose words are those of an order to the categories.
func (in *input) ordered(s *survey, c Coding, asked map[int]*Coding) error {
	used, found := members(len(s.columns), in.used(s)), false
	for i := range s.columns {
		st := &s.columns[i]
		n, cells := 0, 0
		for word, times := range st.levels.all() {
			if wordAt(c.Levels, word) >= 0 {
				n, cells = n+1, cells+times
			}
		}
		if n >= 2 && 2*cells >= st.known() && !used[i] && asked[i] == nil {
			of := c
			of.Name, found = s.name(i), true
			asked[i] = &of
		}
	}
	if !found {
		return &FormatError{Msg: fmt.Sprintf("no column has the words %s", listShort(c.Levels)),
			Hint: "write them as the table does, or name the column: --column 'NAME=" + strings.Join(c.Levels, "<") + "'"}
	}
	return nil
}

// ExclusiveColumns returns which columns of a model, counted from 0, were made of one
// column of categories each: exactly one of them is on in a row that says the category.
// There are none in models of other data. The error is that of [PlanOf].
func ExclusiveColumns(m *patchwork.Model) ([][]int, error) {
	r, err := readingOf(m.Extras().Reading)
	if err != nil {
		return nil, err
	}
	return exclusive(m.Extras().Columns, r.Columns), nil
}

// Exclusive returns which columns of a table, counted from 0, were made of one column of
// categories each, as [ExclusiveColumns] does for a model of it.
func (s *Set) Exclusive() [][]int { return exclusive(s.Columns, s.Codings) }

// exclusive returns the columns of categories of which every value has one.
func exclusive(names []string, codings []Coding) [][]int {
	at := make(map[string]int, len(names))
	for i, name := range names {
		at[name] = i
	}
	var out [][]int
	for _, c := range codings {
		if c.Split != "" || c.Levels == nil {
			continue
		}
		var group []int
		for _, name := range c.columns() {
			if i, ok := at[name]; ok {
				group = append(group, i)
			}
		}
		if slices.Sort(group); len(group) == len(c.Levels) && len(group) > 1 {
			out = append(out, group)
		}
	}
	return out
}
