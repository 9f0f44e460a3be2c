package report

import (
	"cmp"
	_ "embed" // the templates of the sections
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/render"
)

//go:embed real.html
var realHTML string

// realPage is what the templates see of numbers.
type realPage struct {
	*page
	scale render.RealScale
}

// leadView is the top of the page.
func (p *realPage) leadView() any {
	r := p.Report
	facts := append(r.facts(), fact{fixed(2, r.LogLik-r.BaseLogLik), "nats gained per " + r.Noun()})
	return struct {
		*Report
		Links []render.Section
		Facts []fact
		Moves bool
	}{r, p.sections, facts, r.Numbers.model.Moves()}
}

// realVoteView is a vote as a bar: From and Wide are shares of the track.
type realVoteView struct {
	Column     string
	From, Wide float64
	Says       string // the vote, and what is said otherwise
}

// farthest is where the tracks of bars end, in deviations of the background.
const farthest = 4

// voteViews returns votes as bars.
func voteViews(votes []RealVote) []realVoteView {
	var out []realVoteView
	for _, v := range votes {
		at := max(-farthest, min(farthest, (v.Mean-v.Before)/v.Otherwise)) / (2 * farthest)
		said := words.RealVote{Mean: v.Mean, Deviation: v.Deviation, Before: v.Before, Bit: v.bit}
		out = append(out, realVoteView{v.Column, .5 + min(at, 0), math.Abs(at), said.String()})
	}
	return out
}

// partViews returns the parts, the most used first.
func (p *realPage) partViews() any {
	type view struct {
		Part
		Noun        string
		First, More []realVoteView
		Tile        tile
		Thumbs      []tile
	}
	var out []view
	m := p.Numbers.model
	h, w := m.Frame()
	for _, part := range byUse(p.Parts) {
		v := view{Part: part, Noun: p.Noun()}
		if p.Table {
			votes := voteViews(p.PartVotes[part.Number])
			n := min(len(votes), votesShown)
			v.First, v.More = votes[:n], votes[n:]
		} else {
			v.Tile = tileOf(p.scale.Deviations(h, w, render.RealDeviations(m, part.Number)), "deviations of "+part.Name)
			for _, t := range part.Typical {
				v.Thumbs = append(v.Thumbs, tileOf(p.scale.Grey(m.Height, m.Width, p.set.Values[t.at]), t.Name))
			}
		}
		out = append(out, v)
	}
	n := min(len(out), partsShown)
	ground := tile{}
	if !p.Table {
		ground = tileOf(p.scale.Grey(m.Height, m.Width, p.Mean), "the background")
	}
	return struct {
		*Report
		Views, Rest []view
		Full        string
		Ground      tile
	}{p.Report, out[:n], out[n:], words.Digits(p.scale.Full), ground}
}

// cellView is a value as a mark on a bar.
type cellView struct {
	Column         string
	From, Wide, At float64
	Known          bool
	Value, Says    string
}

// cellViews returns cells as bars, on tracks of four deviations of the background to both sides, or what the cell
// needs.
func (p *realPage) cellViews(cells []RealCell) []cellView {
	var out []cellView
	for _, c := range cells {
		b := p.Numbers.model.Background[c.Number-1]
		s := float64(farthest * math.Sqrt(b.Var))
		low, high := min(b.Mean-s, float64(c.Low)), max(b.Mean+s, float64(c.High))
		known := !math.IsNaN(float64(c.Value))
		if known {
			low, high = min(low, float64(c.Value)), max(high, float64(c.Value))
		}
		at := func(x Number) float64 { return (float64(x) - low) / (high - low) }
		out = append(out, cellView{c.Column, at(c.Low), at(c.High) - at(c.Low), at(c.Value), known,
			words.Digits(float64(c.Value)), c.Expected()})
	}
	return out
}

// workedViews returns the rows worked out.
func (p *realPage) workedViews() any {
	type view struct {
		Row
		Uses        []Part
		First, More []cellView
	}
	var out []view
	for _, w := range p.Worked {
		cells := p.cellViews(w.Cells)
		n := min(len(cells), workedCells)
		out = append(out, view{w.Row, p.rowLine(w.at, nil).Uses, cells[:n], cells[n:]})
	}
	return struct {
		*Report
		Views []view
	}{p.Report, out}
}

// examples returns rows worked out, or images spread evenly over the data.
func (p *realPage) examples() any {
	if p.Table {
		return p.workedViews()
	}
	return p.images("Images spread evenly over the data.", p.spread(examplesShown))
}

// strangest returns the images that the parts describe worst.
func (p *realPage) strangest() any {
	order := p.Unusual()
	return p.images("The images with the lowest log-likelihood per pixel: the parts describe these worst.",
		order[:min(len(order), examplesShown)])
}

