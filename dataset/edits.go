package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/internal/enum"
)

// Edit says what a column is, as --column NAME=KIND does. In JSON it is {"column":"age","want":"bit>40"}.
type Edit struct {
	// Column is a name, a number from 1, or * for all.
	Column string `json:"column"`
	// Want is bit, bit>N (on is what is greater), bands (three, of about as many rows each), category, ordinal, count,
	// number, label, weight, split (several answers in a cell), unknown (left out), yes:WORD (on is that word, off
	// any other; WORD|WORD for several), half (of all columns: answers are cut in two), or its words in an order, such as never<weekly<daily,
	// which without a column is of all that have these words.
	Want string `json:"want"`
}

// wants are the words of an edit beside those with a number.
var wants = []string{"bit", "bands", "category", "ordinal", "count", "number", "label", "weight", "split", "unknown",
	"ignore", "half"}

// ParseEdit reads NAME=KIND.
func ParseEdit(text string) (Edit, error) {
	i := strings.LastIndexByte(text, '=')
	if i < 0 && orderOf(text) != nil {
		return Edit{Want: text}, nil
	}
	if i < 1 {
		return Edit{}, fmt.Errorf("give a column and what it is, such as age=number")
	}
	if name, least := strings.CutSuffix(text[:i], "=bit>"); least {
		return Edit{}, fmt.Errorf("yes is what is greater: give %s=bit>N, with N below %s", name, text[i+1:])
	}
	e := Edit{text[:i], text[i+1:]}
	_, err := e.cut()
	if !strings.HasPrefix(e.Want, "bit>") && !slices.Contains(wants, e.Want) && e.yes() == nil && orderOf(e.Want) == nil {
		err = fmt.Errorf("%q is no kind of column; give %s, yes:WORD or bit>N%s", e.Want, strings.Join(wants, ", "),
			enum.DidYouMean(e.Want, wants))
	}
	return e, err
}

// cut returns the number of bit>N.
func (e Edit) cut() (cuts []float64, err error) {
	text, found := strings.CutPrefix(e.Want, "bit>")
	if !found {
		return nil, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, fmt.Errorf("%q: give a number after bit>, such as bit>40", e.Want)
	}
	return []float64{v}, nil
}

// yesPrefix begins what an edit wants of a column of which some words are yes.
const yesPrefix = "yes:"

// yes returns the words for yes, any other being no; nil if the edit says nothing of these.
func (e Edit) yes() (words []string) {
	if text, found := strings.CutPrefix(e.Want, yesPrefix); found && text != "" {
		for word := range strings.SplitSeq(text, "|") {
			words = append(words, levelOf(strings.TrimSpace(word)))
		}
	}
	return words
}

// allColumns is the name of all columns in an edit.
const allColumns = "*"

// With returns options by which columns are what the edits say.
func (o Options) With(edits ...Edit) (Options, error) {
	for _, e := range edits {
		want := o.wanted(e.Column, 0)
		if _, err := e.cut(); err != nil {
			return o, err
		}
		switch {
		case want == e.Want:
			continue
		case want != "":
			return o, fmt.Errorf("%s is said to be %s and %s: say one of them", e.Column, want, e.Want)
		case e.Column != allColumns && e.Want == "half":
			return o, fmt.Errorf("%s=half: all columns are cut in two, as *=half; name a cut by bit>N", e.Column)
		case e.Column == allColumns && !slices.Contains([]string{"bit", "category", "number", "half"}, e.Want):
			return o, fmt.Errorf("*=%s: all columns may be bit, category or number; name the columns", e.Want)
		case e.Column == allColumns && e.Want == "bit":
			o.Kind = Bit
		case e.Want == "number", e.Want == "count":
			o.Kind = Number
		}
		o.Edits = append(slices.Clip(o.Edits), e)
	}
	return o, nil
}

// coding returns how a column is read that is to be a category, a scale, or cut; ok is false for others.
func (e Edit) coding() (c Coding, ok bool) {
	c = Coding{Name: e.Column, Kind: Category, By: Asked}
	switch e.Want {
	case "category":
	case "half":
		c.Kind = Bit
	case "ordinal":
		c.Kind = Ordinal
	case "split":
		c.Split = anySeparator
	case "bands":
		c.Cuts = []float64{}
	default:
		if words := e.yes(); words != nil {
			c.Kind, c.Levels, c.Off = Bit, words, []string{anyOther}
			return c, true
		}
		if order := orderOf(e.Want); order != nil {
			c.Kind, c.Levels = Ordinal, order
			return c, true
		}
		if c.Cuts, _ = e.cut(); c.Cuts == nil {
			return c, false
		}
		c.Kind, c.Levels = Bit, []string{"over " + strconv.FormatFloat(c.Cuts[0], 'f', -1, 64)}
	}
	return c, true
}

