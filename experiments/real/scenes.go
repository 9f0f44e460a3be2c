package real

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"example.com/patchwork/experiments/stat"
	model "example.com/patchwork/learn/real"
	"example.com/patchwork/pose"
)

// Glyphs are ten grey images of 28 x 28, 0 to 1, one of each digit.
type Glyphs [10][]float64

// ChooseGlyphs draws an image of each class from images with values from 0 to 255.
func ChooseGlyphs(rows [][]float64, class []int64, seed uint64) (g Glyphs) {
	rng := rand.New(rand.NewPCG(seed, 28))
	for c := range g {
		i := rng.IntN(len(rows))
		for class[i] != int64(c) {
			i = rng.IntN(len(rows))
		}
		for _, x := range rows[i] {
			g[c] = append(g[c], x/255)
		}
	}
	return g
}

// Model returns the model of scenes of a side: each glyph where it is above 0.1, under noise of deviation sd; a pick
// must gain the logarithm of the number of all candidates.
func (g *Glyphs) Model(side int, sd float64) *model.Model {
	m := &model.Model{Height: side, Width: side, FrameHeight: 28, FrameWidth: 28, Background: make([]model.Normal, side*side),
		Poses: pose.Grid{DY: pose.Range{Max: side - 28}, DX: pose.Range{Max: side - 28}}}
	for d := range m.Background {
		m.Background[d] = model.Normal{Var: sd * sd}
	}
	for _, glyph := range g {
		e := make([]model.Entry, 28*28)
		for f, x := range glyph {
			if x > .1 {
				e[f] = model.Entry{Vote: model.MeanOnly, Normal: model.Normal{Mean: x, Var: sd * sd}}
			}
		}
		m.Experts = append(m.Experts, e)
		m.Pi = append(m.Pi, 1/(1+float64(len(g)))) // the odds against it are those of one in ten
	}
	return m
}

// Scene returns a scene of five of the glyphs, the brighter one where they cross, under noise, and what it shows.
func (g *Glyphs) Scene(side int, sd float64, rng *rand.Rand) (image []float64, shown []model.Pick) {
	image = make([]float64, side*side)
	for _, k := range rng.Perm(10)[:5] {
		p := pose.Pose{DY: rng.IntN(side - 27), DX: rng.IntN(side - 27)}
		shown = append(shown, model.Pick{Expert: k, Pose: p})
		for f, x := range g[k] {
			at := (f/28+p.DY)*side + f%28 + p.DX
			image[at] = max(image[at], x)
		}
	}
	for d := range image {
		image[d] += sd * rng.NormFloat64()
	}
	return image, shown
}

// found reports whether the picks are what is shown, each within a pixel.
func found(picks, shown []model.Pick) bool {
	if len(picks) != len(shown) {
		return false
	}
	for _, s := range shown {
		ok := false
		for _, p := range picks {
			ok = ok || p.Expert == s.Expert && math.Abs(float64(p.Pose.DY-s.Pose.DY)) <= 1 && math.Abs(float64(p.Pose.DX-s.Pose.DX)) <= 1
		}
		if !ok {
			return false
		}
	}
	return true
}

// ReportScenes prints in how many scenes all five digits are found and nothing else.
func ReportScenes(w io.Writer, rows [][]float64, class []int64, scenes int) error {
	fmt.Fprintf(w, "Scenes of five of ten grey digits, %d scenes each (seeds 0 to %d, other digits in each): all five within a pixel, and nothing besides\n\n| side | noise 0.25 | 0.5 | 1 | CPU ms a scene |\n|---|---|---|---|---|\n", scenes, scenes-1)
	for _, side := range []int{64, 48} {
		fmt.Fprintf(w, "| %d |", side)
		took := 0.0
		for _, sd := range []float64{.25, .5, 1} {
			right := 0
			for seed := range uint64(scenes) {
				g := ChooseGlyphs(rows, class, seed)
				p, err := model.NewPursuit(g.Model(side, sd))
				if err != nil {
					return err
				}
				image, shown := g.Scene(side, sd, rand.New(rand.NewPCG(seed, uint64(side))))
				began := stat.ProcessorTime()
				e, err := p.Explain(image)
				if err != nil {
					return err
				}
				took += (stat.ProcessorTime() - began).Seconds()
				if found(e.Picks, shown) {
					right++
				}
			}
			fmt.Fprintf(w, " %.2f |", float64(right)/float64(scenes))
		}
		fmt.Fprintf(w, " %.0f |\n", 1000*took/float64(3*scenes))
	}
	return nil
}
