package strokes

import (
	"cmp"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
)

// Lengths of the geometry of strokes, in pixels of frames of geometrySide x geometrySide; they grow with the side.
const (
	geometrySide = 56
	bandHalf     = 1.5 // of a geodesic band whose centroid is a point of the line
	bandReach    = 6   // beyond which from its centroid a band is no piece of a line: a ring, a branch
	chord        = 6   // between the points whose directions make a turn
	chordLeast   = 5   // the same next to a tip
	chordApart   = 2   // between a corner and the pairs of chords beside it
	tipChord     = 7   // of the directions that a tip is extrapolated from
	tipSkip      = 1.5 // from the tip to the first of them
	cornerTurn   = 30  // degrees: a turn above it, less that of its neighbours, is a corner
	tipBend      = 0.8 // radians: by how much a tip may be bent beyond its first chord, before extrapolation
)

// point is a place in a frame or an image, in pixels.
type point struct{ y, x float64 }

func (p point) minus(o point) point { return point{p.y - o.y, p.x - o.x} }
func (p point) length() float64     { return elem.Hypot(p.y, p.x) }
func (p point) direction() float64  { return elem.Atan2(p.y, p.x) }

// bentBy returns by how many radians b is turned from a, from -Pi to Pi.
func bentBy(a, b float64) float64 {
	d := math.Mod(b-a, 2*math.Pi)
	switch {
	case d > math.Pi:
		d -= 2 * math.Pi
	case d <= -math.Pi:
		d += 2 * math.Pi
	}
	return d
}

// line is the centreline of a part, from one tip to the other, a point every pixel; empty for a part without ink.
type line struct {
	points []point
	void   []bool  // the band of the point is no piece of a line
	at     []int   // by entry of the template: the nearest point of the line; -1 where it does not vote
	scale  float64 // of lengths, beside geometrySide

	corners []corner
}

// corner is a place where a line turns sharply.
type corner struct {
	at   int     // point
	turn float64 // degrees, more than the line turns beside it
}

// lineOf returns the centreline of a template whose entries above 1/2 are the levels from covers.
func lineOf(t []uint8, height, width, covers int, scale float64) *line {
	l := &line{scale: scale, at: make([]int, len(t))}
	body := largestPiece(t, width, covers)
	if body == nil {
		return l
	}
	first, _ := farthest(body, slices.Index(body, true), height, width)
	_, far := farthest(body, first, height, width)
	l.centre(far, width)
	for i, level := range t {
		if l.at[i] = -1; level > 0 {
			l.at[i] = l.nearest(point{float64(i / width), float64(i % width)})
		}
	}
	l.findCorners()
	return l
}

// largestPiece returns the largest 8-connected piece of the entries from a level, nil if there are none.
func largestPiece(t []uint8, width, covers int) []bool {
	body := make([]uint8, len(t))
	for i, v := range t {
		if int(v) >= covers {
			body[i] = 1
		}
	}
	piece, sizes := pieces(body, width)
	if len(sizes) == 0 {
		return nil
	}
	largest := slices.Index(sizes, slices.Max(sizes))
	in := make([]bool, len(t))
	for i, p := range piece {
		in[i] = p == largest
	}
	return in
}

// farthest returns the entry of a body that is farthest from one, by ways within it, and how far each is: infinity
// beside the body.
func farthest(body []bool, from, height, width int) (int, []float64) {
	far := make([]float64, len(body))
	for i := range far {
		far[i] = math.Inf(1)
	}
	far[from] = 0
	// Steps cost 1 or the root of 2: sweeps until nothing changes are as good as a queue here, and simpler.
	for changed := true; changed; {
		changed = false
		for pass := range 2 {
			for n := range body {
				i := n
				if pass == 1 {
					i = len(body) - 1 - n
				}
				if body[i] && relax(far, i, height, width) {
					changed = true
				}
			}
		}
	}
	best := from
	for i, d := range far {
		if !math.IsInf(d, 1) && d > far[best] {
			best = i
		}
	}
	return best, far
}

// relax shortens the way to an entry by way of its neighbours, and reports whether it did.
func relax(far []float64, i, height, width int) bool {
	y, x, least := i/width, i%width, far[i]
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if y+dy < 0 || y+dy >= height || x+dx < 0 || x+dx >= width {
				continue
			}
			step := 1.0
			if dy != 0 && dx != 0 {
				step = math.Sqrt2
			}
			least = min(least, far[i+dy*width+dx]+step)
		}
	}
	if least < far[i] {
		far[i] = least
		return true
	}
	return false
}

