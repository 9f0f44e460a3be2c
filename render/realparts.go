package render

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/real"
)

// RealScale is how values and deviations of a model of real values are drawn.
type RealScale struct {
	Full      float64 // the deviation of the full colours: of twenty votes one is beyond it; 0 if there is none
	Low, High float64 // what is drawn black and white
}

// RealScaleOf returns the scale for a model: the range of grey is that of the means of its background and votes.
func RealScaleOf(m *real.Model) RealScale {
	s := RealScale{Low: math.Inf(1), High: math.Inf(-1)}
	take := func(x float64) { s.Low, s.High = min(s.Low, x), max(s.High, x) }
	for _, b := range m.Background {
		take(b.Mean)
	}
	var all []float64
	for k := range m.K() {
		for f, dev := range RealDeviations(m, k) {
			if e := m.Experts[k][f]; e.Vote != real.Abstains {
				all = append(all, math.Abs(dev))
				take(e.Mean)
			}
		}
	}
	s.Full = twentieth(all)
	return s
}

// twentieth returns the number beyond which one of twenty is; 0 of none.
func twentieth(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[(len(all)-1)*19/20]
}

// RealDeviations returns what part k says as signed deviations of its means from the background, by the pixels of
// its frame; 0 where it says nothing.
func RealDeviations(m *real.Model, k int) []float64 {
	out := make([]float64, m.F())
	for f, e := range m.Experts[k] {
		if e.Vote == real.Abstains {
			continue
		}
		out[f] = e.Mean - m.Background[min(f, m.D()-1)].Mean
	}
	return out
}

// Deviations returns a tile of h x w signed deviations: yellow above, blue below, grey for none, hatched for NaN. It
// panics unless len(dev) == h*w.
func (s RealScale) Deviations(h, w int, dev []float64) *image.RGBA {
	p := make([]float64, len(dev))
	for i, d := range dev {
		if p[i] = .5; math.IsNaN(d) {
			p[i] = d
		} else if s.Full > 0 {
			p[i] += max(-.5, min(.5, .5*d/s.Full))
		}
	}
	return Template(h, w, p, Symmetric)
}

// Grey returns a tile of h x w values from black, Low, to white, High; those of NaN have the colour of unknown pixels.
// It panics unless len(values) == h*w.
func (s RealScale) Grey(h, w int, values []float64) *image.RGBA {
	p := make([]float64, len(values))
	for i, x := range values {
		if p[i] = .5; math.IsNaN(x) {
			p[i] = x
		} else if s.High > s.Low {
			p[i] = 1 - (max(s.Low, min(s.High, x))-s.Low)/(s.High-s.Low)
		}
	}
	return Template(h, w, p, Ink)
}

// Legend says what the colours of deviations are, with their unit, which may be "".
func (s RealScale) Legend(unit string) []Swatch {
	if unit != "" {
		unit = " " + unit
	}
	return []Swatch{{Symmetric(1), words.Digits(s.Full) + unit + " above, or more"}, {Symmetric(.5), "no vote"},
		{Symmetric(0), words.Digits(s.Full) + unit + " below"}}
}

// RealParts returns a picture of the parts of a model of real values as signed deviations from the background, tiles, the
// most used first.
func RealParts(m *real.Model) Picture {
	s := RealScaleOf(m)
	title := fmt.Sprintf("%s as deviations from the background", words.Count(m.K(), "part"))
	if m.K() == 0 {
		title = "No parts: the background alone"
	}
	h, w := m.Frame()
	out := Sheet{Title: title, Legend: s.Legend("")}
	mean := make([]float64, m.D())
	for d, b := range m.Background {
		mean[d] = b.Mean
	}
	out.Tiles = append(out.Tiles, Tile{Image: s.Grey(m.Height, m.Width, mean), Caption: "background"})
	for _, k := range byUse(m) {
		out.Tiles = append(out.Tiles, Tile{Image: s.Deviations(h, w, RealDeviations(m, k)),
			Caption: words.NameOf(m.Names, k) + realShare(m, k, "\nin ")})
	}
	return out
}

// byUse returns the numbers of the parts, the most used first.
func byUse(m *real.Model) []int {
	order := inOrder(m.K())
	if m.Pi != nil {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.Pi[b], m.Pi[a]) })
	}
	return order
}

