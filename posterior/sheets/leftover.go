package sheets

import (
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
)

// These constants describe ink that is left over about a symbol.
const (
	far       = 0.25 // weight of ink that leads away, such as a wire
	ring      = 4    // so many pixels about the symbol, ink that leads away counts in full: the symbol is cut off there
	continued = 0.5  // weight of that ink where another find explains it
	beside    = 0.3  // weight of ink that touches the symbol, but lies outside its box
	link      = 2    // ink that is this near belongs together, also where the symbol is small
	telling   = 20   // side of a symbol from which lines that cross it do not make it doubtful
	least     = 8    // pixels of a piece; fewer are specks
)

// sheet is a page before and after everything was explained.
type sheet struct {
	before, seen *plane // ink without lines, and unknown pixels, before the pursuit
	left         *plane // ink that is left
}

// inked reports whether a pixel was ink, or part of a line.
func (s *sheet) inked(y, x int) bool { return s.before.at(y, x) || s.seen.at(y, x) }

// spot is a pixel of a window.
type spot struct{ y, x int }

// over is the unexplained ink that belongs to what stands at a place.
type over struct {
	extra   int     // pixels, in pieces
	weight  float64 // in pixels of the symbol's ink
	lighter float64 // where pieces that lie mostly outside the symbol's box are accidents
}

// leftOver returns the unexplained ink that belongs to what stands at a sprite's place. Pieces in
// the box count in full, also those that enclose it; those that touch it from outside count less, and those that lead
// away least. What a pen spreads about the symbol's strokes is no piece, but belongs to those that it joins.
func (s *sheet) leftOver(y, x int, sp *sprite, pen *Pen) (o over) {
	left, reach := s.left, max(sp.h, sp.w, 40)
	y0, x0 := max(0, y-reach), max(0, x-reach)
	y1, x1 := min(left.h, y+sp.h+reach), min(left.w, x+sp.w+reach)
	h, w := y1-y0, x1-x0
	spreads := func(s spot) (z uint8, on bool) { // where the pen spreads ink, of a pixel of the window
		z = beyond
		if s.y, s.x = s.y+y0-y, s.x+x0-x; pen != nil {
			z = sp.zone(s.y, s.x)
		}
		return z, pen != nil && pen.takes(z)
	}
	ink, spread := make([]bool, h*w), make([]bool, h*w)
	for r := 1; r < h-1; r++ {
		for c := 1; c < w-1; c++ {
			if !left.at(y0+r, x0+c) || left.company(y0+r, x0+c) < 2 {
				continue
			}
			_, on := spreads(spot{r, c})
			spread[r*w+c], ink[r*w+c] = on, !on
		}
	}
	win := window{y0, x0, h, w, ink}
	if max(sp.h, sp.w) >= telling {
		// Where most of the strokes lie on lines that go on, they are a piece of these.
		if on := win.dropStraight(s, reach, sp.strokesAt(y-y0, x-x0)); 2*on > int(sp.ink) {
			o.weight = float64(on)
		}
	}
	o.lighter = o.weight
	for i := range ink {
		if !ink[i] {
			continue
		}
		piece := takePiece(ink, h, w, i, nearness(sp))
		if len(piece) < least {
			continue
		}
		for k, n := 0, len(piece); k < n && pen != nil; k++ {
			if z, _ := spreads(piece[k]); z >= rim3 {
				piece = takeNear(piece, spread, h, w, piece[k], link)
			}
		}
		n, weight, lighter := weighPiece(piece, y-y0, x-x0, sp, h, w)
		o.extra += n
		o.weight, o.lighter = o.weight+weight, o.lighter+lighter
	}
	on := float64(continued * float64(s.continues(y, x, sp, func(r, c int) bool {
		_, on := spreads(spot{r - y0, c - x0})
		return on
	})))
	o.weight, o.lighter = o.weight+on, o.lighter+on
	return o
}

