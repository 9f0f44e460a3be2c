package sheets

import (
	"math"
	"math/bits"
	"slices"
)

// These constants describe what else may be at a place.
const (
	otherMiss  = 0.3  // share of a symbol's strokes that are missing where another thing stands
	otherPrior = -3.0 // log-odds that another thing stands there, before anything is seen of it
	morePrior  = -9.0 // that another thing stands there which has all strokes of the symbol, and more
	moreWeight = 60   // how fast that becomes likelier with the ink left over, per ink of the symbol
	far        = 0.25 // weight of ink left over that leads away, such as a wire
	beside     = 0.3  // weight of ink left over that touches the symbol, but lies outside its box
	link       = 2    // pieces of ink are one where they are this near
	least      = 8    // pixels of a piece; fewer are specks
	maxLogOdds = 13.8 // a million to one: nothing is more certain than the model
)

// judge completes picks to finds: before is the page without lines, seen what was
// unknown of it, left what is left of it when all is explained.
func judge(before, seen, left *plane, sprites []*sprite, picks []pick, places int) []Find {
	finds := make([]Find, len(picks))
	var shares []float64
	for i, p := range picks {
		sp := sprites[p.sprite]
		f := &finds[i]
		*f = Find{Symbol: sp.symbol, Turn: sp.turn, Y: float64(p.y) + sp.dy, X: float64(p.x) + sp.dx, Gain: float64(p.gain) * Unit, Second: -1,
			Top: int(p.y), Left: int(p.x), Bottom: int(p.y) + sp.h, Right: int(p.x) + sp.w}
		if p.second >= 0 {
			f.Second, f.Ahead = sprites[p.second].symbol, float64(p.behind)*Unit
		}
		f.Ink, f.Missing = sp.missing(before, seen, int(p.y), int(p.x))
		if f.Ink > 0 {
			shares = append(shares, float64(f.Missing)/float64(f.Ink))
		}
	}
	miss := 0.01
	if len(shares) > 0 {
		slices.Sort(shares)
		miss = min(max(shares[len(shares)/2], 0.01), otherMiss/2)
	}
	prior := math.Log(float64(len(picks)+1)) - math.Log(float64(places)) - math.Log(float64(len(sprites)))
	for i, p := range picks {
		f := &finds[i]
		sp := sprites[p.sprite]
		share := 0.0
		f.Extra, share = leftOver(left, int(p.y), int(p.x), sp)
		against := []float64{
			-(f.Gain + prior), // bare page
			otherPrior + float64(f.Missing)*math.Log(otherMiss/miss) + float64(f.Ink-f.Missing)*math.Log((1-otherMiss)/(1-miss)),
			morePrior + moreWeight*share,
			-maxLogOdds,
		}
		if p.second >= 0 {
			against = append(against, -f.Ahead)
		}
		f.LogOdds = -logSum(against)
		f.Certain = f.LogOdds >= CertainOdds
	}
	return finds
}

func logSum(x []float64) float64 {
	top := slices.Max(x)
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

// missing returns how many pixels of the sprite's strokes can be seen at (y, x), and how
// many of them have no ink.
func (sp *sprite) missing(on, unknown *plane, y, x int) (ink, missing int) {
	shift, at := uint(x&63), y*on.stride+x>>6
	for i := range sp.levels {
		l := &sp.levels[i]
		if l.p < 0.5 {
			continue
		}
		for r := range sp.h {
			for c := range sp.words {
				row := at + r*on.stride + c
				o := on.bits[row]>>shift | on.bits[row+1]<<(64-shift)
				u := unknown.bits[row]>>shift | unknown.bits[row+1]<<(64-shift)
				b := l.bits[r*sp.words+c] &^ u
				ink += bits.OnesCount64(b)
				missing += bits.OnesCount64(b &^ o)
			}
		}
	}
	return ink, missing
}

// spot is a pixel of a window.
type spot struct{ y, x int }

// leftOver returns how many pixels of unexplained ink, in pieces, belong to what
// stands at a sprite's place, and their weight per pixel of the sprite's ink.
// Pieces in the box count in full, also those that enclose it; those that touch it from outside
// count less, and those that lead away least.
func leftOver(left *plane, y, x int, sp *sprite) (extra int, share float64) {
	reach := max(sp.h, sp.w)
	y0, x0 := max(0, y-reach), max(0, x-reach)
	y1, x1 := min(left.h, y+sp.h+reach), min(left.w, x+sp.w+reach)
	h, w := y1-y0, x1-x0
	ink := make([]bool, h*w)
	for r := 1; r < h-1; r++ {
		for c := 1; c < w-1; c++ {
			if left.at(y0+r, x0+c) && left.company(y0+r, x0+c) >= 2 {
				ink[r*w+c] = true
			}
		}
	}
	weight := 0.0
	for i := range ink {
		if !ink[i] {
			continue
		}
		piece := takePiece(ink, h, w, i)
		if len(piece) < least {
			continue
		}
		n, v := weighPiece(piece, y-y0, x-x0, sp, h, w)
		extra += n
		weight += v
	}
	return extra, weight / float64(max(1, sp.ink))
}

// company returns how many of the eight neighbours of a pixel are ink.
func (p *plane) company(y, x int) (n int) {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if (dy != 0 || dx != 0) && p.at(y+dy, x+dx) {
				n++
			}
		}
	}
	return n
}

// takePiece removes the piece of ink that has pixel i and returns it.
func takePiece(ink []bool, h, w, i int) []spot {
	ink[i] = false
	piece := []spot{{i / w, i % w}}
	for k := 0; k < len(piece); k++ {
		p := piece[k]
		for y := max(0, p.y-link); y <= min(h-1, p.y+link); y++ {
			for x := max(0, p.x-link); x <= min(w-1, p.x+link); x++ {
				if ink[y*w+x] {
					ink[y*w+x] = false
					piece = append(piece, spot{y, x})
				}
			}
		}
	}
	return piece
}

// weighPiece returns how many pixels of a piece belong to what stands at a sprite's
// place, at (y, x) in a window of h x w, and their weight.
func weighPiece(piece []spot, y, x int, sp *sprite, h, w int) (n int, weight float64) {
	top, bottom, left, right, inside := h, -1, w, -1, 0
	touches := false
	for _, p := range piece {
		top, bottom, left, right = min(top, p.y), max(bottom, p.y), min(left, p.x), max(right, p.x)
		if p.y >= y && p.y < y+sp.h && p.x >= x && p.x < x+sp.w {
			inside++
		}
		touches = touches || p.y >= y-link && p.y < y+sp.h+link && p.x >= x-link && p.x < x+sp.w+link
	}
	encloses := top <= y && bottom >= y+sp.h-1 && left <= x && right >= x+sp.w-1
	away := top <= 1 || left <= 1 || bottom >= h-2 || right >= w-2
	switch {
	case encloses && !away:
		return len(piece), float64(len(piece))
	case away:
		return inside, far * float64(inside)
	case touches:
		return len(piece), float64(inside) + beside*float64(len(piece)-inside)
	}
	return 0, 0
}
