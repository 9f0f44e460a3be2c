package workbench

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/render"
)

// Samples are rows or images that were drawn from a model.
type Samples struct {
	Frame *dataset.Frame
	Picks [][]patchwork.Pick // of bits: the parts that each was drawn from

	model Model
}

// maxSampleValues bounds the number of values of all samples together.
const maxSampleValues = 1 << 27

// checkSamples returns an error if there are more samples than fit in memory, h x w values each.
func checkSamples(n, h, w, parts int) error {
	if most := max(1, maxSampleValues/(h*w)/max(parts, 1)); n < 1 || n > most {
		return fmt.Errorf("%d samples: give at least 1 and at most %d", n, most)
	}
	return nil
}

// sampleSource returns the random source of sample i, which depends on the index, so that more samples never change
// the first ones.
func sampleSource(seed uint64, i int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(i))) }

// Sample draws configurations of parts, composes them and draws every bit.
func (m Bits) Sample(n int, seed uint64) (*Samples, error) {
	h, w := m.Config().ImageHeight, m.Config().ImageWidth
	if m.K() > math.MaxInt16 {
		return nil, fmt.Errorf("the model has %d parts, and an image that is drawn has at most %d", m.K(), math.MaxInt16)
	}
	if err := checkSamples(n, h, w, m.K()); err != nil {
		return nil, err
	}
	f := &dataset.Frame{Table: m.Table(), Columns: m.Extras().Columns}
	s, by := &Samples{Frame: f, model: m}, m.Reader()
	for i := range n {
		r := sampleSource(seed, i)
		if by != nil {
			row, parts := by.Draw(r)
			var picks []patchwork.Pick
			for _, k := range parts {
				picks = append(picks, patchwork.Pick{Expert: k})
			}
			s.Picks, f.Images = append(s.Picks, picks), append(f.Images, row)
			continue
		}
		picks := m.SamplePicks(r)
		s.Picks = append(s.Picks, picks)
		f.Images = append(f.Images, bitmap.Sample(r, h, w, m.Compose(h, w, picks).P))
	}
	return s, nil
}

// Sample draws configurations of parts and then every number from what they say.
func (m Numbers) Sample(n int, seed uint64) (*Samples, error) {
	return samplesOf(m, &dataset.Frame{Height: m.Height, Width: m.Width}, n, seed, m.Model.Sample)
}

// samplesOf draws rows of numbers into an empty frame.
func samplesOf(m Model, f *dataset.Frame, n int, seed uint64, draw func(*rand.Rand) []float64) (*Samples, error) {
	if err := checkSamples(n, f.Height, f.Width, m.K()); err != nil {
		return nil, err
	}
	for i := range n {
		f.Values = append(f.Values, draw(sampleSource(seed, i)))
	}
	return &Samples{Frame: f, model: m}, nil
}

// Sample returns an error.
func (m Classes) Sample(int, uint64) (*Samples, error) { return nil, errNoParts }

// Picture returns the samples as a picture: a sheet, or of bits of a table rows under the names of its columns.
func (s *Samples) Picture() render.Picture {
	if s.ofTable() {
		return s.rows()
	}
	sheet := render.Sheet{Title: "Samples"}
	for i, tile := range s.tiles() {
		sheet.Tiles = append(sheet.Tiles, render.Tile{Image: tile, Caption: strconv.Itoa(i + 1)})
	}
	return sheet
}

// tiles draws each sample, numbers in grey.
func (s *Samples) tiles() (out []image.Image) {
	for _, img := range s.Frame.Images {
		out = append(out, render.Image(img))
	}
	scale := render.RealScale{Low: math.Inf(1), High: math.Inf(-1)}
	for _, row := range s.Frame.Values {
		scale.Low, scale.High = min(scale.Low, slices.Min(row)), max(scale.High, slices.Max(row))
	}
	for _, row := range s.Frame.Values {
		out = append(out, scale.Grey(s.Frame.Height, s.Frame.Width, row))
	}
	return out
}

// ofTable reports whether these are rows of bits.
func (s *Samples) ofTable() bool { return s.model.Table() && s.Frame.Images != nil }

// rows draws samples of a table.
func (s *Samples) rows() render.Rows {
	r := render.Rows{Title: "Samples", Bars: "mean of the samples", Rows: s.Frame.Images,
		Shares: make([]float64, s.Frame.Images[0].Width())}
	for x := range r.Shares {
		r.Columns = append(r.Columns, ColumnName(s.model, x))
	}
	for i, img := range r.Rows {
		r.Names = append(r.Names, s.name(i))
		for x := range r.Shares {
			if img.At(0, x) {
				r.Shares[x] += 1 / float64(len(r.Rows))
			}
		}
	}
	return FirstColumns(r)
}

// mostColumns is how many columns have room in a picture.
const mostColumns = 1120

// FirstColumns returns a picture of as many columns as have room.
func FirstColumns(r render.Rows) render.Rows {
	n := len(r.Shares)
	if n <= mostColumns {
		return r
	}
	if r.Shares = r.Shares[:mostColumns]; r.Columns != nil {
		r.Columns = r.Columns[:mostColumns]
	}
	r.Facts = append(r.Facts, render.Fact{Name: "shown", Text: fmt.Sprintf("the first %d of %d columns", mostColumns, n)})
	rows := slices.Clone(r.Rows)
	for i, m := range rows {
		rows[i] = left(m, mostColumns)
	}
	r.Rows = rows
	return r
}

// left returns the first columns of a row.
func left(m *bitmap.Image, columns int) *bitmap.Image {
	out := bitmap.New(1, columns)
	for x := range columns {
		switch {
		case !m.Known(0, x):
			out.SetUnknown(0, x)
		case m.At(0, x):
			out.Set(0, x, true)
		}
	}
	return out
}

// name returns what a sample of bits of a table is called: its number and its parts.
func (s *Samples) name(i int) string {
	var parts []string
	for _, p := range s.Picks[i] {
		parts = append(parts, Called(s.model, p.Expert))
	}
	slices.Sort(parts)
	if len(parts) == 0 {
		parts = []string{"no part"}
	}
	return fmt.Sprintf("%d: %s", i+1, strings.Join(parts, ", "))
}

// Lines returns samples of bits of a table as lines of text, the columns that are 1; nil of others.
func (s *Samples) Lines() (out []string) {
	if !s.ofTable() {
		return nil
	}
	for i, img := range s.Frame.Images {
		out = append(out, s.name(i)+": "+Ones(img, img.Width(), func(x int) string { return ColumnName(s.model, x) }))
	}
	return out
}

// Ones lists the columns that are 1 in a row, and says how many more than most there are.
func Ones(row *bitmap.Image, most int, name func(x int) string) string {
	var on []string
	for x := range row.Width() {
		if row.At(0, x) {
			on = append(on, name(x))
		}
	}
	switch more := len(on) - most; {
	case on == nil:
		return "no ones"
	case more > 0:
		return fmt.Sprintf("%s, and %d more", strings.Join(on[:most], ", "), more)
	}
	return strings.Join(on, ", ")
}
