package pairs

import (
	"context"
	"fmt"

	"example.com/patchwork/bitmap"
)

// describe explains images by given parts and improves these by EM, as Grow does
// when it has grown them. No part is split, joined or added.
func describe(ctx context.Context, images, parts []*bitmap.Image, o Options) (*Result, error) {
	g, err := newGrower(images, o)
	if err != nil {
		return nil, err
	}
	s, err := g.empty(ctx, growFlips[0])
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		if p.Height() > g.height || p.Width() > g.width {
			return nil, fmt.Errorf("pairs: part %d is %d x %d, the images %d x %d", i+1, p.Height(), p.Width(), g.height,
				g.width)
		}
		f := fieldOf(p.Height(), p.Width())
		on, _ := f.planesOf(p)
		shape, _, _ := f.trimmed(on)
		if shape.n == 0 {
			return nil, fmt.Errorf("pairs: part %d has no ink", i+1)
		}
		s.parts, s.uses = append(s.parts, shape), append(s.uses, len(images))
	}
	s = g.with(s, s.parts, s.uses)
	if err := g.explain(ctx, s, loose); err != nil {
		return nil, err
	}
	if s, err = g.iterate(ctx, s, loose, repairRounds, 0); err != nil {
		return nil, err
	}
	return g.result(ctx, s, images, []float64{s.length})
}
