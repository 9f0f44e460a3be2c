package learn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

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

// cut says how an image is cut.
type cut struct {
	beside float64 // probability beside the pieces
	richly bool    // into more pieces than experts, of which some are joined at random
}

// mostClouds is the most pieces that rich cuts make beside the number of experts.
const mostClouds = 5

// cut returns how an image is cut. The M-step of strokes lets entries vote that did
// not, so there is nothing beside their pieces.
func (o Options) cut(c patchwork.Config) cut {
	if o.Method == MethodStrokes {
		return cut{c.Q, o.Straight > 0}
	}
	return cut{beside: splitOff}
}

// splitModel makes K experts by cutting the ink of one image into K elongated
// pieces: a mixture of K Gaussians over the positions of its on pixels, each
// pixel to the Gaussian that most probably put it there. Each piece becomes an
// expert with probability 0.9 on its ink and 0.05 elsewhere. Pen strokes are such
// pieces; round ones (k-means) are corners of the letters H, E, A and N, and
// predict other writers' letters worse (experiments/README.md).
// The image must have at least K on pixels. The error may be the context's.
func splitModel(ctx context.Context, cfg patchwork.Config, img *bitmap.Image, experts int, how cut,
	rng *rand.Rand) (*patchwork.Model, error) {
	if err := rows.ValidateConfig(cfg); err != nil {
		return nil, err
	}
	if img.Height() != cfg.Height || img.Width() != cfg.Width {
		return nil, &patchwork.SizeError{Height: img.Height(), Width: img.Width(), ModelHeight: cfg.Height,
			ModelWidth: cfg.Width}
	}
	ink := inkOf(img)
	if experts < 1 || len(ink) < experts {
		return nil, fmt.Errorf("patchwork: %d on pixels cannot be cut into %d parts", len(ink), experts)
	}
	clouds := experts
	if how.richly {
		clouds = min(experts+1+rng.IntN(mostClouds), len(ink))
	}
	cut, err := cluster.Cut(ctx, ink, clouds, rng)
	if err != nil {
		return nil, err
	}
	piece := joined(ink, cut, clouds, experts, rng)
	templates := make([][]float64, experts)
	for k := range templates {
		templates[k] = make([]float64, img.Len())
		for i := range templates[k] {
			templates[k][i] = how.beside
		}
	}
	for i, p := range ink {
		templates[piece[i]][int(p.Y)*cfg.Width+int(p.X)] = splitOn
	}
	return patchwork.NewModel(cfg, templates)
}

// joined joins pieces of ink that touch, at random, until there are so many; pieces
// that touch no other are joined last.
func joined(ink []cluster.Point, piece []int, pieces, experts int, rng *rand.Rand) []int {
	if pieces == experts {
		return piece
	}
	at := make(map[cluster.Point]int, len(ink))
	for i, p := range ink {
		at[p] = i
	}
	for ; pieces > experts; pieces-- {
		var touching [][2]int
		for i, p := range ink {
			for _, q := range []cluster.Point{{Y: p.Y, X: p.X + 1}, {Y: p.Y + 1, X: p.X}} {
				if j, ok := at[q]; ok && piece[i] != piece[j] {
					if pair := [2]int{min(piece[i], piece[j]), max(piece[i], piece[j])}; !slices.Contains(touching, pair) {
						touching = append(touching, pair)
					}
				}
			}
		}
		pair := [2]int{0, 1}
		if len(touching) > 0 {
			pair = touching[rng.IntN(len(touching))]
		}
		for i, p := range piece {
			switch p {
			case pair[1]:
				piece[i] = pair[0]
			case pieces - 1:
				piece[i] = pair[1]
			}
		}
	}
	return piece
}