// categories returns the columns that are to be so, of several files with the values of all together.
func (o *Options) categories() (out []Coding) {
	for _, e := range o.Edits {
		if c, ok := e.coding(); ok && o.settled == nil {
			out = append(out, c)
		}
	}
	return append(out, o.settled...)
}

// wanted returns what the edits say of a column, "" for nothing.
func (o *Options) wanted(name string, number int) string {
	for _, e := range slices.Backward(o.Edits) {
		if e.Column == name || e.Column == strconv.Itoa(number) {
			return e.Want
		}
	}
	return ""
}

// said lists the columns that the edits say to be one of these.
func (o *Options) said(wants ...string) (names []string) {
	for _, e := range o.Edits {
		if slices.Contains(wants, e.Want) {
			names = append(names, e.Column)
		}
	}
	return names
}

// leftOut are the wants of columns to leave out.
var leftOut = []string{"unknown", "ignore"}

// weight returns the name of the weights that are asked for, "" for none.
func (o *Options) weight() string { return strings.Join(o.said("weight"), ",") }

// checkNamed returns an error if an edit or a code of missing values names a column that a table does not have, or an
// edit says of one of the model's what that does not.
func (in *input) checkNamed(s *survey) error {
	m := in.opts.Model
	for _, e := range in.opts.Edits {
		if e.Column == allColumns || e.Column == "" {
			continue
		}
		at, err := findColumns(s.names, len(s.columns), []string{e.Column})
		if err != nil && e.yes() != nil {
			continue // it is noted
		}
		if err != nil {
			name, cut, found := strings.Cut(e.Column, ">")
			if fe, ok := err.(*FormatError); ok && found && e.Want == "bit" {
				fe.Hint = "say " + columnFlag(name, "bit>"+cut)
			}
			return err
		}
		if m == nil || m.fields == nil || !slices.Contains(m.names, s.name(at[0])) {
			continue
		}
		want := "bit"
		if c := m.coded[s.name(at[0])]; c != nil {
			want = c.want()
		}
		if e.Want != want && !(e.Want == "number" && !m.Packed) {
			return &FormatError{Column: s.name(at[0]), Msg: fmt.Sprintf("is %s in the model, not %s", want, e.Want),
				Hint: "leave that out, or learn again with " + columnFlag(e.Column, e.Want)}
		}
	}
	for _, text := range in.opts.Missing {
		name, _ := codeColumn(text)
		if name == "" || s.names == nil || slices.Contains(in.opts.like().Missing, text) {
			continue
		}
		_, err := findColumns(s.names, len(s.columns), []string{name})
		if _, notName := strconv.Atoi(name); err != nil && notName != nil {
			return err
		}
	}
	return nil
}

// allNumbers is the flag by which all is learned as numbers.
const allNumbers = "--column '*=number'"

// columnFlag returns the flag that says what a column is.
func columnFlag(name, want string) string {
	return "--column " + shellWord(name+"="+want)
}

// missingFlag returns the flag that says what is unknown, CODE or NAME=CODE each; it is a list, so that texts with
// commas and quotes stand in quotes.
func missingFlag(codes ...string) string {
	codes = slices.Clone(codes)
	for i, text := range codes {
		if strings.ContainsAny(text, `",`) {
			codes[i] = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
	}
	return "--missing " + shellWord(strings.Join(codes, ","))
}

// shellWord returns a text as a shell takes it, and nothing in it.
func shellWord(text string) string {
	switch {
	case strings.ContainsAny(text, "\"$`!\\\n\r"):
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	case strings.ContainsAny(text, " \t'&;|()<>*?#[]{}~"):
		return `"` + text + `"`
	}
	return text
}

// orderOf returns the words of an order, least first, such as never<weekly<daily; nil if a text is none.
func orderOf(text string) []string {
	words := strings.Split(text, "<")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	if len(words) < 2 || slices.Contains(words, "") {
		return nil
	}
	return words
}
