package sheets

import (
	"math"
	"slices"
)

// A page is drawn by its own pen: broader or thinner than that of the symbols, at places between
// pixels, blurred. So the ink of a stroke spreads over the pixels beside it, by how far they are from it. These are
// the classes of pixels by their distance from a symbol's own strokes.
const (
	deep   = iota // inside, not at the edge
	ridge         // at the edge, with nothing deeper beside it: of a stroke of one or two pixels
	edge          // at the edge
	rim1          // outside, one pixel away
	rim1d         // one pixel away, obliquely
	rim2          // two pixels
	rim3          // three
	beyond        // further away
	zones
)

// These constants say when and how a pen is learned.
const (
	penReach  = 3    // pixels outside a stroke that a pen may spread ink to
	penFinds  = 3    // finds that tell of a pen, at least
	penGain   = 0.55 // of what a symbol would gain on a page of its own, for a find to be sure
	penInner  = 0.9  // or so much of the middle of its strokes is ink, and next to nothing beside them: a thin pen
	penAhead  = 20   // nats by which a sure find is ahead of the second symbol
	penPixels = 4    // of a class that tell its share of ink, at least
	penFaint  = 0.05 // a share of ink that means nothing
)

// Pen says how a page draws the strokes of symbols. The zero value is the symbols' own pen.
type Pen struct {
	shares [zones][]float64 // of ink, one for each sure find
	finds  int
	rates  [zones]float64
}

// Finds returns how many sure finds the pen was learned from.
func (p *Pen) Finds() int { return p.finds }

// Learned reports whether the page has another pen than the symbols, and enough sure finds to tell.
func (p *Pen) Learned() bool {
	return p != nil && p.finds >= penFinds && !(p.rates[rim1] <= penFaint && p.rates[edge] >= 1-penFaint)
}

// Few reports whether there were too few sure finds to tell.
func (p *Pen) Few() bool { return p.finds < penFinds }

// Rates returns the shares of ink at the edge of strokes and one, two and three pixels outside them.
func (p *Pen) Rates() [4]float64 {
	return [4]float64{p.rates[edge], p.rates[rim1], p.rates[rim2], p.rates[rim3]}
}

// With returns what two pens tell together, such as those of two pages of a file.
func (p *Pen) With(o *Pen) *Pen {
	out := &Pen{finds: p.finds + o.finds}
	for z := range out.shares {
		out.shares[z] = slices.Concat(p.shares[z], o.shares[z])
	}
	out.settle()
	return out
}

// settle derives the rates from the shares: their means without a fifth at both ends.
func (p *Pen) settle() {
	for z := range p.rates {
		s := slices.Sorted(slices.Values(p.shares[z]))
		s = s[len(s)/5 : len(s)-len(s)/5]
		sum := 0.0
		for _, v := range s {
			sum += v
		}
		p.rates[z] = min(max(sum/float64(max(1, len(s))), 0), 1)
		if len(s) == 0 && z < rim1 {
			p.rates[z] = 1
		}
	}
	p.rates[deep], p.rates[beyond] = 1, 0
	p.rates[ridge] = max(p.rates[ridge], 0.6)
	for z := rim1d; z < zones; z++ {
		p.rates[z] = min(p.rates[z], p.rates[z-1])
	}
}

// takes reports whether the pen spreads ink to pixels of a zone, those of strokes too.
func (p *Pen) takes(zone uint8) bool { return zone < rim1 || p.rates[zone] >= penFaint }

// zoned returns the class of each pixel of a sprite and of penReach pixels about it.
func (sp *sprite) zoned() []uint8 {
	h, w := sp.h+2*penReach, sp.w+2*penReach
	out := slices.Repeat([]uint8{beyond}, h*w)
	own := sp.strokesAt(penReach, penReach)
	for _, s := range own {
		out[s.y*w+s.x] = deep
	}
	var edges []spot
	for _, s := range own {
		for _, d := range [4]spot{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			y, x := s.y+d.y, s.x+d.x
			if y < 0 || x < 0 || y >= h || x >= w || out[y*w+x] >= rim1 {
				out[s.y*w+s.x] = edge
				edges = append(edges, s)
				break
			}
		}
	}
	for _, s := range edges {
		alone := true
		for y := max(0, s.y-penReach); y <= min(h-1, s.y+penReach); y++ {
			for x := max(0, s.x-penReach); x <= min(w-1, s.x+penReach); x++ {
				dy, dx := y-s.y, x-s.x
				z := [...]uint8{deep, rim1, rim1d, rim2, rim2, rim2, rim3, rim3, rim3, rim3, rim3, beyond, beyond, beyond, beyond,
					beyond, beyond, beyond, beyond}[dy*dy+dx*dx]
				if at := &out[y*w+x]; *at >= rim1 {
					*at = min(*at, z)
				} else if *at == deep && z <= rim1d {
					alone = false
				}
			}
		}
		if alone {
			out[s.y*w+s.x] = ridge
		}
	}
	return out
}

