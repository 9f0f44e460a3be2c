package real

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/patchwork/experiments/stat"
	model "example.com/patchwork/learn/real"
)

// GlyphModel returns the model of scenes of a side of ten grey images of 28 x 28, one of each digit, drawn from
// images with values from 0 to 255: each glyph where it is above 0.1 of full brightness, under noise of deviation sd. A
// pick must gain the logarithm of the number of all candidates.
func GlyphModel(rows [][]float64, class []int64, seed uint64, side int, sd float64) *model.Model {
	rng := rand.New(rand.NewPCG(seed, 28))
	parts := make([][]float64, 10)
	for c := range parts {
		i := rng.IntN(len(rows))
		for class[i] != int64(c) {
			i = rng.IntN(len(rows))
		}
		parts[c] = stat.Of(rows[i], func(x float64) float64 { return x / 255 })
	}
	m := SceneModel(parts, 28, side, sd)
	// The odds against each are those of one in ten.
	m.Pi = slices.Repeat([]float64{1 / (1 + float64(len(parts)))}, len(parts))
	return m
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
				m := GlyphModel(rows, class, seed, side, sd)
				p, err := model.NewPursuit(m)
				if err != nil {
					return false, err
				}
				s := NewScene(m, 5, rand.New(rand.NewPCG(seed, uint64(side))))
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
