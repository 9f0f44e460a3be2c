package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/cluster"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn/strokes"
)

const (
	// A start of an alphabet cuts images into 2 or 3 pieces; a part that is made anew is
	// of 3 or 4, because what the parts beside it leave is smaller. leastPiece is the
	// least share of the ink for a piece.
	firstPieces, laterPieces = 2, 3
	leastPiece               = 0.15
	// edgeOn is the probability around a piece: another image's strokes are never quite
	// the same, and a part that is sure of one image is not used for others.
	edgeOn = 0.4
	// piecesTried is how many pieces an expert is chosen from: the one least like the
	// experts before it, so that the shapes of an alphabet differ.
	piecesTried = 4
)

// piecesModel makes K experts of pieces of images drawn at random: each is cut as by
// splitModel, and one piece is laid upright in the middle of the frame.
func piecesModel(ctx context.Context, data patchwork.Data, cfg patchwork.Config, experts int,
	rng *rand.Rand) (*patchwork.Model, error) {
	var templates [][]float64
	for len(templates) < experts {
		t := newPiece(ctx, data, cfg, templates, firstPieces, rng)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if t == nil {
			return nil, fmt.Errorf("patchwork: the images have too little ink to be cut into pieces")
		}
		templates = append(templates, t)
	}
	return patchwork.NewModel(cfg, templates)
}

// newPiece returns the one of several pieces of images that is least like the templates
// there are; nil if the images have too little ink.
func newPiece(ctx context.Context, data patchwork.Data, cfg patchwork.Config, templates [][]float64, cuts int,
	rng *rand.Rand) (best []float64) {
	least := math.Inf(1)
	for range piecesTried {
		t := pieceOf(ctx, data.Images[rows.Draw(data, rng)], cfg, cuts, rng)
		if like := likest(t, templates); t != nil && like < least {
			best, least = t, like
		}
	}
	return best
}

// pieceOf cuts an image into so many pieces, or one more, and returns one of them, laid
// upright in the middle of the frame; nil if there is too little ink.
func pieceOf(ctx context.Context, img *bitmap.Image, cfg patchwork.Config, pieces int, rng *rand.Rand) []float64 {
	ink := inkOf(img)
	pieces += rng.IntN(2)
	if len(ink) < pieces {
		return nil
	}
	piece, err := cluster.Cut(ctx, ink, pieces, rng)
	if err != nil {
		return nil // whoever asks looks at the context
	}
	which := rng.IntN(pieces)
	own := make(map[cluster.Point]bool)
	var y, x float64
	for i, p := range ink {
		if piece[i] == which {
			own[p] = true
			y, x = y+p.Y, x+p.X
		}
	}
	n := float64(len(own))
	if n < 1 || n < leastPiece*float64(len(ink)) {
		return nil
	}
	y, x = y/n, x/n
	sin, cos := axis(own, y, x)
	t := make([]float64, cfg.Height*cfg.Width)
	for i := range t {
		dy, dx := float64(i/cfg.Width)-float64(float64(cfg.Height-1)/2), float64(i%cfg.Width)-float64(float64(cfg.Width-1)/2)
		p := cluster.Point{Y: math.Round(y + float64(cos*dy) - float64(sin*dx)),
			X: math.Round(x + float64(sin*dy) + float64(cos*dx))}
		switch {
		case own[p]:
			t[i] = splitOn
		case own[cluster.Point{Y: p.Y - 1, X: p.X}] || own[cluster.Point{Y: p.Y + 1, X: p.X}] ||
			own[cluster.Point{Y: p.Y, X: p.X - 1}] || own[cluster.Point{Y: p.Y, X: p.X + 1}]:
			t[i] = edgeOn
		}
	}
	return t
}