// realShare returns how often part k is active, after some words; "" if that is not known.
func realShare(m *real.Model, k int, before string) string {
	if m.Pi == nil {
		return ""
	}
	return before + words.Percent(m.Pi[k])
}

// Deviations are signed deviations of the columns of a table, in standard deviations, in a line with a name.
type Deviations struct {
	Name   string
	Values []float64
}

// DeviationRows draws lines of deviations under the names of the columns: of a table with more columns than can be named
// those that deviate most.
func DeviationRows(title string, columns []string, lines []Deviations) Rows {
	var all []float64
	loud := make([]float64, len(columns))
	for _, line := range lines {
		for i, d := range line.Values {
			if loud[i] = max(loud[i], math.Abs(d)); d != 0 {
				all = append(all, math.Abs(d))
			}
		}
	}
	s := RealScale{Full: twentieth(all)}
	r := Rows{Title: title, NoBars: true, Legend: s.Legend("standard deviations")}
	r.lines(s, columns, r.loudest(loud), lines)
	return r
}

// DeviationPairs draws lines of deviations in pairs: those of a row, and those that are left of it.
func DeviationPairs(columns []string, lines []Deviations) Rows {
	s := RealScale{Full: 3}
	r := Rows{Title: "Explanations", NoBars: true, Legend: append(s.Legend("standard deviations"), Unknown("unknown"))}
	r.Legend[1].Text = "as expected"
	n := min(len(columns), MostNamed)
	if n < len(columns) {
		r.Facts = []Fact{{"shown", fmt.Sprintf("the first %d of %d columns", n, len(columns))}}
	}
	r.lines(s, columns, inOrder(n), lines)
	return r
}

// lines draws lines of some columns.
func (r *Rows) lines(s RealScale, columns []string, which []int, lines []Deviations) {
	for _, i := range which {
		r.Columns, r.Shares = append(r.Columns, columns[i]), append(r.Shares, math.NaN())
	}
	for _, line := range lines {
		dev := make([]float64, len(which))
		for j, i := range which {
			dev[j] = line.Values[i]
		}
		r.Names, r.Tiles = append(r.Names, line.Name), append(r.Tiles, s.Deviations(1, len(dev), dev))
	}
}

// RealExplanations returns a picture of how a model of real values explains images, with their titles: the image, what
// its parts say together, and what is left over.
func RealExplanations(m *real.Model, rows [][]float64, found []real.Explanation, titles []string) Picture {
	s := RealScaleOf(m)
	out := Sheet{Title: "Explanations", Columns: 6, Gap: 4, Breaks: []int{3}, Legend: []Swatch{Unknown("unknown")}}
	for _, text := range []string{"above what the parts say", "as they say", "below"} {
		out.Legend = append(out.Legend, Swatch{Symmetric(1 - float64(float64(len(out.Legend)-1)/2)), text})
	}
	if len(rows) < 2 {
		out.Columns = 3
	}
	for i, row := range rows {
		said := RealSaid(m, found[i].Picks)
		left := make([]float64, len(row))
		for d, x := range row {
			left[d] = x - said[d]
		}
		for j, tile := range []*image.RGBA{s.Grey(m.Height, m.Width, row), s.Grey(m.Height, m.Width, said),
			s.Deviations(m.Height, m.Width, left)} {
			out.Tiles = append(out.Tiles,
				Tile{Image: tile, Caption: [...]string{titles[i], realPicks(m, found[i]), "left over"}[j]})
		}
	}
	return out
}

// RealSaid returns what picks say together: the mean of every pixel.
func RealSaid(m *real.Model, picks []real.Pick) []float64 {
	out := make([]float64, m.D())
	for d := range out {
		out[d] = m.Compose(d, picks).Mean()
	}
	return out
}

// realPicks returns the parts of an explanation, by their numbers.
func realPicks(m *real.Model, e real.Explanation) string {
	switch n := len(e.Picks); {
	case n == 0:
		return "no part"
	case n == 1:
		return words.NameOf(m.Names, e.Picks[0].Expert)
	case n > 6:
		return words.Count(n, "part")
	}
	text := ""
	for i, p := range e.Picks {
		text += [...]string{"parts ", ", "}[min(i, 1)] + fmt.Sprint(p.Expert+1)
	}
	return text
}
