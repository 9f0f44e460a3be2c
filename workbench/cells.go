package workbench

import (
	"image"
	"math"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/pose"
	"example.com/patchwork/render"
)

// Cell is a value of an explained row beside what the parts of the row say of it. The mean and the deviation of a bit
// are those of the probability that it is 1, also among numbers.
type Cell struct {
	Column          int     // from 0
	Value           float64 // NaN where it is not known
	Mean, Deviation float64 // what is expected
	Otherwise       float64 // the mean where no part says anything
	Spread          float64 // of numbers, the deviation there; 0 of bits
	Tail            float64 // the probability of a value that is at least as odd; NaN where it is not known
	Loss            float64 // of tables, minus the logarithm of the probability or density of the value, where it is known
	Text            string  // the value as people read it, where it stands for a word
	said            string  // what is expected, if not nothing
	quantile        func(float64) float64
}

// Interval returns the ends of what holds the share [Inside] of the probability; NaN of bits.
func (c *Cell) Interval() (low, high float64) {
	if c.quantile == nil {
		return math.NaN(), math.NaN()
	}
	return c.quantile((1 - Inside) / 2), c.quantile((1 + Inside) / 2)
}

// Expected says what is expected of the cell: an interval, or of a bit how probable a 1 is.
func (c *Cell) Expected() string {
	if c.said != "" {
		return c.said
	}
	low, high := c.Interval()
	return Expected(c.Mean, low, high)
}

// Cells returns what the parts of an explained row of a table say of each of its columns, in the memory of others.
func (m Bits) Cells(c *Case, out []Cell) []Cell {
	img := c.Frame.Images[c.At]
	on, known := img.AppendBytes(nil), img.AppendKnown(nil)
	for j, p := range m.Compose(img.Height(), img.Width(), c.Row.Picks).P {
		out = append(out, bitCell(j, on[j] != 0, known[j] != 0, p, m.Abstention(j)))
	}
	return out
}

// bitCell returns a bit of which parts say that it is on with probability p, and no part q.
func bitCell(j int, on, known bool, p, q float64) Cell {
	cell := Cell{Column: j, Mean: p, Otherwise: q, Value: math.NaN(), Deviation: math.Sqrt(p * (1 - p)), Tail: math.NaN()}
	if known {
		if cell.Value, cell.Tail = 0, 1-p; on {
			cell.Value, cell.Tail = 1, p
		}
		cell.Loss = -elem.Log(cell.Tail)
	}
	return cell
}

// Cells returns what the parts of an explained image say of each of its pixels, in the memory of others.
func (m Numbers) Cells(c *Case, out []Cell) []Cell {
	picks := asNumbers(&c.Row).Picks
	for d, x := range c.Frame.Values[c.At] {
		mix, b := m.Compose(d, picks), m.Background[d]
		cell := Cell{Column: d, Value: x, Mean: mix.Mean(), Deviation: math.Sqrt(mix.Variance()), Otherwise: b.Mean}
		below := mix.CDF(x)
		if cell.Spread, cell.Tail, cell.quantile = math.Sqrt(b.Var), 2*min(below, 1-below), mix.Quantile; math.IsNaN(x) {
			cell.Tail = x
		}
		out = append(out, cell)
	}
	return out
}

// Cells returns nothing: the parts are those of the classes.
func (m Classes) Cells(*Case, []Cell) []Cell { return nil }

// ColumnName returns what column i of a table is called: its name, or else "column 4" for 3.
func ColumnName(m Model, i int) string { return words.ColumnOf(m.ColumnNames(), i) }

// Grid returns where the parts of images may be; ok is false where that depends on the image, and of tables.
func Grid(m Model) (grid pose.Grid, ok bool) {
	switch m := m.(type) {
	case Bits:
		return m.Config().Poses, !m.Config().Scene && !m.Table()
	case Numbers:
		return m.Poses, true
	}
	return grid, false
}

// Tile returns a picture of part k of a model of images, one pixel for each of its frame.
func Tile(m Model, k int) image.Image {
	switch m := m.(type) {
	case Bits:
		return render.Expert(m.Model, k)
	case Numbers:
		h, w := m.Frame()
		return render.RealScaleOf(m.Model).Deviations(h, w, render.RealDeviations(m.Model, k))
	}
	return nil
}

// Ground returns a picture of what images look like as a whole, and says what it is: all parts at their mean places,
// or what is expected where no part is. It is nil where there is none.
func Ground(m Model) (picture image.Image, what string) {
	switch m := m.(type) {
	case Bits:
		if !m.Table() && !m.Config().Scene {
			return render.Coloured(m.Model, m.Height(), m.Width(), m.SamplePicks(nil)),
				"All parts at their mean places, each in its colour: this is what an average image looks like."
		}
	case Numbers:
		mean := make([]float64, m.D())
		for d, b := range m.Background {
			mean[d] = b.Mean
		}
		return render.RealScaleOf(m.Model).Grey(m.Height, m.Width, mean),
			"The background: what is expected where no part says anything."
	}
	return nil, ""
}
