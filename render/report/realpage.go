package report

import (
	"cmp"
	_ "embed" // the templates of the sections
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/render"
)

//go:embed real.html
var realHTML string

// realPage is what the templates see.
type realPage struct {
	page
	real  *Real
	scale render.RealScale
}

// WriteHTML draws the report as one page that needs nothing else, as [Report.WriteHTML] does.
func (r *Real) WriteHTML(w io.Writer, title string) error {
	p := &realPage{page{Report: r.Report}, r, render.RealScaleOf(r.model)}
	p.section("parts", "The parts", "realparts", p.partViews())
	p.section("perrow", "Parts per "+r.Noun(), "perrow", p.countBars())
	if r.Table {
		p.section("worked", "Rows worked out", "realworked", p.workedViews())
	} else {
		p.section("examples", "Explanations", "realexamples",
			p.images(map[bool]string{true: "Images spread evenly over the data.",
				false: "The images asked for."}[r.asked == nil], r.shownRows(examplesShown)))
		p.section("samples", "Samples drawn from the model", "realsamples", p.samples())
	}
	p.groups()
	if r.Table {
		p.section("rest", "What nothing explains", "realrest", p.restView())
	} else {
		order := r.Unusual()
		p.section("rest", "The strangest images", "realexamples",
			p.images("The images with the lowest log-likelihood per pixel: the parts describe these worst.",
				order[:min(len(order), examplesShown)]))
	}
	if r.Unknown > 0 && r.Table {
		p.section("missing", "Missing values", "realmissing", p.missingView())
	}
	p.section("how", "How to read the numbers", "realhow", r)
	return p.write(w, title, p.markup("reallead", p.leadView()))
}

// leadView is the top of the page.
func (p *realPage) leadView() any {
	r := p.real
	facts := append(r.facts(), fact{fixed(2, r.LogLik-r.BaseLogLik), "nats gained per " + r.Noun()})
	return struct {
		*Real
		Links []render.Section
		Facts []fact
		Moves bool
	}{r, p.sections, facts, r.model.Moves()}
}

// realVoteView is a vote as a bar: From and Wide are shares of the track.
type realVoteView struct {
	Column                     string
	From, Wide                 float64
	Says, Otherwise, Deviation string
}

// farthest is where the tracks of bars end, in deviations of the background.
const farthest = 4