// zone returns the class of a pixel, also of one outside the sprite.
func (sp *sprite) zone(y, x int) uint8 {
	if sp.zones == nil {
		sp.zones = sp.zoned()
	}
	w := sp.w + 2*penReach
	if y, x = y+penReach, x+penReach; y < 0 || x < 0 || y >= sp.h+2*penReach || x >= w {
		return beyond
	}
	return sp.zones[y*w+x]
}

// learnPen returns the pen of a page: what share of ink the classes of pixels have about sure finds.
func (r *round) learnPen(rates Rates) *Pen {
	pen := new(Pen)
	for _, p := range r.picks {
		sp := r.sprites[p.sprite]
		if p.second >= 0 && float64(p.behind)*Unit < penAhead {
			continue
		}
		var ink, all [zones]float64
		for y := max(0, int(p.y)-penReach); y < min(r.before.h, int(p.y)+sp.h+penReach); y++ {
			for x := max(0, int(p.x)-penReach); x < min(r.before.w, int(p.x)+sp.w+penReach); x++ {
				z := sp.zone(y-int(p.y), x-int(p.x))
				if r.seen.at(y, x) || z >= rim1 && r.unknown.at(y, x) { // a line, or another find explains it
					continue
				}
				all[z]++
				if r.before.at(y, x) {
					ink[z]++
				}
			}
		}
		inner, inked := all[deep]+all[ridge], ink[deep]+ink[ridge]
		thin := inner >= penPixels && inked >= penInner*inner && ink[rim1] <= 2*penFaint*all[rim1]
		if !thin && float64(p.gain) < float64(penGain*float64(sp.ideal)) {
			continue
		}
		pen.finds++
		for z := range all {
			if all[z] >= penPixels {
				share := (ink[z]/all[z] - rates.Extra) / (1 - rates.Miss - rates.Extra)
				pen.shares[z] = append(pen.shares[z], share)
			}
		}
	}
	pen.settle()
	return pen
}

// redrawn returns the sprite as a pen draws it; its base is the sprite itself, so many pixels from its corner.
func (sp *sprite) redrawn(pen *Pen) *sprite {
	reach := 0
	for z := rim1; z < beyond; z++ {
		if pen.rates[z] >= penFaint {
			reach = [zones]int{rim1: 1, rim1d: 1, rim2: 2, rim3: 3}[z]
		}
	}
	own := sp.strokesAt(0, 0)
	y0, x0, y1, x1 := sp.h, sp.w, 0, 0
	for _, s := range own {
		y0, x0, y1, x1 = min(y0, s.y), min(x0, s.x), max(y1, s.y), max(x1, s.x)
	}
	top, left := max(0, reach-y0), max(0, reach-x0)
	out := &sprite{symbol: sp.symbol, turn: sp.turn, base: sp, top: top, left: left,
		h: top + max(sp.h, y1+1+reach), w: left + max(sp.w, x1+1+reach)}
	out.words = (out.w + 63) / 64
	all := slices.Repeat([]float64{math.NaN()}, out.h*out.w)
	for y := range out.h {
		for x := range out.w {
			p, known := sp.value(y-top, x-left)
			rate := pen.rates[sp.zone(y-top, x-left)]
			switch inside := p >= 0.5; {
			case inside:
				p *= rate
			case known:
				p += float64((1 - p) * rate)
			case rate >= penFaint && !sp.holds(y-top, x-left):
				p = rate
			default:
				p = math.NaN()
			}
			all[y*out.w+x] = p
		}
	}
	out.fill(all, values(all))
	return out
}

// holds reports whether a pixel lies in the sprite's box.
func (sp *sprite) holds(y, x int) bool { return y >= 0 && x >= 0 && y < sp.h && x < sp.w }

// value returns the probability of ink at a pixel; known is false where the sprite says nothing.
func (sp *sprite) value(y, x int) (p float64, known bool) {
	if sp.holds(y, x) {
		for i := range sp.levels {
			if sp.levels[i].bits[y*sp.words+x/64]>>(x%64)&1 != 0 {
				return sp.levels[i].p, true
			}
		}
	}
	return 0, false
}
