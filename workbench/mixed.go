package workbench

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/modelfile"
)

// Mixed is a model of a table of columns of every kind.
type Mixed struct {
	*mixed.Model
	codings []*dataset.Coding // of the columns that stand for words, nil for others
}

// newMixed returns a model with the words that its columns stand for.
func newMixed(m *mixed.Model) (Mixed, error) {
	out := Mixed{Model: m}
	plan, err := out.Plan()
	if err != nil {
		return out, err
	}
	for d := range m.Columns {
		c := &m.Columns[d]
		coding := plan.Words(c.Name)
		if coding != nil && !coding.Says(c.Low) {
			return out, fmt.Errorf("column %q has levels for which its reading has no words", c.Name)
		}
		out.codings = append(out.codings, coding)
	}
	return out, nil
}

// spanOf returns between which numbers the values of a column lie, NaN if that is not known.
func spanOf(c *mixed.Column) (low, high float64) {
	switch n := len(c.High); {
	case c.Scale == nil && n > 0:
		return c.Low[0], c.High[n-1]
	case c.Scale == nil:
		return math.NaN(), math.NaN()
	case len(c.Scale.Values) > 0:
		return c.Scale.Values[0], c.Scale.Values[len(c.Scale.Values)-1]
	case c.Scale.Log:
		return c.Least, elem.Exp(c.Scale.Mean + 3*c.Scale.SD)
	}
	return c.Least, c.Scale.Mean + 3*c.Scale.SD
}

// Plan says how data are read for the model.
func (m Mixed) Plan() (*dataset.Plan, error) {
	p, err := dataset.PlanOf(m.Reading, m.ColumnNames(), 1, len(m.Columns), false)
	if err != nil {
		return nil, err
	}
	uses := make([]dataset.Use, len(m.Columns))
	for d := range uses {
		c := &m.Columns[d]
		uses[d].Low, uses[d].High = spanOf(c)
		for k := range m.Parts {
			uses[d].Voted = uses[d].Voted || m.Parts[k].Entries[d].Numbers > 0
		}
	}
	for i := 0; m.Graded != nil && m.ShowGraded && i < len(m.Graded.Axes); i++ {
		for _, part := range m.Graded.Loadings {
			d := m.Graded.Axes[i].Column
			uses[d].Voted = uses[d].Voted || part[i] != 0
		}
	}
	p.Uses(uses)
	return p, nil
}

// Write writes the model file.
func (m Mixed) Write(w io.Writer) error { return modelfile.WriteMixed(w, m.Model) }

// K returns the number of parts.
func (m Mixed) K() int { return len(m.Parts) }

// Names returns the names of the parts.
func (m Mixed) Names() []string { return m.PartNames() }

// ColumnNames returns the names of the columns.
func (m Mixed) ColumnNames() (names []string) {
	named := false
	for _, c := range m.Columns {
		names, named = append(names, c.Name), named || c.Name != ""
	}
	if !named {
		return nil
	}
	return names
}

// Moves returns false: columns stay.
func (m Mixed) Moves() bool { return false }

// Table returns true.
func (m Mixed) Table() bool { return true }

// Size says how many parts there are, and of how many columns.
func (m Mixed) Size() string { return sizeText(m.K(), 1, len(m.Columns)) + ", of every kind" }

// Name gives a part another name.
func (m Mixed) Name(k int, name string) (Model, error) {
	names, err := words.Renamed(m.Names(), m.K(), k, name)
	if err != nil {
		return m, err
	}
	out := *m.Model
	out.Parts = slices.Clone(out.Parts)
	for k := range out.Parts {
		if out.Parts[k].Name = ""; names != nil {
			out.Parts[k].Name = names[k]
		}
	}
	return Mixed{&out, m.codings}, nil
}

// called returns what column d is called.
func (m Mixed) called(d int) string {
	name := m.Columns[d].Name
	if c := m.codings[d]; c != nil {
		name = c.Name
	}
	return cmp.Or(words.Clean(name), fmt.Sprintf("column %d", d+1))
}

// Text returns a value of column d as people read it: the word that it stands for, or the number.
func (m Mixed) Text(d int, value float64) string {
	switch c := m.codings[d]; {
	case math.IsNaN(value):
		return ""
	case c != nil:
		return c.Word(int(value))
	}
	sixDigits, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 6, 64), 64)
	return strconv.FormatFloat(sixDigits, 'f', -1, 64)
}

