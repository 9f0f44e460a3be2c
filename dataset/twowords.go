package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// bit reports whether the category is one bit: Levels has the words for yes, Off those for no, or numbers are cut in
// two.
func (c *Coding) bit() bool { return len(c.Off) > 0 || len(c.Cuts) == 1 }

// anyOther stands in Off of a column of which the words for yes were said, for all others.
const anyOther = "*"

// keyed reports whether the words for yes were said, as right answers are.
func (c *Coding) keyed() bool { return len(c.Off) == 1 && c.Off[0] == anyOther }

// noteKey says which answers for yes are of no column, or given by nobody, and which columns have none.
func (p *tablePlan) noteKey(in *input, s *survey) {
	var absent, never, without []string
	asked := false
	for _, e := range in.opts.Edits {
		words := e.yes()
		if words == nil {
			continue
		}
		at, err := findColumns(s.names, len(s.columns), []string{e.Column})
		if asked = true; err != nil {
			absent = append(absent, e.Column)
		} else if all := s.columns[at[0]].allLevels(); !slices.ContainsFunc(words, func(w string) bool {
			return wordAt(all, w) >= 0
		}) {
			never = append(never, s.name(at[0]))
		}
	}
	for _, d := range p.pixels {
		if asked && !d.keyed() {
			without = append(without, s.name(d.column))
		}
	}
	for _, said := range []struct {
		names []string
		text  string
	}{{absent, "the answers for yes are also of %s, which the table does not have"},
		{never, "no row has the answer for yes in %s"},
		{without, "which answer is yes is not said of %s, which is taken as without a key"}} {
		if len(said.names) > 0 {
			p.note(said.text, andList(slices.Compact(said.names)))
		}
	}
}

// bitName returns the name of the bit. It has the word for yes, unless that says no more than yes, or
// there are several.
func (c *Coding) bitName() string {
	yes := c.Levels[0]
	if len(c.Cuts) == 1 {
		return c.Name + ">" + strconv.FormatFloat(c.Cuts[0], 'f', -1, 64)
	}
	if yes == "1" || c.keyed() || len(c.Levels) > 1 || meaning(yes) == yesToken || strings.EqualFold(yes, c.Name) {
		return c.Name
	}
	return c.Name + "=" + yes
}

// meaning returns what a word of two means by itself, also where a single letter is a word like any other: f beside m.
func meaning(word string) token {
	word = uncoded(word)
	switch t, _ := tokenOf(word); {
	case t == minusToken:
		return noToken
	case len(word) == 1 && t != plusToken:
		return textToken
	case t == xToken || t == plusToken:
		return yesToken
	default:
		return t
	}
}

// optionsAmong returns how many columns have one word only, beside empty cells, as those of the answers to choose from
// have.
func optionsAmong(columns []columnStats) (n int) {
	for i := range columns {
		n += btoi(columns[i].isAnswer())
	}
	return n
}

// isAnswer reports whether a column has one word, and again, and empty cells.
func (c *columnStats) isAnswer() bool {
	return c.levels.n == 1 && c.known() > 1 && c.count(textToken) == c.known() && c.count(blankToken) > 0
}

// bitWords returns the word for yes, and those for no, of a column that has two words, or one and empty cells, or 1
// and 2 only; "" for all others. Words that occur once each, and one word in nearly all cells, are labels unless a bit
// is asked for.
func (c *columnStats) bitWords(v vocabularies, asked bool) (yes string, off []string) {
	if class, _ := c.classOf(v); c.many || class == bitClass || c.levels.n > 2 || c.digits[0] > 0 {
		return "", nil
	}
	var words []string
	for word := range c.levels.all() {
		words = append(words, word)
	}
	slices.Sort(words)
	text := c.known() == c.sum(textToken, yesToken, noToken, minusToken, plusToken, xToken, aToken, pToken)
	blank := c.count(blankToken)
	switch {
	case len(words) == 1 && words[0] == "2" && (v.ones2 || asked):
		return "1", words
	case !text || len(words) == 0:
		return "", nil
	case len(words) == 2 && blank > 0 && c.sum(xToken, plusToken) > 0: // a mark, and a slip
		k := slices.IndexFunc(words, func(w string) bool { t, _ := tokenOf(w); return t == xToken || t == plusToken })
		if k < 0 || !asked {
			return "", nil
		}
		return words[k], []string{""}
	case len(words) == 2 && (asked || 2*len(words) <= c.known()):
		if k := c.yesOf(words); k == 1 {
			slices.Reverse(words)
		}
		return words[0], words[1:]
	case len(words) == 1 && c.count(textToken) == c.known() && blank > 0 &&
		(asked || v.options > 1 || c.known() > 1 && 10*blank >= c.cells()):
		return words[0], []string{""}
	}
	return "", nil
}

// yesOf returns which of two words means yes: the one that a table knows or that the other denies, else the rarer,
// or the first in the alphabet.
func (c *columnStats) yesOf(words []string) int {
	for k, word := range words {
		other := strings.ToLower(words[1-k])
		denied, found := strings.CutSuffix(other, strings.ToLower(word))
		denies := found && slices.Contains([]string{"not ", "no ", "non ", "non-", "un", "never "}, denied)
		if meaning(word) == yesToken || denies {
			return k
		}
		if meaning(word) == noToken {
			return 1 - k
		}
	}
	return btoi(c.levels.count(words[1]) < c.levels.count(words[0]))
}

// bitsOfWords adds such columns to the categories.
func (in *input) bitsOfWords(s *survey, asked map[int]*Coding) {
	used := members(len(s.columns), in.used(s))
	for i := range s.columns {
		if used[i] || asked[i] != nil {
			continue
		}
		wanted := in.opts.wanted(s.name(i), i+1) == "bit"
		yes, off := s.columns[i].bitWords(s.vocabularies, wanted)
		if yes != "" && (yes != "1" || in.rule.threshold == nil) {
			asked[i] = &Coding{Name: s.name(i), Kind: Bit, Levels: []string{yes}, Off: off}
		}
	}
}

// noteBits says which word of such columns means yes.
func (p *tablePlan) noteBits() {
	var ways, ones, keyed, flags []string
	var order [][2]string
	names := map[[2]string][]string{}
	for i := range p.codings {
		c := &p.codings[i]
		way := [2]string{strings.Join(c.Levels, " or "), strings.Join(c.Off, " or ")}
		if len(c.Cuts) == 1 && c.By == Seen {
			way[1] = "not " + way[0]
		}
		if way[1] == "" {
			continue
		}
		if names[way] == nil {
			order = append(order, way)
		}
		names[way] = append(names[way], c.Name)
	}
	for _, way := range order {
		text := fmt.Sprintf("%s in %s (no is %s)", shortName(way[0]), andList(names[way]), shortName(way[1]))
		if way[1] == anyOther {
			keyed = append(keyed, shortName(way[0])+" in "+andList(names[way]))
		} else if way[0] == "1" {
			ones = append(ones, text)
		} else {
			ways = append(ways, text)
			flags = append(flags, columnFlag(names[way][0], "label"))
		}
	}
	if len(keyed) > 0 {
		p.note("yes is %s, and no any other answer", andList(keyed))
	}
	if len(ones) > 0 {
		p.note("yes is %s; --threshold 1 makes 2 yes", andList(ones))
	}
	if len(ways) > 0 {
		p.fix("yes is "+andList(ways), flags[:min(len(flags), 3)]...)
	}
}