// voteViews returns votes as bars.
func voteViews(votes []RealVote) []realVoteView {
	var out []realVoteView
	for _, v := range votes {
		at := max(-farthest, min(farthest, (v.Mean-v.Before)/v.Otherwise)) / (2 * farthest)
		out = append(out, realVoteView{v.Column, .5 + min(at, 0), math.Abs(at), words.Digits(v.Mean) + " ± " +
			words.Digits(v.Deviation), words.Digits(v.Before),
			"± " + words.Digits(v.Otherwise)})
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
	m := p.real.model
	h, w := m.Frame()
	for _, part := range byUse(p.Parts) {
		v := view{Part: part, Noun: p.Noun()}
		if p.Table {
			votes := voteViews(p.real.PartVotes[part.Number])
			n := min(len(votes), votesShown)
			v.First, v.More = votes[:n], votes[n:]
		} else {
			v.Tile = tileOf(p.scale.Deviations(h, w, render.RealDeviations(m, part.Number)), "deviations of "+part.Name)
			for _, t := range part.Typical {
				v.Thumbs = append(v.Thumbs, tileOf(p.scale.Grey(m.Height, m.Width, p.real.data.Values[t.at]), t.Name))
			}
		}
		out = append(out, v)
	}
	n := min(len(out), partsShown)
	ground := tile{}
	if !p.Table {
		ground = tileOf(p.scale.Grey(m.Height, m.Width, p.real.Mean), "the background")
	}
	return struct {
		*Real
		Views, Rest []view
		Full        string
		Ground      tile
	}{p.real, out[:n], out[n:], words.Digits(p.scale.Full), ground}
}

// cellView is a value as a mark on a bar.
type cellView struct {
	Column           string
	From, Wide, At   float64
	Known            bool
	Value, Low, High string
}

// cellViews returns cells as bars, on tracks of four deviations of the background to both sides, or what the cell
// needs.
func (p *realPage) cellViews(cells []RealCell) []cellView {
	var out []cellView
	for _, c := range cells {
		b := p.real.model.Background[c.Number-1]
		s := float64(farthest * math.Sqrt(b.Var))
		low, high := min(b.Mean-s, float64(c.Low)), max(b.Mean+s, float64(c.High))
		known := !math.IsNaN(float64(c.Value))
		if known {
			low, high = min(low, float64(c.Value)), max(high, float64(c.Value))
		}
		at := func(x Number) float64 { return (float64(x) - low) / (high - low) }
		out = append(out, cellView{c.Column, at(c.Low), at(c.High) - at(c.Low), at(c.Value), known,
			words.Digits(float64(c.Value)), words.Digits(float64(c.Low)), words.Digits(float64(c.High))})
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
	for _, w := range p.real.Worked {
		cells := p.cellViews(w.Cells)
		n := min(len(cells), workedCells)
		out = append(out, view{w.Row, p.rowLine(w.at, nil).Uses, cells[:n], cells[n:]})
	}
	return struct {
		*Real
		Which string
		Views []view
	}{p.real, map[bool]string{true: "Some rows, spread evenly over the table.",
		false: "The rows asked for."}[p.real.asked == nil], out}
}

// images returns images with what their parts say and what is left over.
func (p *realPage) images(what string, index []int) any {
	var out []example
	m := p.real.model
	for _, i := range index {
		row := p.real.data.Values[i]
		said := render.RealSaid(m, p.real.found[i].Picks)
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
		*Real
		Words string
		Views []example
	}{p.real, what, out}
}

// samples draws images from the model.
func (p *realPage) samples() any {
	var tiles []tile
	for i := range examplesShown {
		tiles = append(tiles,
			tileOf(p.scale.Grey(p.Height, p.Width, p.real.model.Sample(rand.New(rand.NewPCG(0, uint64(i))))), "a sample"))
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
		Value, Low, High, Off string
	}
	columns := slices.Clone(p.real.RealColumns)
	slices.SortStableFunc(columns, func(x, y RealColumn) int { return cmp.Compare(y.share(), x.share()) })
	var lines []line
	const shown = 40
	for _, c := range columns[:min(len(columns), shown)] {
		lines = append(lines, line{c.Name, words.Digits(float64(c.Left)), words.Digits(float64(c.Deviation)),
			math.Sqrt(c.share())})
	}
	var odds []odd
	for _, c := range p.real.Surprises {
		off := c.Off()
		odds = append(odds, odd{c, words.Digits(float64(c.Value)), words.Digits(float64(c.Low)),
			words.Digits(float64(c.High)), way(off, "above", "below")})
	}
	var worst []rowLine
	for _, i := range p.Unusual()[:min(len(p.ByRow), restLines)] {
		worst = append(worst, p.rowLine(i, nil))
	}
	return struct {
		*Real
		Lines []line
		Odd   []odd
		Worst []rowLine
		Cut   int
	}{p.real, lines, odds, worst, max(0, len(columns)-shown)}
}

// missingView returns the predictions of unknown values.
func (p *realPage) missingView() any {
	type line struct{ Name, Column, Mean, Deviation, Low, High string }
	var lines []line
	for _, c := range p.real.Cells[:min(len(p.real.Cells), mostRows)] {
		lines = append(lines, line{c.Name, c.Column, words.Digits(float64(c.Mean)), words.Digits(float64(c.Deviation)),
			words.Digits(float64(c.Low)), words.Digits(float64(c.High))})
	}
	return struct {
		*Real
		Noun2 string
		Lines []line
		Cut   bool
	}{p.real, "cell", lines, int64(len(lines)) < p.Unknown}
}

// Tables returns the numbers of the report as tables, as [Report.Tables] does; losses are in nats.
func (r *Real) Tables() []Table {
	rows := r.rowTable()
	for i := range rows {
		at := slices.Index(rows[0], "bits_per_"+r.pixel())
		if i > 0 {
			rows[i][at] = num(float64(r.ByRow[i-1].Loss))
		}
	}
	rows[0][slices.Index(rows[0], "bits_per_"+r.pixel())] = "nats_per_value"
	votes := [][]string{{"part", "name", "column", "mean", "deviation", "own_deviation", "background",
		"background_deviation", "among"}}
	for k, all := range r.PartVotes {
		for _, v := range all {
			votes = append(votes, []string{whole(k), r.Parts[k].Name, cmp.Or(v.Column, whole(v.Number)), num(v.Mean),
				num(v.Deviation), map[bool]string{true: "1", false: "0"}[v.Own],
				num(v.Before), num(v.Otherwise), num(float64(v.Among))})
		}
	}
	columns := [][]string{{"column", "name", "known", "mean", "deviation", "left"}}
	for _, c := range r.RealColumns {
		columns = append(columns, []string{whole(c.Number), c.Name, whole(c.Known), num(float64(c.Mean)),
			num(float64(c.Deviation)), num(float64(c.Left))})
	}
	all := []Table{{"rows", rows}, {"parts", r.partTable()}, {"votes", votes}, {"labels", r.labelTable()},
		{"together", r.pairTable()}, {"columns", columns},
		{"cells", cellRows(r.Cells, false)}, {"surprises", cellRows(r.Surprises, true)}}
	return slices.DeleteFunc(all, func(t Table) bool { return len(t.Rows) < 2 })
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
