package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/learn"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/pose"
	"example.com/patchwork/render"
	"example.com/patchwork/rule"
)

// savePictures writes the pictures of the page of concepts. The other pictures of
// docs/ are written by the commands on their pages.
func savePictures(w io.Writer, root string) error {
	all, err := pictures(context.Background())
	if err != nil {
		return err
	}
	for name, p := range all {
		file := filepath.Join(root, "docs", "pictures", name)
		var b bytes.Buffer
		if err := render.WritePNG(&b, p); err != nil {
			return err
		}
		if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
			return err
		}
		fmt.Fprintln(w, "wrote", file)
	}
	return nil
}

// pictures returns the pictures of the page of concepts, by the names of their files.
// All are of one model: two parts, learned from ten letters T.
func pictures(ctx context.Context) (map[string]render.Picture, error) {
	const side = 28
	letters, err := synth.Letters(synth.LettersOptions{Letters: "T", N: 12, Side: side, Seed: 15})
	if err != nil {
		return nil, err
	}
	poses := pose.Grid{DY: pose.Symmetric(7, 1), DX: pose.Symmetric(7, 1), Angles: pose.Evenly(24, 6)}
	m, err := learn.Learn(ctx, patchwork.Data{Images: letters.Images[:10]}, patchwork.NewConfig(patchwork.RuleMax, side, side, poses), learn.Options{Experts: 2})
	if err != nil {
		return nil, err
	}
	x := letters.Images[11]
	e, err := m.Explain(x)
	if err != nil {
		return nil, err
	}
	return map[string]render.Picture{
		"concepts-parts.png":       partsPicture(m),
		"concepts-composition.png": compositionPicture(m, x, e.Picks),
		"concepts-pursuit.png":     render.Steps(m, x, *e),
		"concepts-speaks.png":      speaksPicture(m, x, e.Picks),
		"concepts-votes.png":       votesPicture(),
		"concepts-rules.png":       rulesPicture(),
		"concepts-pool.png":        poolPicture(),
	}, nil
}

// scale is the side of a pixel in the pictures of letters.
const scale = 6

func legend() []render.Swatch {
	var out []render.Swatch
	for _, p := range []float64{0, 0.5, 1} {
		out = append(out, render.Swatch{Colour: render.Ink(p), Text: fmt.Sprint(p)})
	}
	return out
}

// partsPicture shows the parts alone.
func partsPicture(m *patchwork.Model) render.Picture {
	s := render.Sheet{Scale: scale, Columns: m.K(), Legend: legend()}
	for k := range m.K() {
		s.Tiles = append(s.Tiles, render.Tile{Image: render.Expert(m, k), Caption: fmt.Sprintf("part %d", k)})
	}
	return s
}

// compositionPicture shows what each pick says, what they say together, and the image.
func compositionPicture(m *patchwork.Model, x *bitmap.Image, picks []patchwork.Pick) render.Picture {
	s := render.Sheet{Scale: scale, Columns: len(picks) + 2, Breaks: []int{len(picks), len(picks) + 1}, Legend: legend()}
	for _, p := range picks {
		s.Tiles = append(s.Tiles, render.Tile{Image: render.Template(x.Height(), x.Width(), render.Opinion(m, x.Height(), x.Width(), p), render.Ink),
			Caption: fmt.Sprintf("part %d, moved by\n%d, %d, turned by %g°", p.Expert, p.Pose.DY, p.Pose.DX, p.Pose.Angle)})
	}
	s.Tiles = append(s.Tiles, render.Tile{Image: render.Composed(m, x.Height(), x.Width(), picks), Caption: "composed: the\nstrongest opinion"},
		render.Tile{Image: render.Image(x), Caption: "the drawing"})
	return s
}