// continues returns how many pixels about a sprite at (y, x) are ink that other finds
// explain: strokes that go on there make the finds pieces of one thing. Own says which ink the sprite's own strokes
// spread.
func (s *sheet) continues(y, x int, sp *sprite, own func(r, c int) bool) (n int) {
	for r := max(0, y-ring); r < min(s.left.h, y+sp.h+ring); r++ {
		for c := max(0, x-ring); c < min(s.left.w, x+sp.w+ring); c++ {
			if c == x && r >= y && r < y+sp.h {
				c = min(x+sp.w, s.left.w)
				if c == s.left.w {
					break
				}
			}
			if s.before.at(r, c) && !s.left.at(r, c) && !own(r, c) {
				n++
			}
		}
	}
	return n
}

// company returns how many of the eight neighbours of a pixel are ink.
func (p *plane) company(y, x int) (n int) {
	for r := max(0, y-1); r <= min(p.h-1, y+1); r++ {
		for c := max(0, x-1); c <= min(p.w-1, x+1); c++ {
			if (r != y || c != x) && p.at(r, c) {
				n++
			}
		}
	}
	return n
}

// takePiece removes the piece of ink that has pixel i and returns it; ink that is link
// pixels apart is one piece.
func takePiece(ink []bool, h, w, i, link int) []spot {
	ink[i] = false
	piece := []spot{{i / w, i % w}}
	for k := 0; k < len(piece); k++ {
		piece = takeNear(piece, ink, h, w, piece[k], link)
	}
	return piece
}

// takeNear moves the ink that is at most link pixels from one to a piece.
func takeNear(piece []spot, ink []bool, h, w int, p spot, link int) []spot {
	for y := max(0, p.y-link); y <= min(h-1, p.y+link); y++ {
		for x := max(0, p.x-link); x <= min(w-1, p.x+link); x++ {
			if ink[y*w+x] {
				ink[y*w+x] = false
				piece = append(piece, spot{y, x})
			}
		}
	}
	return piece
}

// weighPiece returns how many pixels of a piece belong to what stands at a sprite's
// place, at (y, x) in a window of h x w, and their weight; a lighter one for a piece that
// lies mostly outside its box, and may be there by accident.
func weighPiece(piece []spot, y, x int, sp *sprite, h, w int) (n int, weight, lighter float64) {
	top, bottom, left, right, inside, around, ringed := h, -1, w, -1, 0, 0, 0
	near, zone := nearness(sp), max(sp.h, sp.w)/4
	within := func(p spot, by int) bool {
		return p.y >= y-by && p.y < y+sp.h+by && p.x >= x-by && p.x < x+sp.w+by
	}
	touches := false
	for _, p := range piece {
		top, bottom, left, right = min(top, p.y), max(bottom, p.y), min(left, p.x), max(right, p.x)
		switch {
		case within(p, 0):
			inside++
		case within(p, ring):
			ringed++
		case within(p, zone):
			around++
		}
		touches = touches || within(p, near)
	}
	encloses := top <= y && bottom >= y+sp.h-1 && left <= x && right >= x+sp.w-1
	away := top <= 1 || left <= 1 || bottom >= h-2 || right >= w-2
	switch {
	case !touches && !encloses:
		return 0, 0, 0
	case encloses && !away:
		return len(piece), float64(len(piece)), float64(len(piece))
	case away:
		n, weight = inside+ringed+around, float64(far*float64(inside+around))+float64(ringed)
	default:
		n, weight = len(piece), float64(inside)+float64(beside*float64(len(piece)-inside))
	}
	if wide, high := min(right, x+sp.w-1)-max(left, x)+1, min(bottom, y+sp.h-1)-max(top, y)+1; left <= x &&
		right >= x+sp.w-1 && 2*high > sp.h || top <= y && bottom >= y+sp.h-1 && 2*wide > sp.w {
		return n, weight, weight // it lies around the symbol
	}
	return n, weight, weight * min(1, 2*float64(inside)/float64(len(piece)))
}

// nearness returns how near ink must be to a sprite, and to other ink, to belong to it.
func nearness(sp *sprite) int { return max(link, max(sp.h, sp.w)/8) }

// window is a part of a page with the ink that is left in it.
type window struct {
	y, x, h, w int
	ink        []bool
}

const (
	angles   = 120 // directions of straight lines
	attempts = 12  // lines that are tried
)