// Words returns the words that the values 0, 1 and so on of each column of a model stand for, nil of numbers; nil of a
// model without words.
func Words(of Model) [][]string {
	m, ok := of.(Mixed)
	if !ok {
		return nil
	}
	out := make([][]string, len(m.Columns))
	for d := range out {
		if c := m.codings[d]; c != nil {
			for k := 0; c.Says([]float64{float64(k)}); k++ {
				out[d] = append(out[d], c.Word(k))
			}
		} else if m.yes(d) >= 0 {
			out[d] = []string{"no", "yes"}
		}
	}
	return out
}

// yes returns the level of a column of yes and no that means yes, -1 of others.
func (m Mixed) yes(d int) int {
	c := &m.Columns[d]
	n := len(c.Values)
	if c.Family == mixed.Levels && n > 0 && n <= 2 && c.Values[n-1] == 1 && (n == 1 || c.Values[0] == 0) {
		return n - 1
	}
	return -1
}

// Means returns the means that the parts say of each column, nil where they abstain, and those of all rows: of words
// the share of the word that a part names, and of all rows that of the commonest.
func (m Mixed) Means() (parts [][]*float64, everywhere []float64) {
	parts, everywhere = [][]*float64{}, make([]float64, len(m.Columns))
	for d := range m.Columns {
		c := &m.Columns[d]
		switch {
		case c.Family != mixed.Real && len(c.Values) == 0: // nothing was known
		case m.isWords(d):
			everywhere[d] = c.Share[m.level(d, nil)]
		default:
			everywhere[d] = mixed.CellOf(c, &c.All).Mean()
		}
	}
	for k := range m.Parts {
		row := make([]*float64, len(m.Columns))
		for _, v := range m.Part(k).Votes {
			row[v.Column] = &v.Value
		}
		parts = append(parts, row)
	}
	return parts, everywhere
}

// level returns the level of a column of words that is spoken of: yes, or else the word that an opinion changes most,
// of none the commonest.
func (m Mixed) level(d int, o *mixed.Opinion) int {
	if yes := m.yes(d); yes >= 0 {
		return yes
	}
	return m.Columns[d].Most(o)
}

// isWords reports whether a column has words, or yes and no, and no numbers.
func (m Mixed) isWords(d int) bool {
	return m.Columns[d].Family == mixed.Words || m.codings[d] != nil || m.yes(d) >= 0
}

// ReadableColumn is a column of a table as people read it: []string where its values stand for words, else []float64.
type ReadableColumn struct {
	Name   string
	Values any
}

// Readable returns the columns of rows of a table that has words among numbers; nil of other models.
func Readable(of Model, rows [][]float64) []ReadableColumn {
	m, ok := of.(Mixed)
	if !ok {
		return nil
	}
	out := make([]ReadableColumn, len(m.Columns))
	for d := range out {
		texts, numbers := make([]string, len(rows)), make([]float64, len(rows))
		for i, row := range rows {
			texts[i], numbers[i] = m.Text(d, row[d]), row[d]
		}
		if out[d] = (ReadableColumn{m.called(d), numbers}); m.codings[d] != nil {
			out[d].Values = texts
		}
	}
	return out
}

// mixedProfile says what a table has, and if it was recognised, why, and how to change it.
func (l *Learning) mixedProfile(facts *recipe.Facts) string {
	of := 0 // words
	for d := range l.data.Width {
		if l.data.Words(d) != nil {
			of++
		}
	}
	size := RowsText(facts.Rows, 1, facts.Width, true)
	if facts.Rows == 0 { // of a stream, whose rows are not counted yet
		size = words.Count(facts.Width, "column")
	}
	text := fmt.Sprintf("%s, %s of numbers, yes and no, and %d of words", size, words.Count(l.data.Width-of, "column"), of)
	if of == 0 {
		text = size + " of numbers, yes and no"
	}
	if l.data.Why == "" {
		return text
	}
	return fmt.Sprintf("%s, since %s (--column NAME=label leaves one out, show FILE says what each is)", text, l.data.Why)
}
