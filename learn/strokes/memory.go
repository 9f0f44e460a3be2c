package strokes

import (
	"context"
	"math"

	"example.com/patchwork/internal/recall"
	"example.com/patchwork/internal/wire"
)

// recalled returns how Explain explains the images, from the memory of the data if it
// has one that knows; else it explains them and keeps the result there.
func (l *Learner) recalled(ctx context.Context, st *State, afresh bool) ([]found, error) {
	out, err := recall.Or(l.data.Memory, "an E-step", func() string { return l.key(st, afresh) },
		func(c *wire.Codec, all *[]found) { l.code(c, all, len(st.templates)) }, func() (*[]found, error) {
			all, err := l.explain(ctx, st, afresh)
			return &all, err
		})
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// key returns the key of an E-step, of everything that its result depends on except the
// images.
func (l *Learner) key(st *State, afresh bool) string {
	var picks [][]pick
	if !afresh {
		picks = st.picks
	}
	g := l.ground
	return recall.Key("strokes", g.height, g.width, g.grid, l.levels.p, g.outside, l.reuse, l.opt.Shared,
		afresh, st.templates, picks)
}

// code writes explanations by so many experts, or reads those of the learner's images.
func (l *Learner) code(c *wire.Codec, all *[]found, experts int) {
	wire.List(c, all, len(l.data.Images))
	for i := range *all {
		f := &(*all)[i]
		n := len(f.picks)
		wire.Count(c, &n, math.MaxInt32)
		wire.List(c, &f.picks, n)
		for j := range f.picks {
			p := &f.picks[j]
			for _, v := range []*int{&p.expert, &p.turn, &p.dy, &p.dx} {
				wire.Signed(c, v)
			}
			c.Check(p.expert >= 0 && p.expert < experts && p.turn >= 0 && p.turn < len(l.ground.turns) && l.ground.has(*p),
				"no pick of this model")
		}
		wire.Count(c, &f.double, math.MaxInt32)
		c.Float(&f.logLik)
	}
}

// has reports whether the grid has the shift of a pick.
func (g *ground) has(p pick) bool {
	_, okY := g.grid.DY.Index(p.dy)
	_, okX := g.grid.DX.Index(p.dx)
	return okY && okX
}
