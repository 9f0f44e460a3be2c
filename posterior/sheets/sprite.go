package sheets

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"example.com/patchwork/internal/elem"
)

// Unit is the unit of gains inside the search: 1/256 nat.
const Unit = 1.0 / 256

// maxLevels bounds the levels of a sprite; templates of more values are rounded.
const maxLevels = 8

// margin is how many rows and columns of bare paper around its strokes belong to a symbol.
const margin = 2

// level is a set of pixels of one weight: what they gain where there is ink and where
// there is none, in units. Unknown pixels gain nothing.
type level struct {
	on, off int32
	p       float64  // probability of ink, before the noise of the page
	bits    []uint64 // h*words, the pixels
	n       int32    // number of pixels
}

// sprite is a symbol laid in one way, trimmed to its strokes.
type sprite struct {
	symbol int
	turn   Turn
	h, w   int
	words  int     // of a row of bits
	dy, dx float64 // from the corner of the sprite to that of the symbol's frame
	levels []level
	cells  []cell // see arrange

	blank int32 // gain on bare paper
	ideal int32 // gain on the page as the symbol would have it
	need  int32 // least gain of a candidate
	ink   int32 // pixels that are more likely ink than not

	base      *sprite // of one that a pen draws: the symbol's own strokes
	top, left int     // and where they are in it
	zones     []uint8 // see zone
}

// own returns the sprite of the symbol's own strokes, and where it is if this one is at (y, x).
func (sp *sprite) own(y, x int32) (*sprite, int, int) {
	if sp.base == nil {
		return sp, int(y), int(x)
	}
	return sp.base, int(y) + sp.top, int(x) + sp.left
}

// layOut returns a symbol laid in one way as a sprite without weights; nil if it has
// no ink.
func layOut(index int, s *Symbol, t Turn) *sprite {
	laid, dy, dx := s.turned(t)
	y0, y1, x0, x1 := laid.strokes()
	if y0 > y1 {
		return nil
	}
	y0, x0 = max(0, y0-margin), max(0, x0-margin)
	y1, x1 = min(laid.Height-1, y1+margin), min(laid.Width-1, x1+margin)
	sp := &sprite{symbol: index, turn: t, h: y1 - y0 + 1, w: x1 - x0 + 1, dy: -dy - float64(y0), dx: -dx - float64(x0)}
	sp.words = (sp.w + 63) / 64
	var all []float64
	for y := range sp.h {
		all = append(all, laid.P[(y0+y)*laid.Width+x0:][:sp.w]...)
	}
	sp.fill(all, values(laid.P))
	return sp
}

// fill makes the levels of a sprite from the probabilities of its pixels, NaN where it says nothing.
func (sp *sprite) fill(all, values []float64) {
	for i, p := range all {
		if math.IsNaN(p) {
			continue
		}
		l, y, x := sp.level(nearest(values, p)), i/sp.w, i%sp.w
		l.bits[y*sp.words+x/64] |= 1 << (x % 64)
		l.n++
	}
	slices.SortFunc(sp.levels, func(a, b level) int { return cmp.Compare(b.p, a.p) })
}

// strokes returns the first and last row and column with ink of some likelihood.
func (s *Symbol) strokes() (y0, y1, x0, x1 int) {
	y0, x0, y1, x1 = s.Height, s.Width, -1, -1
	for i, p := range s.P {
		if p >= 0.5 {
			y, x := i/s.Width, i%s.Width
			y0, y1, x0, x1 = min(y0, y), max(y1, y), min(x0, x), max(x1, x)
		}
	}
	return y0, y1, x0, x1
}

