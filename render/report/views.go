package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"example.com/patchwork/dataset"
	"example.com/patchwork/render"
)

// partView is a part as the page shows it.
type partView struct {
	Part
	Noun     string
	Pro, Con []Vote // clear ones, the first of each
	More     []Vote // the others
	Tile     tile   // of parts of images
	Thumbs   []tile // typical images
}

const (
	votesShown = 10 // of a part, before the rest is folded away
	partsShown = 12 // the same of the parts
	numbersIn  = 12 // parts up to which the chart of pairs has numbers in its cells
)

// partViews returns the parts, the most used first.
func (p *page) partViews() any {
	var out []partView
	for _, part := range byUse(p.Parts) {
		v := partView{Part: part, Noun: p.Noun()}
		implied := impliedVotes(p.set, part.Votes)
		for _, vote := range part.Votes {
			switch {
			case !vote.Clear(), implied[vote.Number]: // not shown
			case len(v.Pro)+len(v.Con) >= votesShown:
				v.More = append(v.More, vote)
			case vote.For():
				v.Pro = append(v.Pro, vote)
			default:
				v.Con = append(v.Con, vote)
			}
		}
		if !p.Table {
			v.Tile = p.partTile(part.Number)
			for _, t := range part.Typical {
				v.Thumbs = append(v.Thumbs, tileOf(render.Overlay(p.model, p.set.Images[t.at], p.picks[t.at]), t.Name))
			}
		}
		out = append(out, v)
	}
	first := min(len(out), partsShown)
	var values []string // of a category, for example
	if groups := p.set.Exclusive(); len(groups) > 0 {
		for _, i := range groups[0] {
			values = append(values, p.set.Columns[i])
		}
	}
	return struct {
		*Report
		Views, Rest []partView
		Mean        tile
		Values      []string
	}{p.Report, out[:first], out[first:], p.meanTile(), values[:min(len(values), 2)]}
}

// impliedVotes returns the columns that a part votes against only because it votes for
// another value of the same category: of the values of one column, a row has one.
func impliedVotes(set *dataset.Set, votes []Vote) map[int]bool {
	out := map[int]bool{}
	for _, group := range set.Exclusive() {
		in := func(v Vote) bool { return slices.Contains(group, v.Number-1) }
		if !slices.ContainsFunc(votes, func(v Vote) bool { return in(v) && v.For() && v.Clear() }) {
			continue
		}
		for _, v := range votes {
			if in(v) && !v.For() {
				out[v.Number] = true
			}
		}
	}
	return out
}

// bar is a bar of a histogram.
type bar struct {
	Label  string
	To     string // continues the label where there is room
	Rows   int64
	Share  float64
	Height float64 // in per cent of the highest
}

// barsShown are the numbers of parts that have a bar of their own.
const barsShown = 7

// countBars returns how many rows use 0, 1, 2, ... parts.
func (p *page) countBars() any {
	var out []bar
	highest, mean := int64(1), 0.0
	for n, rows := range p.PartCounts {
		highest = max(highest, rows)
		mean += float64(float64(n) * p.share(rows))
	}
	most := int64(0) // rows with more parts than there are bars
	for n, rows := range p.PartCounts {
		if n < barsShown {
			out = append(out, bar{plural(int64(n), "part"), "", rows, p.share(rows), 100 * float64(rows) / float64(highest)})
		} else {
			most += rows
		}
	}
	out[0].Label = "no part"
	if most > 0 {
		out = append(out, bar{fmt.Sprintf("%d+ parts", barsShown), "", most, p.share(most),
			100 * float64(most) / float64(max(highest, most))})
	}
	return struct {
		*Report
		Bars []bar
		Mean float64
	}{p.Report, out, mean}
}

// binBars returns the histogram of the predictions of unknown cells.
func binBars(bins [10]int) []bar {
	highest := max(slices.Max(bins[:]), 1)
	var out []bar
	for i, n := range bins {
		to := fmt.Sprintf("–%d", 10*i+10)
		if i == len(bins)-1 {
			to = "+"
		}
		out = append(out, bar{Label: strconv.Itoa(10 * i), To: to, Rows: int64(n),
			Height: 100 * float64(n) / float64(highest)})
	}
	return out
}

// labelView is a cross table as the page shows it.
type labelView struct {
	Label
	Lines []labelLine
	None  []float64 // share of the rows with each value that use no part
}

type labelLine struct {
	Part  Part
	Cells []LabelPart
}

func (p *page) labelViews() any {
	var out []labelView
	for _, l := range p.Labels {
		v := labelView{Label: l}
		for _, part := range p.shown() {
			line := labelLine{Part: part}
			for _, value := range l.Values {
				line.Cells = append(line.Cells, value.Parts[part.Number])
			}
			v.Lines = append(v.Lines, line)
		}
		for _, value := range l.Values {
			v.None = append(v.None, float64(value.None)/float64(max(value.Rows, 1)))
		}
		out = append(out, v)
	}
	return struct {
		*Report
		Views []labelView
		Cut   int
	}{p.Report, out, len(p.Parts) - len(p.shown())}
}

// heatLine is a row of the chart of pairs.
type heatLine struct {
	Part  Part
	Cells []*Pair // nil on the diagonal
}

