// Package words says in words what a model's parts are: what they are called, how
// often they are used, which columns of a table they vote for and against, and what
// shape they have in images. It is what people read; programs read the numbers.
package words

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/patchwork"
)

// Interrupted says of a model that its record is of a run that was interrupted.
const Interrupted = "Learning was interrupted before it was done: the parts are the best that it had so far."

// Name returns what part k, from 0, is called: its name, or else its number for
// people, who count from 1: "part 4" for k = 3.
func Name(m *patchwork.Model, k int) string { return NameOf(m.Extras().Names, k) }

// NameOf returns what part k is called, given the names of all parts, nil for none.
func NameOf(names []string, k int) string {
	if names != nil && Clean(names[k]) != "" {
		return Clean(names[k])
	}
	return Numbered(k)
}

// Numbered returns part k, from 0, by its number for people, from 1: "part 1".
func Numbered(k int) string { return fmt.Sprintf("part %d", k+1) }

// Full returns what part k is called and its number: "bog (part 3)", or "part 3".
func Full(m *patchwork.Model, k int) string {
	if name := given(m, k); name != "" {
		return fmt.Sprintf("%s (%s)", name, Numbered(k))
	}
	return Numbered(k)
}

// given returns the name of part k, "" for none.
func given(m *patchwork.Model, k int) string {
	if names := m.Extras().Names; names != nil {
		return Clean(names[k])
	}
	return ""
}

// Column returns what column i of a table is called: its name, or else "column 4",
// counted from 1.
func Column(m *patchwork.Model, i int) string { return ColumnOf(m.Extras().Columns, i) }

// ColumnOf returns what column i is called, given the names of all columns, nil for none.
func ColumnOf(names []string, i int) string {
	if names != nil && Clean(names[i]) != "" {
		return Clean(names[i])
	}
	return fmt.Sprintf("column %d", i+1)
}

// Clean returns a name on one line and without what would control a terminal.
func Clean(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, name)
	return strings.Join(strings.Fields(name), " ")
}