// values returns the probabilities of pixels, in increasing order, those of many
// values rounded to a few that are evenly apart as log-odds.
func values(pixels []float64) []float64 {
	var all []float64
	for _, p := range pixels {
		if !math.IsNaN(p) {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) <= maxLevels {
		return all
	}
	out := make([]float64, maxLevels)
	for i := range out {
		out[i] = 1 / (1 + elem.Exp(4-8*float64(i)/(maxLevels-1)))
	}
	return out
}

// nearest returns the value whose log-odds are nearest to those of p.
func nearest(values []float64, p float64) float64 {
	logit := func(p float64) float64 { p = min(max(p, 1e-6), 1-1e-6); return elem.Log(p / (1 - p)) }
	if _, exact := slices.BinarySearch(values, p); exact {
		return p
	}
	best := values[0]
	for _, v := range values {
		if math.Abs(logit(v)-logit(p)) < math.Abs(logit(best)-logit(p)) {
			best = v
		}
	}
	return best
}

// level returns the level of a probability.
func (sp *sprite) level(p float64) *level {
	for i := range sp.levels {
		if sp.levels[i].p == p {
			return &sp.levels[i]
		}
	}
	sp.levels = append(sp.levels, level{p: p, bits: make([]uint64, sp.h*sp.words)})
	return &sp.levels[len(sp.levels)-1]
}

// same reports whether two sprites are the same picture, so that one of them says
// nothing new.
func (sp *sprite) same(o *sprite) bool {
	return sp.h == o.h && sp.w == o.w && slices.EqualFunc(sp.levels, o.levels, func(a, b level) bool {
		return a.p == b.p && slices.Equal(a.bits, b.bits)
	})
}

// weigh sets the weights of a sprite on a page of the given rates.
func (sp *sprite) weigh(r Rates, share, least float64) {
	units := func(nats float64) int32 { return int32(math.Round(nats / Unit)) }
	sp.blank, sp.ideal, sp.ink = 0, 0, 0
	for i := range sp.levels {
		l := &sp.levels[i]
		p := float64(l.p*(1-r.Miss)) + float64((1-l.p)*r.Extra)
		l.on, l.off = units(elem.Log(p/r.Page)), units(elem.Log((1-p)/(1-r.Page)))
		sp.blank += l.n * l.off
		sp.ideal += l.n * max(l.on, l.off)
		if l.p >= 0.5 {
			sp.ink += l.n
		}
	}
	sp.need = max(units(least), int32(math.Ceil(share*float64(sp.ideal))), 1)
	sp.arrange()
}

// cell is a word of a row of a sprite: the pixels of each level that has some there.
type cell struct {
	r, c  int
	parts []part
	rest  int32 // the most that this cell and those after it gain beyond blank paper
}

// part is the pixels of one level in a cell, with what each gains beyond blank paper where it is ink or unknown.
type part struct {
	bits        uint64
	on, unknown int32
}

// arrange lists the cells of a sprite with its weights, those first that tell most.
func (sp *sprite) arrange() {
	sp.cells = sp.cells[:0]
	for r := range sp.h {
		for c := range sp.words {
			cell := cell{r: r, c: c}
			for i := range sp.levels {
				l := &sp.levels[i]
				if b := l.bits[r*sp.words+c]; b != 0 {
					cell.parts = append(cell.parts, part{b, l.on - l.off, -l.off})
					cell.rest += max(l.on-l.off, -l.off, 0) * int32(bits.OnesCount64(b))
				}
			}
			sp.cells = append(sp.cells, cell)
		}
	}
	slices.SortStableFunc(sp.cells, func(a, b cell) int { return cmp.Compare(b.rest, a.rest) })
	for i := len(sp.cells) - 2; i >= 0; i-- {
		sp.cells[i].rest += sp.cells[i+1].rest
	}
}

// gain returns what the sprite gains with its corner at (y, x) of a page, in units; if it is less than the sprite
// needs, anything less.
func (sp *sprite) gain(on, unknown *plane, y, x int) int32 {
	sum := sp.blank
	shift, at := uint(x&63), y*on.stride+x>>6
	for i := range sp.cells {
		cell := &sp.cells[i]
		if sum+cell.rest < sp.need {
			break
		}
		i := at + cell.r*on.stride + cell.c
		o := on.bits[i]>>shift | on.bits[i+1]<<(64-shift)
		u := unknown.bits[i]>>shift | unknown.bits[i+1]<<(64-shift)
		if o|u == 0 {
			continue
		}
		for _, p := range cell.parts {
			sum += p.on * int32(bits.OnesCount64(o&p.bits))
			if u != 0 {
				sum += p.unknown * int32(bits.OnesCount64(u&p.bits))
			}
		}
	}
	return sum
}