// centre makes the points of the line: the centroids of the bands of entries that are about so far from a tip.
func (l *line) centre(far []float64, width int) {
	longest := 0.0
	for _, d := range far {
		if !math.IsInf(d, 1) {
			longest = max(longest, d)
		}
	}
	for s := 0.0; s <= longest; s++ {
		var band []point
		var sum point
		for i, d := range far {
			if math.Abs(d-s) <= bandHalf*l.scale {
				p := point{float64(i / width), float64(i % width)}
				band, sum = append(band, p), point{sum.y + p.y, sum.x + p.x}
			}
		}
		n := float64(len(band))
		centroid := point{sum.y / n, sum.x / n}
		void := false
		for _, p := range band {
			void = void || p.minus(centroid).length() > bandReach*l.scale
		}
		l.points, l.void = append(l.points, centroid), append(l.void, void)
	}
}

// nearest returns the point of the line that is nearest to a place.
func (l *line) nearest(p point) int {
	best, least := 0, math.Inf(1)
	for i, c := range l.points {
		if d := p.minus(c).length(); d < least {
			best, least = i, d
		}
	}
	return best
}

// way returns the direction from one point of the line to another, in radians; false where the line ends or is void.
func (l *line) way(from, to int) (float64, bool) {
	if from < 0 || to < 0 || from >= len(l.points) || to >= len(l.points) || from == to {
		return 0, false
	}
	if slices.Contains(l.void[min(from, to):max(from, to)+1], true) {
		return 0, false
	}
	return l.points[to].minus(l.points[from]).direction(), true
}

// turnAt returns by how many degrees the chords before and after a point differ.
func (l *line) turnAt(at int) (float64, bool) {
	for c := l.pixels(chord); c >= l.pixels(chordLeast); c-- {
		before, ok := l.way(at-c, at)
		after, also := l.way(at, at+c)
		if ok && also {
			return bentBy(before, after) * 180 / math.Pi, true
		}
	}
	return 0, false
}

func (l *line) pixels(length float64) int { return max(1, int(math.Round(length*l.scale))) }

// findCorners finds the corners: where the line turns by more than it does beside, so that bows have none.
func (l *line) findCorners() {
	beside := l.pixels(chord) + l.pixels(chordApart)
	sharp := make([]float64, len(l.points))
	for i := range l.points {
		turn, ok := l.turnAt(i)
		if !ok {
			continue
		}
		sum, n := 0.0, 0.0
		for _, at := range [2]int{i - beside, i + beside} {
			if t, ok := l.turnAt(at); ok {
				sum, n = sum+t, n+1
			}
		}
		sharp[i] = math.Copysign(1, turn) * (turn - sum/max(n, 1))
	}
	for i, s := range sharp {
		reach := l.pixels(chord)
		around := sharp[max(0, i-reach):min(len(sharp), i+reach+1)]
		if s > cornerTurn && s == slices.Max(around) && (len(l.corners) == 0 || i-l.corners[len(l.corners)-1].at > reach) {
			l.corners = append(l.corners, corner{i, min(s, 180)})
		}
	}
}

// end is one end of a line: 0 or 1.
type end int

// tip returns where a line ends.
func (l *line) tip(e end) point {
	if e == 0 {
		return l.points[0]
	}
	return l.points[len(l.points)-1]
}

// from returns the point of the line that is so many points before an end, or how many points before it a point is.
func (l *line) from(e end, back int) int {
	if e == 0 {
		return back
	}
	return len(l.points) - 1 - back
}

// nearestCorner returns the corner that is nearest to an end, and by how many points it is before it.
func (l *line) nearestCorner(e end) (c corner, back int, ok bool) {
	if len(l.corners) == 0 {
		return c, 0, false
	}
	c = slices.MinFunc(l.corners, func(a, b corner) int { return cmp.Compare(l.from(e, a.at), l.from(e, b.at)) })
	return c, l.from(e, c.at), true
}

// outward returns the direction in which a line leaves its end: that of the last chord, extrapolated by how the chord
// before it differs, so that bows do not seem to turn. Chords stop before a corner.
func (l *line) outward(e end) (float64, bool) {
	skip, h := l.pixels(tipSkip), l.pixels(tipChord)
	most := len(l.points) - 1
	if _, back, ok := l.nearestCorner(e); ok {
		most = min(most, back)
	}
	near := min(skip+h, most)
	last, ok := l.way(l.from(e, near), l.from(e, min(skip, near-1)))
	if !ok {
		return 0, false
	}
	if skip+2*h > most {
		return last, true
	}
	before, ok := l.way(l.from(e, skip+2*h), l.from(e, skip+h))
	if !ok {
		return last, true
	}
	bend := max(-tipBend, min(tipBend, bentBy(before, last)))
	return last + float64((float64(h)/2+float64(skip))/float64(h)*bend), true
}