// dropStraight removes the ink of straight lines, in any direction, that come into the
// window from outside and are longer than side: they pass under the symbol or lead to it. It
// returns how many of the given pixels lie on them.
func (w *window) dropStraight(page *sheet, side int, own []spot) (on int) {
	var pixels []spot
	for i, on := range w.ink {
		if on {
			pixels = append(pixels, spot{i / w.w, i % w.w})
		}
	}
	if len(pixels) < least {
		return 0
	}
	// Hough: for each direction, how many pixels lie on each line of two pixels' width.
	offset := w.h + w.w
	votes := make([]int32, angles*offset)
	for _, p := range pixels {
		for k := range angles {
			votes[k*offset+lineOf(p, k, offset)]++
		}
	}
	for range attempts {
		best := 0
		for i, v := range votes {
			if v > votes[best] {
				best = i
			}
		}
		k, bin := best/offset, best%offset
		if votes[best] < least {
			return on
		}
		through := w.straight(page, k, bin, offset, side)
		if through {
			rest := own[:0]
			for _, p := range own {
				if at := lineOf(p, k, offset); at < bin-1 || at > bin+1 {
					rest = append(rest, p)
				}
			}
			on, own = on+len(own)-len(rest), rest
		}
		rest := pixels[:0]
		for _, p := range pixels {
			at := lineOf(p, k, offset)
			if !through || at < bin-1 || at > bin+1 {
				rest = append(rest, p)
				continue
			}
			w.ink[p.y*w.w+p.x] = false
			for k := range angles {
				votes[k*offset+lineOf(p, k, offset)]--
			}
		}
		pixels = rest
		votes[best] = min(votes[best], 0)
	}
	return on
}

// strokesAt returns the pixels that are more likely ink than not of a sprite at (y, x).
func (sp *sprite) strokesAt(y, x int) (out []spot) {
	for i := range sp.levels {
		if sp.levels[i].p < 0.5 {
			continue
		}
		for r := range sp.h {
			for c := range sp.w {
				if sp.levels[i].bits[r*sp.words+c/64]>>(c%64)&1 != 0 {
					out = append(out, spot{y + r, x + c})
				}
			}
		}
	}
	return out
}

// directions holds sine and cosine of the normals of lines.
var directions = func() (out [angles][2]float64) {
	for k := range out {
		out[k][0], out[k][1] = elem.Sincos(math.Pi * float64(k) / angles)
	}
	return out
}()

// lineOf returns the number of the line of direction k that holds a pixel.
func lineOf(p spot, k, offset int) int {
	d := directions[k]
	return int(math.Floor((float64(float64(p.y)*d[0])+float64(float64(p.x)*d[1]))/2)) + offset/2
}

// straight reports whether there is ink along a line from a border of the window inwards
// for longer than side.
func (w *window) straight(page *sheet, k, bin, offset, side int) bool {
	d := directions[k]
	distance := float64(2*float64(bin-offset/2)) + 1
	y, x := float64(distance*d[0]), float64(distance*d[1]) // the foot of the normal
	var marks []bool                                       // along the line, inside the window
	for t := -offset; t <= offset; t++ {
		r, c := int(math.Round(y-float64(float64(t)*d[1]))), int(math.Round(x+float64(float64(t)*d[0])))
		if r < 0 || c < 0 || r >= w.h || c >= w.w {
			continue
		}
		marks = append(marks, w.near(page, r, c))
	}
	there := inward(marks, side)
	slices.Reverse(marks)
	return there || inward(marks, side)
}

// near reports whether a pixel of the window or one of its neighbours was ink.
func (w *window) near(page *sheet, r, c int) bool {
	for y := max(0, r-1); y <= min(w.h-1, r+1); y++ {
		for x := max(0, c-1); x <= min(w.w-1, c+1); x++ {
			if page.inked(w.y+y, w.x+x) {
				return true
			}
		}
	}
	return false
}

// inward reports whether more than side marks from the first are set, but for one in
// ten.
func inward(marks []bool, side int) bool {
	missing := 0
	for i, m := range marks {
		if !m {
			missing++
		}
		if missing > 3+i/10 {
			return false
		}
		if i > side*6/5 {
			return true
		}
	}
	return false
}