// speaksPicture shows which part speaks for which pixel.
func speaksPicture(m *patchwork.Model, x *bitmap.Image, picks []patchwork.Pick) render.Picture {
	c := m.Compose(x.Height(), x.Width(), picks)
	tile := image.NewRGBA(image.Rect(0, 0, x.Width(), x.Height()))
	for i := range c.P {
		at := color.RGBA{255, 255, 255, 255}
		if k := c.Max[i]; k >= 0 {
			at = render.Hue(picks[k].Expert)
		}
		tile.SetRGBA(i%x.Width(), i/x.Width(), at)
	}
	s := render.Sheet{Scale: scale, Columns: 3, Tiles: []render.Tile{
		{Image: tile, Caption: "who speaks"}, {Image: render.Composed(m, x.Height(), x.Width(), picks), Caption: "what is said"},
		{Image: render.Overlay(m, x, picks), Caption: "whose ink"}}}
	for _, p := range picks {
		s.Legend = append(s.Legend, render.Swatch{Colour: render.Hue(p.Expert), Text: fmt.Sprintf("part %d", p.Expert)})
	}
	slices.SortFunc(s.Legend, func(a, b render.Swatch) int { return bytes.Compare([]byte(a.Text), []byte(b.Text)) })
	return s
}

// votesPicture shows two parts that vote for and against, and what they compose:
// quadrants of the paper, with 1/2 where they abstain.
func votesPicture() render.Picture {
	const side = 6
	quadrant := func(top, left int, vote float64) []float64 {
		p := slices.Repeat([]float64{0.5}, side*side)
		for y := range side / 2 {
			for x := range side / 2 {
				p[(top+y)*side+left+x] = vote
			}
		}
		return p
	}
	a, b := quadrant(0, 0, 0.9), quadrant(0, 2, 0.1)
	together := make([]float64, len(a))
	for i := range a {
		together[i] = rule.MaxMinusMin{Q: 0.5}.Compose(a[i], b[i])
	}
	s := render.Sheet{Scale: 18, Columns: 3, Breaks: []int{2}}
	for _, t := range []struct {
		p    []float64
		name string
	}{{a, "votes for"}, {b, "votes against"}, {together, "together"}} {
		s.Tiles = append(s.Tiles, render.Tile{Image: render.Template(side, side, t.p, render.Symmetric), Caption: t.name})
	}
	for _, p := range []struct {
		p    float64
		text string
	}{{0, "0, against"}, {0.5, "no opinion"}, {1, "1, for"}} {
		s.Legend = append(s.Legend, render.Swatch{Colour: render.Symmetric(p.p), Text: p.text})
	}
	return s
}

// rulesPicture shows what becomes of two opinions, one of them 0.7, under some rules.
func rulesPicture() render.Picture {
	var x []float64
	for i := range 101 {
		x = append(x, float64(i)/100)
	}
	var series []render.Series
	for _, r := range []struct {
		name string
		rule rule.Rule
	}{{"max", rule.Max{}}, {"max-minus-min", rule.MaxMinusMin{Q: 0.5}}, {"noisy-or", rule.NoisyOr{}}, {"mean", rule.Mean{}}} {
		s := render.Series{Name: r.name, X: x}
		for _, p := range x {
			s.Y = append(s.Y, r.rule.Compose(0.7, p))
		}
		series = append(series, s)
	}
	return render.Curves("One part says 0.7. What do both say?", "what the other part says", "composed", series)
}

// poolPicture shows densities of real values: the background, two opposite opinions,
// and their pool.
func poolPicture() render.Picture {
	background := real.Normal{Var: 1}
	up, down := real.Normal{Mean: 3, Var: 0.5}, real.Normal{Mean: -2, Var: 0.5}
	var x []float64
	for i := range 241 {
		x = append(x, float64(i-120)/20)
	}
	var series []render.Series
	for _, c := range []struct {
		name     string
		opinions []real.Normal
		dashed   bool
	}{{"no part: the background", nil, false}, {"a part that says 3", []real.Normal{up}, true}, {"a part that says -2", []real.Normal{down}, true}, {"both: their pool", []real.Normal{up, down}, false}} {
		s := render.Series{Name: c.name, X: x, Dashed: c.dashed}
		mix := real.Pool.Compose(0, background, c.opinions...)
		for _, v := range x {
			density := 0.0
			for _, part := range mix {
				density += part.Weight * math.Exp(part.LogDensity(v))
			}
			s.Y = append(s.Y, density)
		}
		series = append(series, s)
	}
	return render.Curves("A pixel with a real value", "value, in deviations of the background", "density", series)
}
