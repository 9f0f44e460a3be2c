package learn

import (
	"fmt"
	"math/rand/v2"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/cluster"
	"example.com/patchwork/internal/rows"
)

// splitOn and splitOff are the probabilities of ink inside and outside the pieces
// of splitModel: certain enough to find their place, soft enough for the first
// sweep to correct. Outside its piece an expert must still vote, weakly: where it
// abstains it never learns.
const splitOn, splitOff = 0.9, 0.05

// splitModel makes K experts by cutting the ink of one image into K elongated
// pieces: a mixture of K Gaussians over the positions of its on pixels, each
// pixel to the Gaussian that most probably put it there. Each piece becomes an
// expert with probability 0.9 on its ink and 0.05 elsewhere. Pen strokes are such
// pieces; round ones (k-means) are corners of the letters H, E, A and N, and
// predict other writers' letters worse (experiments/README.md).
// The image must have at least K on pixels.
func splitModel(cfg patchwork.Config, img *bitmap.Image, experts int, rng *rand.Rand) (*patchwork.Model, error) {
	if err := rows.ValidateConfig(cfg); err != nil {
		return nil, err
	}
	if img.Height() != cfg.Height || img.Width() != cfg.Width {
		return nil, &patchwork.SizeError{Height: img.Height(), Width: img.Width(), ModelHeight: cfg.Height, ModelWidth: cfg.Width}
	}
	var ink []cluster.Point
	for y := range img.Height() {
		for x := range img.Width() {
			if img.At(y, x) {
				ink = append(ink, cluster.Point{Y: float64(y), X: float64(x)})
			}
		}
	}
	if experts < 1 || len(ink) < experts {
		return nil, fmt.Errorf("patchwork: %d on pixels cannot be cut into %d parts", len(ink), experts)
	}
	piece := cluster.Cut(ink, experts, rng)
	templates := make([][]float64, experts)
	for k := range templates {
		templates[k] = make([]float64, img.Len())
		for i := range templates[k] {
			templates[k][i] = splitOff
		}
	}
	for i, p := range ink {
		templates[piece[i]][int(p.Y)*cfg.Width+int(p.X)] = splitOn
	}
	return patchwork.NewModel(cfg, templates)
}
