package classes

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/cluster"
	"example.com/patchwork/pose"
)

// cutsOf are the numbers of pieces into which an example is cut. One cut is chance: the
// mean over several names more images rightly (experiments/README.md).
var cutsOf = [...]int{1, 2, 3, 4}

// The probabilities of ink at and around the ink of an example, and far from it. A
// pixel whose four neighbours are ink as well is the surest.
const (
	inside     = 0.96
	inkItself  = 0.92
	besideInk  = 0.3
	cornerInk  = 0.15
	background = 0.02
)

// Config returns the recommended configuration of the cuts of examples, for images of
// height x width pixels: pieces are shifted by up to 0.15 of the side, and turned by up
// to 16 degrees in steps of 8.
func Config(height, width int) patchwork.Config {
	grid := pose.Grid{DY: reach(height), DX: reach(width), Angles: pose.Evenly(16, 8)}
	return patchwork.NewConfig(patchwork.RuleMax, height, width, grid)
}

// reach returns the shifts along a side: at most 13 of them.
func reach(side int) pose.Range {
	r := int(math.Round(0.15 * float64(side)))
	step := max(1, r/6)
	return pose.Symmetric(r/step*step, step)
}

// Example is an example that is kept whole.
type Example struct {
	Row int // its number in the data that Learn was given, see Options.Rows

	// Pieces are its cuts into one piece and more, each with a number per pixel,
	// row-major: 0 where there is no ink, or it is not known, and k in piece k, from 1.
	Pieces [][]uint8
	Cuts   []*patchwork.Model // the models of these
}

// Cut cuts an image into one, two, three and four elongated pieces, as far as it has ink,
// and returns Example.Pieces. The error is the context's.
func Cut(ctx context.Context, img *bitmap.Image, rng *rand.Rand) (_ [][]uint8, err error) {
	var ink []cluster.Point
	for y := range img.Height() {
		for x := range img.Width() {
			if img.At(y, x) {
				ink = append(ink, cluster.Point{Y: float64(y), X: float64(x)})
			}
		}
	}
	var out [][]uint8
	for _, pieces := range cutsOf {
		if pieces > 1 && pieces > len(ink) {
			break
		}
		piece := make([]int, len(ink))
		if pieces > 1 {
			if piece, err = cluster.Cut(ctx, ink, pieces, rng); err != nil {
				return nil, err
			}
		}
		numbers := make([]uint8, img.Len())
		for i, p := range ink {
			numbers[int(p.Y)*img.Width()+int(p.X)] = uint8(piece[i] + 1)
		}
		out = append(out, numbers)
	}
	return out, nil
}

// NewExample returns an example with the models of its cuts. The configuration says where
// pieces may be; its frame is the image's, and its rule and background are replaced. The
// error says which cut does not fit.
func NewExample(row int, cfg patchwork.Config, pieces [][]uint8) (Example, error) {
	cfg.Q, cfg.Truncate, cfg.Rule = background, false, patchwork.RuleMax
	e := Example{Row: row, Pieces: pieces}
	if len(pieces) < 1 || len(pieces) > len(cutsOf) {
		return e, fmt.Errorf("patchwork: %d cuts of an example; there are 1 to %d", len(pieces), len(cutsOf))
	}
	for n, numbers := range pieces {
		if len(numbers) != cfg.Height*cfg.Width {
			return e, fmt.Errorf("patchwork: a cut of %d pixels for images of %d x %d", len(numbers), cfg.Height, cfg.Width)
		}
		if most := int(slices.Max(numbers)); most > cutsOf[n] {
			return e, fmt.Errorf("patchwork: a cut into %d pieces has number %d", cutsOf[n], most)
		}
		m, err := patchwork.NewModel(cfg, softened(numbers, cfg.Width, cutsOf[n]))
		if err != nil {
			return e, err
		}
		e.Cuts = append(e.Cuts, m)
	}
	return e, nil
}

// softened returns the templates of the pieces of an image, given their numbers by pixel.
func softened(numbers []uint8, w, pieces int) [][]float64 {
	h := len(numbers) / w
	at := func(y, x int) int {
		if y < 0 || x < 0 || y >= h || x >= w {
			return -1
		}
		return y*w + x
	}
	on := func(y, x int) bool { i := at(y, x); return i >= 0 && numbers[i] > 0 }
	templates := make([][]float64, pieces)
	for k := range templates {
		templates[k] = slices.Repeat([]float64{background}, h*w)
	}
	for i, k := range numbers {
		if k == 0 {
			continue
		}
		y, x := i/w, i%w
		say := func(dy, dx int, p float64) {
			if j := at(y+dy, x+dx); j >= 0 {
				templates[k-1][j] = max(templates[k-1][j], p)
			}
		}
		if on(y-1, x) && on(y+1, x) && on(y, x-1) && on(y, x+1) {
			say(0, 0, inside)
		}
		say(0, 0, inkItself)
		for _, d := range [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
			say(d[0], d[1], besideInk)
			say(d[0]+d[1], d[1]-d[0], cornerInk)
		}
	}
	return templates
}
