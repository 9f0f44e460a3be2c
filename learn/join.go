package learn

import (
	"context"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn/strokes"
)

// FromJoining is Start.Method of parts that were joined of pieces.
const FromJoining = "joined"

// thickest is the largest share of the side of images that the width of thin strokes has.
const thickest = 0.1

// joins reports whether parts of the images are strokes that can be joined: thin ones, in images of the size of the
// frame.
func (o Options) joins(c patchwork.Config, data patchwork.Data) bool {
	if o.WithDefaults(c).Method != MethodStrokes || o.Alphabet || o.Straight > 0 || o.Continue != nil ||
		rows.SameSize(data.Images, c.Height, c.Width) != nil {
		return false
	}
	ink, sides := 0, 0
	for i, img := range data.Images {
		if data.Weight(i) > 0 {
			ink, sides = ink+img.CountOn(), sides+sidesOf(img)
		}
	}
	return widthOf(ink, sides) <= thickest*math.Sqrt(float64(c.Height*c.Width))
}

// widthOf returns how wide strokes are that have so much ink and so many sides of pixels on their edges; the factor is
// between that of upright strokes and that of slanted ones.
func widthOf(ink, sides int) float64 { return 2.2 * float64(ink) / float64(max(sides, 1)) }

// sidesOf counts the sides of pixels of ink beyond which there is none.
func sidesOf(img *bitmap.Image) int {
	n := 0
	for y := range img.Height() {
		for x := range img.Width() {
			if !img.At(y, x) {
				continue
			}
			for _, by := range [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				ny, nx := y+by[0], x+by[1]
				if ny < 0 || nx < 0 || ny >= img.Height() || nx >= img.Width() || !img.At(ny, nx) {
					n++
				}
			}
		}
	}
	return n
}

// joinStrokes joins parts of a model that was learned from the data, where opt.joins; nil if nothing is joined.
func joinStrokes(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt Options,
	m *patchwork.Model) (*patchwork.Model, error) {
	opt = opt.WithDefaults(cfg)
	r, err := newStrokeRun(data, cfg, opt, 1)
	if err != nil {
		return nil, err
	}
	s := strokeStart{how: FromJoining, state: r.learner.Start(m.Templates())}
	if err := r.learner.Explain(ctx, s.state, true); err != nil {
		return nil, err
	}
	changed, err := r.learner.Join(ctx, s.state, func(st *strokes.State) {
		s.rounds++
		r.opt.tell(r.step(s.rounds, st))
	})
	if err != nil || !changed {
		return nil, err
	}
	r.end(s)
	joined, err := r.choose(ctx)
	if err != nil {
		return nil, err
	}
	extras, before := joined.Extras(), m.Extras().Record.Starts
	extras.Record.Starts[0].Pieces = m.K()
	extras.Record.Chosen = len(before)
	extras.Record.Starts = append(slices.Clone(before), extras.Record.Starts...)
	return joined.WithExtras(extras)
}