func (p *page) heatView() any {
	parts := p.shown()
	at := map[[2]int]*Pair{}
	for i := range p.Together {
		pair := &p.Together[i]
		at[[2]int{pair.A, pair.B}], at[[2]int{pair.B, pair.A}] = pair, pair
	}
	var lines []heatLine
	for _, a := range parts {
		line := heatLine{Part: a}
		for _, b := range parts {
			line.Cells = append(line.Cells, at[[2]int{a.Number, b.Number}])
		}
		lines = append(lines, line)
	}
	// The pairs furthest from chance, in words.
	var far []Pair
	for _, pair := range p.Together {
		if math.Abs(float64(pair.Z)) >= beyond {
			far = append(far, pair)
		}
	}
	slices.SortStableFunc(far, func(x, y Pair) int {
		return cmp.Compare(math.Abs(float64(y.Z)), math.Abs(float64(x.Z)))
	})
	return struct {
		*Report
		Heads []Part
		Lines []heatLine
		Far   []Pair
		Cut   int
		Small bool // no room for numbers
	}{p.Report, parts, lines, far[:min(len(far), 6)], len(p.Parts) - len(parts), len(parts) > numbersIn}
}

const (
	mostRows  = 400 // of which the table of rows shows all
	someRows  = 100 // otherwise shown, of the most unusual and of the most ordinary
	restLines = 12
)

// rowLine is a row of the table of rows.
type rowLine struct {
	Row
	Labels []string
	Uses   []Part
}

func (p *page) rowView() any {
	order := p.Unusual()
	what := "All rows"
	if len(order) > mostRows {
		what = "The most unusual and the most ordinary rows, and the most typical ones of each part"
		order = p.selected(order)
	}
	slices.Sort(order)
	var heads []string
	for _, l := range p.Labels {
		heads = append(heads, l.Name)
	}
	heads = heads[:min(len(heads), 3)]
	var lines []rowLine
	for _, i := range order {
		lines = append(lines, p.rowLine(i, heads))
	}
	return struct {
		*Report
		What  string
		Heads []string
		Lines []rowLine
	}{p.Report, what, heads, lines}
}

// selected returns some rows of many, of an order by unusualness.
func (p *page) selected(order []int) []int {
	some := slices.Clone(order[:someRows])
	some = append(some, order[len(order)-someRows:]...)
	typical := map[int]bool{}
	for _, part := range p.Parts {
		for _, t := range part.Typical {
			typical[t.Row] = true
		}
	}
	for i, row := range p.ByRow {
		if typical[row.Row] {
			some = append(some, i)
		}
	}
	slices.Sort(some)
	return slices.Compact(some)
}

func (p *page) rowLine(i int, heads []string) rowLine {
	line := rowLine{Row: p.ByRow[i]}
	for _, name := range heads {
		for _, c := range p.set.Meta {
			if c.Name == name {
				line.Labels = append(line.Labels, c.Text(i))
			}
		}
	}
	for _, k := range activeParts(p.picks[i]) {
		line.Uses = append(line.Uses, p.Parts[k])
	}
	return line
}

// restView returns the columns and rows with most that is not explained.
func (p *page) restView() any {
	columns := slices.Clone(p.ByColumn)
	slices.SortStableFunc(columns, func(x, y Column) int {
		return cmp.Compare(y.Left(p.Weight), x.Left(p.Weight))
	})
	total, worst := 0.0, 0.0
	for _, c := range columns {
		total += c.Left(p.Weight)
		worst = max(worst, float64(c.ByShare)*float64(c.Known)/float64(p.Weight))
	}
	type line struct {
		Column
		Left, Before, Share, Wide, Full float64
	}
	var lines []line
	for _, c := range columns[:min(len(columns), restLines)] {
		left, before := c.Left(p.Weight), float64(c.ByShare)*float64(c.Known)/float64(p.Weight)
		lines = append(lines, line{c, left, before, left / total, left / worst, before / worst})
	}
	var rows []rowLine
	for _, i := range p.Unusual()[:min(len(p.ByRow), restLines)] {
		if p.ByRow[i].Known > 0 {
			rows = append(rows, p.rowLine(i, nil))
		}
	}
	for i := range rows {
		s := slices.Clone(rows[i].Surprises)
		slices.SortStableFunc(s, func(x, y Surprise) int { return cmp.Compare(x.Probability, y.Probability) })
		rows[i].Surprises = s
	}
	return struct {
		*Report
		Columns []line
		Odd     []rowLine
	}{p.Report, lines, rows}
}

// qualityView returns the methods with their bars.
func (p *page) qualityView() any {
	type line struct {
		Method
		Low, High, Wide float64   // shares of the longest bar
		Dots            []float64 // the same of the folds
	}
	var lines []line
	if q := p.Quality; q != nil {
		longest := 0.0
		for _, m := range q.By {
			longest = max(longest, float64(m.LogLoss), slices.Max(m.Folds))
		}
		longest *= 1.03 // room for the last ring
		for _, m := range q.By {
			l := line{Method: m, Wide: float64(m.LogLoss) / longest, Low: slices.Min(m.Folds), High: slices.Max(m.Folds)}
			for _, v := range m.Folds {
				l.Dots = append(l.Dots, v/longest)
			}
			lines = append(lines, l)
		}
	}
	return struct {
		*Report
		Lines []line
		Cell  string
	}{p.Report, lines, p.cell()}
}

// stabilityView returns the parts, the most used first, with how they came back.
func (p *page) stabilityView() any {
	type line struct {
		Part
		Back Returning
	}
	var lines []line
	if p.Stability != nil {
		for _, part := range byUse(p.Parts) {
			lines = append(lines, line{part, p.Stability.Parts[part.Number]})
		}
	}
	return struct {
		*Report
		Lines []line
		Same  float64
	}{p.Report, lines, same}
}