// axis returns the direction in which points extend most from their middle, as the sine
// and cosine of the angle from upright.
func axis(points map[cluster.Point]bool, y, x float64) (sin, cos float64) {
	var yy, xx, xy int64 // in half pixels, so that their order does not matter
	y2, x2 := math.Round(2*y), math.Round(2*x)
	for p := range points {
		dy, dx := int64(float64(2*p.Y)-y2), int64(float64(2*p.X)-x2)
		yy, xx, xy = yy+dy*dy, xx+dx*dx, xy+dy*dx
	}
	return elem.Sincos(elem.Atan2(2*float64(xy), float64(yy-xx)) / 2)
}

// inkOf returns the on pixels of an image.
func inkOf(img *bitmap.Image) []cluster.Point {
	var ink []cluster.Point
	for y := range img.Height() {
		for x := range img.Width() {
			if img.At(y, x) {
				ink = append(ink, cluster.Point{Y: float64(y), X: float64(x)})
			}
		}
	}
	return ink
}

// likest returns how much of its ink a template shares with the one of others that it
// is most like, of all their ink: 0 for nothing, 1 for all.
func likest(t []float64, others [][]float64) float64 {
	most := 0.0
	for _, o := range others {
		both, any := 0, 0
		for i, p := range t {
			if p > 0.5 && o[i] > 0.5 {
				both++
			}
			if p > 0.5 || o[i] > 0.5 {
				any++
			}
		}
		most = max(most, float64(both)/float64(max(any, 1)))
	}
	return most
}

// sameShape is how much of their ink two parts share, at their best turn, that are taken
// for one shape; rarely is the share of all picks below which a part is of no use.
const (
	sameShape = 0.7
	rarely    = 0.01
)

// renewed returns the templates of a state, which abstain at 0 whatever the background,
// with new ones in the place of those that are hardly used, or are the shape of another
// one that is used more: pieces of other images, the least like all others of several.
func (r *strokeRun) renewed(ctx context.Context, st *strokes.State, start int) [][]float64 {
	templates := r.learner.Templates(st)
	for _, t := range templates {
		for i, p := range t {
			if p <= r.base.Config().Q {
				t[i] = 0
			}
		}
	}
	idle := r.idle(st, templates)
	rng := rng(r.opt.Seed, r.opt.Starts*(1+len(r.data.Images))+start)
	for k := range templates {
		if !idle[k] {
			continue
		}
		var others [][]float64
		for o, t := range templates {
			if o < k || o > k && !idle[o] {
				others = append(others, t)
			}
		}
		if t := newPiece(ctx, r.data, r.base.Config(), others, laterPieces, rng); t != nil {
			templates[k] = t
		}
	}
	return templates
}

// idle reports which experts are hardly used, or have the shape of one that is used more.
func (r *strokeRun) idle(st *strokes.State, templates [][]float64) []bool {
	uses, all := make([]int64, len(templates)), int64(0)
	for i := range r.data.Images {
		for _, p := range r.learner.Picks(st, i) {
			uses[p.Expert] += r.data.Weight(i)
			all += r.data.Weight(i)
		}
	}
	m := r.base.WithTemplates(templates, patchwork.Extras{})
	out := make([]bool, len(templates))
	for k := range templates {
		out[k] = float64(uses[k]) < rarely*float64(all)
		for o := range templates {
			more := uses[o] > uses[k] || uses[o] == uses[k] && o < k
			out[k] = out[k] || more && o != k && turnedAlike(m, o, k) > sameShape
		}
	}
	return out
}

// turnedAlike returns how much of their ink two experts share, of all their ink, where
// the first is in the turn in which that is the most.
func turnedAlike(m *patchwork.Model, a, b int) float64 {
	most, grid := 0.0, m.Config().Poses
	for t := range grid.Turns() {
		p := m.Compose(m.Height(), m.Width(), []patchwork.Pick{{Expert: a, Pose: grid.Turn(t)}}).P
		most = max(most, likest(p, [][]float64{m.Template(b)}))
	}
	return most
}
