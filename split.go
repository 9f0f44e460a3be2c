package patchwork

import (
	"fmt"
	"math"
	"math/rand/v2"

	"example.com/patchwork/bitmap"
)

// splitOn and splitOff are the probabilities of ink in and beside the pieces
// of SplitModel: sure enough to find their place, soft enough for the first
// sweep to correct. Beside its piece an expert must still vote, weakly: where
// it abstains it never learns.
const splitOn, splitOff = 0.9, 0.05

// SplitModel makes K experts by cutting the ink of one image into K compact
// pieces: k-means on the positions of its on pixels (Lloyd's algorithm from a
// k-means++ start). Each piece becomes an expert with probability .9 on its
// ink and .05 elsewhere. It is the better start for letters in eight of
// nine cases (findings, section 3). The image must have at least K on pixels.
func SplitModel(cfg Config, img *bitmap.Image, experts int, rng *rand.Rand) (*Model, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if img.Height() != cfg.Height || img.Width() != cfg.Width {
		return nil, &SizeError{img.Height(), img.Width(), cfg.Height, cfg.Width, false}
	}
	var ink []point
	for y := range img.Height() {
		for x := range img.Width() {
			if img.At(y, x) {
				ink = append(ink, point{float64(y), float64(x)})
			}
		}
	}
	if experts < 1 || len(ink) < experts {
		return nil, fmt.Errorf("patchwork: %d on pixels cannot be cut into %d experts", len(ink), experts)
	}
	piece := kMeans(ink, experts, rng)
	templates := make([][]float64, experts)
	for k := range templates {
		templates[k] = make([]float64, img.Len())
		for i := range templates[k] {
			templates[k][i] = splitOff
		}
	}
	for i, p := range ink {
		templates[piece[i]][int(p.y)*cfg.Width+int(p.x)] = splitOn
	}
	return NewModel(cfg, templates)
}

type point struct{ y, x float64 }

func (p point) distance2(q point) float64 { return (p.y-q.y)*(p.y-q.y) + (p.x-q.x)*(p.x-q.x) }

// kMeans assigns each point to one of k clusters, ties to the lowest.
func kMeans(points []point, k int, rng *rand.Rand) []int {
	centres := spread(points, k, rng)
	cluster := make([]int, len(points))
	for range 100 { // it converges in a dozen rounds
		moved := false
		for i, p := range points {
			if c := nearest(p, centres); c != cluster[i] {
				cluster[i], moved = c, true
			}
		}
		sum, n := make([]point, k), make([]float64, k)
		for i, p := range points {
			c := cluster[i]
			sum[c].y, sum[c].x, n[c] = sum[c].y+p.y, sum[c].x+p.x, n[c]+1
		}
		for c := range centres {
			if n[c] > 0 {
				centres[c] = point{sum[c].y / n[c], sum[c].x / n[c]}
			}
		}
		if !moved {
			break
		}
	}
	return cluster
}

func nearest(p point, centres []point) int {
	best, least := 0, math.Inf(1)
	for c, q := range centres {
		if d := p.distance2(q); d < least {
			best, least = c, d
		}
	}
	return best
}

// spread draws k centres among the points, each with probability in
// proportion to its squared distance from those before (Arthur and
// Vassilvitskii 2007).
func spread(points []point, k int, rng *rand.Rand) []point {
	centres := []point{points[rng.IntN(len(points))]}
	distance := make([]float64, len(points))
	for len(centres) < k {
		total := 0.0
		for i, p := range points {
			distance[i] = p.distance2(centres[nearest(p, centres)])
			total += distance[i]
		}
		at, i := rng.Float64()*total, 0
		for ; i < len(points)-1 && at >= distance[i]; i++ {
			at -= distance[i]
		}
		centres = append(centres, points[i])
	}
	return centres
}
