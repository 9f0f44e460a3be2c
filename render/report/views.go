package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/workbench"
)

// partView is a part as the page shows it.
type partView struct {
	Part
	Noun        string
	First, More []barView
	Tile        tile   // of parts of images
	Thumbs      []tile // typical images
}

const (
	votesShown = 10 // of a part, before the rest is folded away
	partsShown = 12 // the same of the parts
	numbersIn  = 12 // parts up to which the chart of pairs has numbers in its cells
)

// barView is a bar on a track with a mark; lengths are shares of the track.
type barView struct {
	Name           string
	From, Wide, At float64 // the bar, and the mark
	Marked         bool
	Says, Small    string
}

// farthest is where the tracks of numbers end, in deviations of the background.
const farthest = 4

// bar returns a vote as a bar: of a bit its probability, and a mark where it is otherwise; of numbers how far from
// otherwise, in the middle.
func (v Vote) bar() barView {
	says, small, _ := strings.Cut(v.Says, ", otherwise ")
	if v.Spread == 0 {
		return barView{v.Column, 0, v.Value, v.Otherwise, true, says, small}
	}
	at := max(-farthest, min(farthest, (v.Value-v.Otherwise)/v.Spread)) / (2 * farthest)
	return barView{v.Column, .5 + min(at, 0), math.Abs(at), .5, true, says, small}
}

// fold returns votes as bars, those beyond some apart.
func fold(all []Vote, most int) (first, more []barView) {
	for i, v := range all {
		if i < most {
			first = append(first, v.bar())
		} else {
			more = append(more, v.bar())
		}
	}
	return first, more
}

// partViews returns the parts, the most used first.
func (p *page) partViews() any {
	var out []partView
	for _, part := range byUse(p.Parts) {
		v := partView{Part: part, Noun: p.Noun()}
		implied := impliedVotes(p.set, part.Votes)
		v.First, v.More = fold(slices.DeleteFunc(slices.Clone(part.Votes), func(vote Vote) bool {
			return !vote.Clear() || implied[vote.Number]
		}), votesShown)
		if !p.Table {
			v.Tile = tileOf(workbench.Tile(p.model, part.Number), "template of "+part.Name)
			var at []int
			for _, t := range part.Typical {
				at = append(at, t.at)
			}
			for i, tiles := range p.drawn(at) {
				v.Thumbs = append(v.Thumbs, tileOf(tiles[min(1, len(tiles)-1)].Image, part.Typical[i].Name))
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
	var ground tile
	picture, what := workbench.Ground(p.model)
	if picture != nil {
		ground = tileOf(picture, what)
	}
	return struct {
		*Report
		Views, Rest []partView
		Ground      tile
		Values      []string
	}{p.Report, out[:first], out[first:], ground, values[:min(len(values), 2)]}
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
	for _, k := range activeParts(p.rows[i].Picks) {
		line.Uses = append(line.Uses, p.Parts[k])
	}
	return line
}

// columnsShown is how many columns are shown with what the parts leave of them.
const columnsShown = 40

// restView returns what is left over: of columns, the largest surprises, and the rows described worst.
func (p *page) restView() any {
	type line struct {
		Name, Left, Deviation string
		Share                 float64
	}
	columns := slices.DeleteFunc(slices.Clone(p.ByColumn), func(c Column) bool { return c.Known == 0 })
	slices.SortStableFunc(columns, func(x, y Column) int { return cmp.Compare(y.Rest(), x.Rest()) })
	var lines []line
	for _, c := range columns[:min(len(columns), columnsShown)] {
		lines = append(lines, line{c.Name, words.Digits(float64(c.Left)), words.Digits(float64(c.Deviation)),
			math.Sqrt(c.Rest())})
	}
	type odd struct {
		rowLine
		Cells []Cell
	}
	var worst []odd
	for _, i := range p.Unusual()[:min(len(p.ByRow), restLines)] {
		if p.ByRow[i].Known > 0 {
			worst = append(worst, odd{p.rowLine(i, nil), p.oddOf(i)})
		}
	}
	return struct {
		*Report
		Lines []line
		Worst []odd
		Cut   int
	}{p.Report, lines, worst, max(0, len(columns)-columnsShown)}
}

// missingView returns the predictions of unknown cells.
func (p *page) missingView() any {
	all := p.Missing.Predicted
	return struct {
		*Missing
		Lines []Cell
	}{p.Missing, all[:min(len(all), mostRows)]}
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
