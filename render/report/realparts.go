package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/real"
)

// parts says what the parts are, who uses them, and what the values of those rows are on average.
func (b *realBuilder) parts() {
	r, m := b.r, b.r.Numbers.model
	for k := range m.K() {
		r.Parts = append(r.Parts, Part{Number: k, Name: words.NameOf(m.Names, k), Words: words.RealPart(m, k, wordsColumns)})
	}
	b.use()
	for k := range r.Parts {
		votes := []RealVote{}
		for _, v := range words.RealVotes(m, k) {
			one := RealVote{Number: v.At + 1, Mean: v.Mean, Deviation: v.Deviation, Own: v.OwnDeviation, Before: v.Before,
				Otherwise: v.Otherwise, Among: Number(math.NaN()), bit: v.Bit}
			if r.Table {
				one.Column = words.RealColumn(m, v.At)
			}
			if !m.Moves() {
				one.Among = b.among(k, v.At)
			}
			votes = append(votes, one)
		}
		r.PartVotes = append(r.PartVotes, votes)
	}
}

// among returns the mean of a value over the rows that use part k; NaN if there are none.
func (b *realBuilder) among(k, d int) Number {
	sum, n := 0.0, 0
	for i, e := range b.found {
		x := b.set.Values[i][d]
		if !math.IsNaN(x) && slices.Contains(activeParts(e.Picks), k) {
			sum, n = sum+x, n+1
		}
	}
	return Number(sum / float64(n))
}

// columns compares what is left of each column of a table with its deviation.
func (b *realBuilder) columns() {
	if !b.r.Table {
		return
	}
	for d := range b.r.Width {
		c := RealColumn{Number: d + 1, Name: words.RealColumn(b.r.Numbers.model, d)}
		var values []float64
		left := 0.0
		for i, e := range b.rows {
			if x := b.set.Values[i][d]; !math.IsNaN(x) {
				values, left = append(values, x), left+float64(e.left[d]*e.left[d])
			}
		}
		mean, squares := 0.0, 0.0
		c.Known = len(values)
		for _, x := range values {
			mean += x / float64(len(values))
		}
		for _, x := range values {
			squares += (x - mean) * (x - mean) / float64(len(values))
		}
		c.Mean, c.Deviation, c.Left = Number(mean), Number(math.Sqrt(squares)), Number(math.Sqrt(left/float64(c.Known)))
		b.r.RealColumns = append(b.r.RealColumns, c)
	}
}

// work works out rows of a table: for each number of parts in turn those that are used most, spread over the data.
func (b *realBuilder) work() {
	r, m := b.r, b.r.Numbers.model
	r.Worked = []RealRow{}
	if !r.Table {
		return
	}
	for _, i := range r.spread(workedRows) {
		w := RealRow{Row: r.ByRow[i], at: i}
		type said struct {
			cell RealCell
			by   float64 // strength of what the parts say
		}
		var cells []said
		for d, x := range b.set.Values[i] {
			mix := m.Compose(d, r.found[i].Picks)
			low, high := ends(mix)
			c := b.cell(i, d, x, mix.Mean(), math.Sqrt(mix.Variance()), low, high)
			if math.IsNaN(x) { // not by the best explanation alone
				at := slices.IndexFunc(b.rows[i].unknown, func(u RealCell) bool { return u.Number == d+1 })
				c = b.rows[i].unknown[at]
			}
			cells = append(cells, said{c, real.Normal{Mean: mix.Mean(), Var: mix.Variance()}.Strength(m.Background[d])})
		}
		slices.SortStableFunc(cells, func(x, y said) int { return cmp.Compare(y.by, x.by) })
		for _, c := range cells {
			w.Cells = append(w.Cells, c.cell)
		}
		r.Worked = append(r.Worked, w)
	}
}

// spread returns so many rows at the most, spread evenly over the data.
func (r *Report) spread(most int) []int {
	var out []int
	n := min(r.Rows, most)
	for j := range n {
		out = append(out, j*r.Rows/n)
	}
	return out
}

// summary says in a few sentences what the numbers say.
func (b *realBuilder) summary() []string {
	r := b.r
	out := said([]string{r.sayParts()}, r.sayInterrupted())
	if len(r.Parts) > 0 {
		p := byUse(r.Parts)[0]
		out = append(out, fmt.Sprintf("%s is used most, in %s of the %ss: %s.", sentence(p.Name), percent(p.Share), r.Noun(),
			p.Words))
	}
	out = said(out, r.sayLabel(), r.sayTogether())
	if r.Table {
		best := slices.Clone(r.RealColumns)
		slices.SortStableFunc(best, func(x, y RealColumn) int { return cmp.Compare(x.share(), y.share()) })
		var most []string
		for _, c := range best[:min(len(best), 3)] {
			if c.share() < .9 {
				most = append(most, fmt.Sprintf("%s of that of %s", percent(1-c.share()), c.Name))
			}
		}
		if len(most) > 0 {
			out = append(out, "Of the variance of the columns the parts take away most: "+strings.Join(most, ", ")+".")
		}
	}
	if r.Unknown > 0 {
		out = append(out, fmt.Sprintf("%s %s unknown and predicted with an interval.", plural(r.Unknown, r.cell()),
			map[bool]string{true: "is", false: "are"}[r.Unknown == 1]))
	}
	return out
}

// share returns how much of the column's variance the parts leave; 1 where there is none.
func (c RealColumn) share() float64 {
	if s := float64(c.Left*c.Left) / float64(c.Deviation*c.Deviation); s >= 0 {
		return s
	}
	return 1
}
