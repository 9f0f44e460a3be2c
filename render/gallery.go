package render

import (
	"fmt"
	"image"
	"math"
	"slices"

	patchwork "example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/diagnose/words"
)

// Experts returns a sheet of all templates of a model, in order, captioned with
// their numbers and, if the model records it, the fraction of images that use
// them.
func Experts(m *patchwork.Model) Sheet {
	usage := m.Extras().Usage
	s := Sheet{Legend: scale(m)}
	for k := range m.K() {
		caption := called(m, k)
		if usage != nil {
			caption += fmt.Sprintf(" · %.0f %%", 100*usage[k])
		}
		s.Tiles = append(s.Tiles, Tile{Expert(m, k), caption})
	}
	return s
}

// scale explains the colours of a model's templates.
func scale(m *patchwork.Model) []Swatch {
	cfg := m.Config()
	if !cfg.Rule.TwoSided() {
		return []Swatch{{Ink(0), "0"}, {Ink(0.5), "0.5"}, {Ink(1), "1"}}
	}
	noVote := "no vote"
	if cfg.QMap == nil {
		noVote = fmt.Sprintf("%.3g (no vote)", cfg.Q)
	}
	return []Swatch{{blue, "0"}, {grey, noVote}, {yellow, "1"}}
}

// Case is an image with its explanation and a name.
type Case struct {
	Name        string // such as "image 12"
	Image       *bitmap.Image
	Explanation patchwork.Explanation
}

// Explanations returns a sheet of cases: each image, its [Overlay], and the
// template composed of its picks, side by side. More than five cases are
// arranged in two blocks, more than twenty in three.
func Explanations(m *patchwork.Model, cases []Case) Sheet {
	blocks := 1
	if len(cases) > 5 {
		blocks = 2
	}
	if len(cases) > 20 {
		blocks = 3
	}
	s := Sheet{Columns: 3 * blocks}
	var used []patchwork.Pick
	for _, c := range cases {
		picks := c.Explanation.Picks
		used = append(used, picks...)
		h, w := c.Image.Height(), c.Image.Width()
		s.Tiles = append(s.Tiles,
			Tile{Image(c.Image), c.Name},
			Tile{Overlay(m, c.Image, picks), words.Count(len(picks), "pick")},
			Tile{Composed(m, h, w, picks), nats(c.Explanation.LogLikModel)})
	}
	for b := range min(blocks, len(cases)) {
		s.ColumnLabels = append(s.ColumnLabels, "image", "explained", "composed")
		s.Breaks = append(s.Breaks, 3*b)
	}
	s.Legend = legend(m, used)
	return s
}

// MostNamed is how many columns of a table have room for their names.
const MostNamed = rowsWidth / namedCell

// ExplainedRows is [Explanations] for rows of a table, under the names of its columns: each row, its [Overlay], and
// what is composed of its picks, one below the other; of a single case, instead, the row and its overlay after each
// pick.
func ExplainedRows(m *patchwork.Model, columns []string, cases []Case) Rows {
	r := Rows{Columns: columns, NoBars: true, Shares: make([]float64, len(columns))}
	add := func(tile *image.RGBA, name string) { r.Tiles, r.Names = append(r.Tiles, tile), append(r.Names, name) }
	var used []patchwork.Pick
	for _, c := range cases {
		picks := c.Explanation.Picks
		used = append(used, picks...)
		add(Image(c.Image), c.Name)
		for j, p := range picks {
			if len(cases) == 1 {
				add(Overlay(m, c.Image, picks[:j+1]), fmt.Sprintf("%d: %s, %s", j+1, called(m, p.Expert), gain(p)))
			}
		}
		if len(cases) > 1 {
			add(Overlay(m, c.Image, picks), words.Count(len(picks), "pick"))
			add(Composed(m, 1, c.Image.Width(), picks), "composed, "+nats(c.Explanation.LogLikModel))
		}
	}
	r.Legend = legend(m, used)
	return r
}

// gain says what a pick brings.
func gain(p patchwork.Pick) string {
	if p.Gain > 0 {
		return "+" + nats(p.Gain)
	}
	return nats(p.Gain)
}

// nats formats a log-likelihood with a real minus sign.
func nats(v float64) string { return signed(v, "%.1f") + " nats" }

func signed(v float64, format string) string {
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	case v < 0:
		return "−" + fmt.Sprintf(format, -v)
	}
	return fmt.Sprintf(format, v+0) // + 0 makes -0 plain 0
}

// called returns what part k is called, no longer than a caption.
func called(m *patchwork.Model, k int) string {
	const most = 24
	return words.Clip(words.Name(m, k), most)
}

// legend returns the hue of each expert among the picks, in order of number,
// and the colour of unexplained ink.
func legend(m *patchwork.Model, picks []patchwork.Pick) []Swatch {
	used := make([]int, len(picks))
	for i, p := range picks {
		used[i] = p.Expert
	}
	slices.Sort(used)
	var out []Swatch
	for _, k := range slices.Compact(used) {
		out = append(out, Swatch{Hue(k), called(m, k)})
	}
	return append(out, Swatch{unexplained, "unexplained ink"})
}

// Steps returns a sheet of the pursuit step by step: the image, then its
// [Overlay] after each pick, captioned with the pick and its gain.
func Steps(m *patchwork.Model, img *bitmap.Image, e patchwork.Explanation) Sheet {
	s := Sheet{
		Tiles:   []Tile{{Image(img), "image\n" + nats(e.StartLogLik)}},
		Legend:  legend(m, e.Picks),
		Columns: min(len(e.Picks)+1, 8),
	}
	for j, p := range e.Picks {
		caption := fmt.Sprintf("%d: %s\n%s", j+1, called(m, p.Expert), gain(p))
		s.Tiles = append(s.Tiles, Tile{Overlay(m, img, e.Picks[:j+1]), caption})
	}
	return s
}

// Progress returns a sheet of learning as in Figure 7 of the paper: the
// examples in the first row, below them a row for each expert, with the model
// after step i in column i; to the right, set apart, the samples. If a model
// has fewer experts than a later one, as in sequential initialisation, its
// cells stay empty. Samples may be nil.
func Progress(examples []*bitmap.Image, steps []*patchwork.Model, samples []image.Image) Sheet {
	experts := 0
	for _, m := range steps {
		experts = max(experts, m.K())
	}
	rows, columns := 1+experts, max(len(examples), len(steps))
	extra := (len(samples) + rows - 1) / rows
	s := Sheet{Columns: columns + extra, Gap: 5, Breaks: []int{columns}}
	s.Tiles = make([]Tile, rows*s.Columns)
	at := func(r, c int) *Tile { return &s.Tiles[r*s.Columns+c] }
	for c, img := range examples {
		at(0, c).Image = Image(img)
	}
	for c, m := range steps {
		s.ColumnLabels = append(s.ColumnLabels, fmt.Sprint(c+1))
		for k := range m.K() {
			at(1+k, c).Image = Expert(m, k)
		}
	}
	for i, sample := range samples {
		at(i/extra, columns+i%extra).Image = sample
	}
	s.RowLabels = append(s.RowLabels, "example")
	for k := range experts {
		s.RowLabels = append(s.RowLabels, words.Numbered(k))
	}
	if len(samples) > 0 {
		for len(s.ColumnLabels) < columns {
			s.ColumnLabels = append(s.ColumnLabels, "")
		}
		s.ColumnLabels = append(s.ColumnLabels, "samples")
	}
	return s
}
