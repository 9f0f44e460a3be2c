package synth

import (
	"cmp"

	"example.com/patchwork/bitmap"
)

// BarsOptions holds the options for a set of [Bars].
type BarsOptions struct {
	N    int      // images, 1 or more
	Side int      // pixels, 1 to 256; 0 means 5
	On   *float64 // probability that a bar is on; nil means 1/Side: two bars per image on average
	Flip *float64 // probability that a pixel is flipped; nil means 0.05
	Seed uint64
}

// BarTruth is the ground truth of a set of bars. As arrays:
//
//	active (N,2*side)         uint8  1 where bar k is on in image i
//	bars   (2*side,side,side) uint8  the bars, 1 = on
//	clean  (N,side,side)      uint8  the images before the flips
//
// Bar k < side is row k; bar side+k is column k.
type BarTruth struct {
	Active [][]bool        // N rows of 2*side
	Bars   []*bitmap.Image // 2*side
	Clean  []*bitmap.Image // N
}

// Arrays lists the arrays named in the documentation of the type.
func (t *BarTruth) Arrays() []Array {
	return []Array{
		flags("active", t.Active, len(t.Bars)),
		ImageArray("bars", t.Bars),
		ImageArray("clean", t.Clean),
	}
}

// Bars samples the bars test: each of 2*Side bars is on independently, a pixel
// is on where a bar covers it (a disjunction, so crossings add nothing), and
// pixels are flipped. P. Földiák, "Forming sparse representations by local
// anti-Hebbian learning", Biological Cybernetics 64 (1990). The clean images
// do not depend on Flip. The error is an [*OptionError].
func Bars(o BarsOptions) (*Set[*BarTruth], error) {
	side := cmp.Or(o.Side, 5)
	if err := checkSide(KindBars, side, 1, 256); err != nil {
		return nil, err
	}
	on, noise := or(o.On, 1/float64(side)), Noise{Flip: or(o.Flip, 0.05)}
	err := cmp.Or(checkN(KindBars, o.N, side), checkProb(KindBars, "On", on), checkProb(KindBars, "Flip", noise.Flip))
	if err != nil {
		return nil, err
	}
	truth := &BarTruth{
		Active: make([][]bool, o.N),
		Bars:   bars(side),
		Clean:  make([]*bitmap.Image, o.N),
	}
	set := &Set[*BarTruth]{Kind: KindBars, Images: make([]*bitmap.Image, o.N), Truth: truth}
	for i := range o.N {
		r := stream(o.Seed, forBars, i)
		active, clean := make([]bool, 2*side), bitmap.New(side, side)
		for k := range active {
			if active[k] = chance(r, on); active[k] {
				paintBar(clean, k)
			}
		}
		truth.Active[i], truth.Clean[i] = active, clean
		set.Images[i] = noise.Apply(r, clean)
	}
	return set, nil
}

// bars draws each bar alone.
func bars(side int) []*bitmap.Image {
	out := make([]*bitmap.Image, 2*side)
	for k := range out {
		out[k] = bitmap.New(side, side)
		paintBar(out[k], k)
	}
	return out
}

// paintBar turns bar k of a square image on.
func paintBar(m *bitmap.Image, k int) {
	side := m.Width()
	for j := range side {
		if k < side {
			m.Set(k, j, true)
		} else {
			m.Set(j, k-side, true)
		}
	}
}