// images returns images with what their parts say and what is left over.
func (p *realPage) images(what string, index []int) any {
	var out []example
	m := p.Numbers.model
	for _, i := range index {
		row := p.set.Values[i]
		said := render.RealSaid(m, p.found[i].Picks)
		left := make([]float64, len(row))
		for d, x := range row {
			left[d] = x - said[d]
		}
		out = append(out, example{Row: p.ByRow[i], Uses: p.rowLine(i, nil).Uses,
			Image:     tileOf(p.scale.Grey(m.Height, m.Width, row), "the image"),
			Explained: tileOf(p.scale.Grey(m.Height, m.Width, said), "what its parts say"),
			Left:      tileOf(p.scale.Deviations(m.Height, m.Width, left), "left over")})
	}
	return struct {
		*Report
		Words string
		Views []example
	}{p.Report, what, out}
}

// samples draws images from the model.
func (p *realPage) samples() any {
	var tiles []tile
	for i := range examplesShown {
		tiles = append(tiles,
			tileOf(p.scale.Grey(p.Height, p.Width, p.Numbers.model.Sample(rand.New(rand.NewPCG(0, uint64(i))))), "a sample"))
	}
	return struct{ Tiles []tile }{tiles}
}

// restView returns what is left over: of columns, the largest surprises, and the rows described worst.
func (p *realPage) restView() any {
	type line struct {
		Name, Left, Deviation string
		Share                 float64
	}
	type odd struct {
		RealCell
		Value, Says, Off string
	}
	columns := slices.Clone(p.RealColumns)
	slices.SortStableFunc(columns, func(x, y RealColumn) int { return cmp.Compare(y.share(), x.share()) })
	var lines []line
	const shown = 40
	for _, c := range columns[:min(len(columns), shown)] {
		lines = append(lines, line{c.Name, words.Digits(float64(c.Left)), words.Digits(float64(c.Deviation)),
			math.Sqrt(c.share())})
	}
	var odds []odd
	for _, c := range p.Numbers.Surprises {
		off := c.Off()
		odds = append(odds, odd{c, words.Digits(float64(c.Value)), c.Expected(), way(off, "above", "below")})
	}
	var worst []rowLine
	for _, i := range p.Unusual()[:min(len(p.ByRow), restLines)] {
		worst = append(worst, p.rowLine(i, nil))
	}
	return struct {
		*Report
		Lines []line
		Odd   []odd
		Worst []rowLine
		Cut   int
	}{p.Report, lines, odds, worst, max(0, len(columns)-shown)}
}

// more adds the section that only numbers have.
func (p *realPage) more() {
	if p.Unknown > 0 && p.Table {
		p.section("missing", "Missing values", "realmissing", p.missingView())
	}
}

// missingView returns the predictions of unknown values.
func (p *realPage) missingView() any {
	type line struct {
		RealCell
		Mean, Deviation, Says string
	}
	var lines []line
	for _, c := range p.Cells[:min(len(p.Cells), mostRows)] {
		l := line{c, words.Digits(float64(c.Mean)), words.Digits(float64(c.Deviation)), c.Expected()}
		if c.bit {
			l = line{c, l.Says, "", ""}
		}
		lines = append(lines, l)
	}
	return struct {
		*Report
		Noun2 string
		Lines []line
		Cut   bool
	}{p.Report, "cell", lines, int64(len(lines)) < p.Unknown}
}

// voteTable returns the votes of the parts.
func (n *Numbers) voteTable(parts []Part) [][]string {
	votes := [][]string{{"part", "name", "column", "mean", "deviation", "own_deviation", "background",
		"background_deviation", "among"}}
	for k, all := range n.PartVotes {
		for _, v := range all {
			votes = append(votes, []string{whole(k), parts[k].Name, cmp.Or(v.Column, whole(v.Number)), num(v.Mean),
				num(v.Deviation), map[bool]string{true: "1", false: "0"}[v.Own],
				num(v.Before), num(v.Otherwise), num(float64(v.Among))})
		}
	}
	return votes
}

// columnTable returns the columns.
func (n *Numbers) columnTable() [][]string {
	columns := [][]string{{"column", "name", "known", "mean", "deviation", "left"}}
	for _, c := range n.RealColumns {
		columns = append(columns, []string{whole(c.Number), c.Name, whole(c.Known), num(float64(c.Mean)),
			num(float64(c.Deviation)), num(float64(c.Left))})
	}
	return columns
}

// cellRows returns cells as rows of a table, with their values if these are known.
func cellRows(cells []RealCell, known bool) [][]string {
	head := []string{"row", "name", "column", "mean", "deviation", "low", "high"}
	if known {
		head = slices.Insert(head, 3, "value")
	}
	out := [][]string{head}
	for _, c := range cells {
		line := []string{whole(c.Row), c.Name, cmp.Or(c.Column, whole(c.Number)), num(float64(c.Mean)),
			num(float64(c.Deviation)), num(float64(c.Low)), num(float64(c.High))}
		if known {
			line = slices.Insert(line, 3, num(float64(c.Value)))
		}
		out = append(out, line)
	}
	return out
}
