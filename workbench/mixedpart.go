package workbench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/render"
)

// Part describes a part. Its means are values: of words the number of that which the part names.
func (m Mixed) Part(k int) Part {
	p := &m.Parts[k]
	out := Part{Name: p.Name, Usage: p.Share, Means: slices.Repeat([]float64{math.NaN()}, len(m.Columns)),
		Deviations: slices.Repeat([]float64{math.NaN()}, len(m.Columns)), Elongation: 1}
	votes := p.Votes()
	strength := func(d int) float64 { return m.Columns[d].Strength(&m.Background[d], &p.Entries[d].Opinion) }
	slices.SortStableFunc(votes, func(a, b int) int { return cmp.Compare(strength(b), strength(a)) })
	var said []string
	for i, d := range votes {
		v := m.vote(d, &p.Entries[d].Opinion, i == 0)
		out.Votes = append(out.Votes, v)
		out.Means[d], out.Deviations[d] = v.Value, v.Spread
		if len(said) < wordsColumns {
			said = append(said, v.Name+" "+v.Words)
		}
	}
	out.Abstains, out.Says = len(m.Columns)-len(votes), strings.Join(said, ", ")
	if more := len(votes) - wordsColumns; more > 0 {
		out.Says += fmt.Sprintf(" and %d more", more)
	}
	out.Words = fmt.Sprintf("%s of rows: %s", words.Percent(p.Share), out.Says)
	return out
}

// raised is how much more often than in all rows a word comes that is said together with another.
const raised = 1.5

// vote says what an opinion says of column d, with what all rows are like in brackets: of words, and of yes and no, a
// share, and of numbers the mean. The first of several says what is in brackets.
func (m Mixed) vote(d int, o *mixed.Opinion, first bool) Vote {
	c, word := &m.Columns[d], ""
	v := Vote{Column: d, Name: m.called(d)}
	ofAll := map[bool]string{true: " of all"}[first]
	if m.isWords(d) {
		level := m.level(d, o)
		v.Value, v.Otherwise = o.P[level], c.Share[level]
		if m.codings[d] != nil || c.Family == mixed.Words {
			word = m.Text(d, c.Low[level]) + " "
		}
		value, all := v.Value, v.Otherwise
		if c.Family == mixed.Words && value > all {
			for l, p := range o.P {
				if l != level && p > float64(raised*c.Share[l]) && p > v.Value/3 {
					word += "or " + m.Text(d, c.Low[l]) + " "
					value, all = value+p, all+c.Share[l]
				}
			}
		}
		if c.Family == mixed.Levels && len(o.P) > 2 {
			word, value, all = m.scale(d, o)
		}
		v.Words = fmt.Sprintf("%s%s (%s%s)", word, words.Percent(value), words.Percent(all), ofAll)
		return v
	}
	all := mixed.CellOf(c, &c.All)
	v.Value, v.Otherwise, v.Spread = mixed.CellOf(c, o).Mean(), all.Mean(), all.Deviation()
	v.Words = fmt.Sprintf("about %s (%s%s)", words.Digits(v.Value), words.Digits(v.Otherwise), ofAll)
	return v
}

// scale says which end of a scale of words an opinion draws column d to, up to the level where that shows most: with
// the shares of these levels, by the opinion and in all rows.
func (m Mixed) scale(d int, o *mixed.Opinion) (word string, value, all float64) {
	c := &m.Columns[d]
	below, belowAll, most := 0.0, 0.0, -1.0
	for l := 1; l < len(o.P); l++ {
		below, belowAll = below+o.P[l-1], belowAll+c.Share[l-1]
		if math.Abs(below-belowAll) <= most {
			continue
		}
		most = math.Abs(below - belowAll)
		end, at := "at least ", l
		if value, all = 1-below, 1-belowAll; below > belowAll {
			end, at, value, all = "at most ", l-1, below, belowAll
		}
		if at == 0 || at == len(o.P)-1 {
			end = ""
		}
		word = end + m.Text(d, c.Low[at]) + " "
	}
	return word, value, all
}

// gradedPart says what graded part k goes up and down with, what it says most of first.
func (m Mixed) gradedPart(k int) string {
	g := m.Graded
	order := make([]int, len(g.Axes))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(g.Loadings[k][b]), math.Abs(g.Loadings[k][a]))
	})
	var said []string
	seen := map[int]bool{}
	for _, j := range order {
		d, v := g.Axes[j].Column, g.Loadings[k][j]
		if v == 0 || seen[d] {
			continue
		}
		seen[d] = true
		name := m.called(d)
		if l := g.Axes[j].Level(); l >= 0 && m.Columns[d].Family == mixed.Words {
			name += " " + m.Text(d, m.Columns[d].Low[l])
		}
		if v < 0 {
			name = "less " + name
		}
		said = append(said, name)
	}
	if len(said) == 0 {
		return "says nothing"
	}
	return strings.Join(said, ", ")
}

// deviation returns how far an opinion is from what all rows are like, in standard deviations, below or above.
func (m Mixed) deviation(d int, o *mixed.Opinion) float64 {
	c := &m.Columns[d]
	if c.Family != mixed.Words {
		return c.Shift(&c.All, o)
	}
	l := c.Most(o)
	return c.Strength(&c.All, o) * cmp.Or(float64(cmp.Compare(o.P[l], c.Share[l])), 1)
}

// Draw returns a picture of the parts: rows under the names of the columns, in deviations from what all rows are like.
func (m Mixed) Draw() (render.Picture, error) {
	var parts []render.Deviations
	for k := range m.Parts {
		name := Called(m, k) + " · " + words.Percent(m.Parts[k].Share)
		parts = append(parts, render.Deviations{Name: name, Values: m.deviations(k)})
	}
	return render.DeviationRows(words.Count(m.K(), "part")+" as deviations from all rows", m.titles(), parts), nil
}

// deviations returns how far what part k says is from what all rows are like, 0 where it abstains.
func (m Mixed) deviations(k int) []float64 {
	p, out := &m.Parts[k], make([]float64, len(m.Columns))
	for _, d := range p.Votes() {
		out[d] = m.deviation(d, &p.Entries[d].Opinion)
	}
	return out
}

// titles returns what the columns are called.
func (m Mixed) titles() []string {
	out := make([]string, len(m.Columns))
	for d := range out {
		out[d] = m.called(d)
	}
	return out
}

// Deviations returns how far what each part says is from what all rows are like, 0 where it abstains.
func (m Mixed) Deviations() (out [][]float64) {
	for k := range m.Parts {
		out = append(out, m.deviations(k))
	}
	return out
}
