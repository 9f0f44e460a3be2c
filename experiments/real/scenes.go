package real

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

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
	m := SceneModel(g[:], 28, side, sd)
	m.Pi = slices.Repeat([]float64{1 / (1 + float64(len(g)))}, len(g)) // the odds against each are those of one in ten
	return m
}

// Scene returns a scene of five of the glyphs, the brighter one where they cross, under noise, and what it shows.
func (g *Glyphs) Scene(side int, sd float64, rng *rand.Rand) (s Scene) {
	s.Image = make([]float64, side*side)
	for _, k := range rng.Perm(10)[:5] {
		p := pose.Pose{DY: rng.IntN(side - 27), DX: rng.IntN(side - 27)}
		s.Truth = append(s.Truth, model.Pick{Expert: k, Pose: p})
		for f, x := range g[k] {
			at := (f/28+p.DY)*side + f%28 + p.DX
			s.Image[at] = max(s.Image[at], x)
		}
	}
	for d := range s.Image {
		s.Image[d] += sd * rng.NormFloat64()
	}
	return s
}

// ReportScenes prints in how many scenes all five digits are found and nothing else.
func ReportScenes(w io.Writer, rows [][]float64, class []int64, scenes int) error {
	fmt.Fprintf(w, "Scenes of five of ten grey digits, %d scenes each (seeds 0 to %d, other digits in each): all five "+
		"within a pixel, and nothing besides\n\n", scenes, scenes-1)
	t := stat.NewTable(w, "side", "noise 0.25", "0.5", "1", "CPU ms a scene")
	for _, side := range []int{64, 48} {
		var shares []string
		took := 0.0
		for _, sd := range []float64{.25, .5, 1} {
			found, err := stat.Seeds(scenes, func(seed uint64) (bool, error) {
				g := ChooseGlyphs(rows, class, seed)
				p, err := model.NewPursuit(g.Model(side, sd))
				if err != nil {
					return false, err
				}
				s := g.Scene(side, sd, rand.New(rand.NewPCG(seed, uint64(side))))
				began := stat.ProcessorTime()
				e, err := p.Explain(s.Image)
				took += (stat.ProcessorTime() - began).Seconds()
				return err == nil && s.Found(e.Picks), err
			})
			if err != nil {
				return err
			}
			right := stat.Count(found, func(f bool) bool { return f })
			shares = append(shares, fmt.Sprintf("%.2f", float64(right)/float64(scenes)))
		}
		t.Row("%d | %s | %.0f", side, strings.Join(shares, " | "), 1000*took/float64(3*scenes))
	}
	return nil
}