// Visible returns text as it may go to a terminal or into a page: names and messages may come from files,
// whose control characters could move the cursor or change the title, and whose marks of
// direction could hide what was said. What Unseen reports becomes U+FFFD; line ends and tabs stay.
func Visible(text string) string {
	if strings.IndexFunc(text, Unseen) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if Unseen(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// Unseen reports whether a character controls a terminal, or cannot be seen: marks of direction, breaks of lines and
// paragraphs, blanks of no width, and all else that Unicode calls a format character. So two names that look alike
// are alike. Joiners inside of words are among them, though some scripts use them there; the Arabic signs that go
// before a number are seen, and stay.
func Unseen(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// Count returns a number with its noun, such as 1 row or 2 rows.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "ry"); ok { // category, entry
		return fmt.Sprintf("%d %sries", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Listed joins up to so many names, and says how many more there are.
func Listed(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s, and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Clip returns a text that is cut, where it is longer, to so many characters.
func Clip(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// MaxName is the length of the longest name that Rename gives, in characters.
const MaxName = 200

// Or joins the names of a choice: "a, b or c".
func Or(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Rename returns the model with another name for part k; an empty one removes it. The
// error says why a name cannot be given: it is too long, has control characters, or is
// that of another part.
func Rename(m *patchwork.Model, k int, name string) (*patchwork.Model, error) {
	e := m.Extras()
	names, err := Renamed(e.Names, m.K(), k, name)
	if err != nil {
		return nil, err
	}
	e.Names = names
	return m.WithExtras(e)
}

// Renamed returns the names of n parts with another one for part k; nil if none has a name.
func Renamed(old []string, n, k int, name string) ([]string, error) {
	name = strings.TrimSpace(name)
	switch {
	case k < 0 || k >= n:
		return nil, fmt.Errorf("there is no part %d; the model has %d, from 1", k+1, n)
	case utf8.RuneCountInString(name) > MaxName:
		return nil, fmt.Errorf("the name has %d characters; at most %d are kept", utf8.RuneCountInString(name), MaxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return nil, fmt.Errorf("the name %q has control characters", name)
	}
	if Clean(name) == "" {
		name = "" // nothing of it can be read
	}
	names := make([]string, n)
	copy(names, old)
	for other, given := range names {
		if other != k && name != "" && (strings.EqualFold(Clean(name), Clean(given)) || Clean(name) == Numbered(other)) {
			return nil, fmt.Errorf("part %d is called %q already", other+1, name)
		}
	}
	names[k] = name
	if strings.Join(names, "") == "" {
		return nil, nil
	}
	return names, nil
}

// Vote is what a part says of a column, or of a pixel.
type Vote struct {
	Column     int     // or pixel, row-major, from 0
	P          float64 // the probability of 1 where only this part is active
	Background float64 // where no part is
}

// For reports whether the part speaks for the column, not against it.
func (v Vote) For() bool { return v.P > v.Background }

// strength is by how much the part changes the probability.
func (v Vote) strength() float64 { return math.Abs(v.P - v.Background) }

// Votes returns the votes of part k, the strongest first.
func Votes(m *patchwork.Model, k int) []Vote {
	var out []Vote
	for i, p := range m.Template(k) {
		q := m.Abstention(i)
		if p > q || p < q && m.Config().Rule.TwoSided() {
			out = append(out, Vote{i, p, q})
		}
	}
	slices.SortStableFunc(out, func(a, b Vote) int { return cmp.Compare(b.strength(), a.strength()) })
	return out
}

// audible is the least strength of a vote that words mention; a part without any says
// its strongest.
const audible = 0.1

// Part returns a part in words: how often it is used, and then for a table up to most
// columns each that it speaks for and against, the strongest, with their
// probabilities:
//
//	26 % of rows: Veronica minor 87 %, Poa repens 82 % and 3 more; not Salix 4 %
//
// or for images the shape of its ink and where it is:
//
//	40 % of images: an upright stroke of 41 x 5 pixels at the centre
func Part(m *patchwork.Model, k, most int) string {
	if usage := m.Extras().Usage; usage != nil {
		return Percent(usage[k]) + " of " + NounsOf(m.Height() == 1).Image + "s: " + Says(m, k, most)
	}
	return Says(m, k, most)
}

// Says is [Part] without how often the part is used.
func Says(m *patchwork.Model, k, most int) string {
	if m.Height() == 1 {
		return Columns(m.Extras().Columns, Votes(m, k), most)
	}
	return ShapeOf(m, k).String()
}

// Columns returns the votes of a table's part in words, with the names of all columns, nil for none.
func Columns(names []string, votes []Vote, most int) string {
	loud := slices.IndexFunc(votes, func(v Vote) bool { return v.strength() < audible })
	if loud > 0 {
		votes = votes[:loud]
	} else if loud == 0 {
		votes = votes[:1]
	}
	say := func(side bool) string {
		var out []string
		more := 0
		for _, v := range votes {
			switch {
			case v.For() != side:
			case len(out) == most:
				more++
			default:
				out = append(out, map[bool]string{false: "not "}[side]+ColumnOf(names, v.Column)+" "+Percent(v.P))
			}
		}
		text := strings.Join(out, ", ")
		if more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		return text
	}
	pro, con := say(true), say(false)
	switch {
	case pro == "" && con == "":
		return "no vote on any column"
	case con == "":
		return pro
	case pro == "":
		return con
	}
	return pro + "; " + con
}

// Shares says what the shares of a model's parts are, where it is not what a reader
// would think: those of a table learned softly. It is empty for other models.
func Shares(m *patchwork.Model) string {
	if e := m.Extras(); e.Usage == nil || e.Record.Method != "soft" {
		return ""
	}
	return "shares of rows: every explanation of a row counts by its probability; explain tells the best one"
}

// PercentFine returns a share as a percentage with a digit after the point where it is
// small, and a dash for none. A share that is not 0 or 1 is not rounded to them.
func PercentFine(share float64) string {
	switch p := 100 * share; {
	case math.IsNaN(p):
		return "–"
	case p != 0 && p < 0.05:
		return "< 0.1 %"
	case p > 99.95 && p < 100:
		return "> 99.9 %"
	case p < 9.95 && p != float64(int(p)):
		return fmt.Sprintf("%.1f %%", p)
	default:
		return fmt.Sprintf("%.0f %%", p)
	}
}

// Percent returns a share as a percentage, without decimals; a share that is not 0 or 1
// is not rounded to them.
func Percent(share float64) string {
	switch p := math.Round(100 * share); {
	case p == 0 && share > 0:
		return "<1 %"
	case p == 100 && share < 1:
		return ">99 %"
	default:
		return fmt.Sprintf("%.0f %%", p)
	}
}
