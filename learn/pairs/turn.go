package pairs

import (
	"math"

	"example.com/patchwork/pose"
)

// turned is a part as it looks at one of its turns. It is turned about the centre of
// a square that holds its box: side is that of the square, inY and inX are where the
// box lies in it, and y and x where the turned ink begins, which may be outside it.
type turned struct {
	*shape
	angle    float64
	side     int
	inY, inX int
	y, x     int
}

// turn returns a shape turned by an angle in degrees.
func turn(s *shape, angle float64) turned {
	t := turned{shape: s, angle: angle, side: max(s.height, s.width)}
	if angle == 0 || s.n == 0 {
		t.side = 0
		return t
	}
	t.inY, t.inX = (t.side-s.height)/2, (t.side-s.width)/2
	r := pose.NewTurn(t.side, t.side, angle)
	box := fieldOf(r.Height, r.Width)
	p := box.plane()
	for i, from := range r.From {
		if from == pose.Outside {
			continue
		}
		y, x := int(from)/t.side-t.inY, int(from)%t.side-t.inX
		if uint(y) < uint(s.height) && uint(x) < uint(s.width) && s.at(s.bits, y, x) {
			box.set(p, i/r.Width, i%r.Width)
		}
	}
	t.shape, t.y, t.x = box.trimmed(p)
	t.y, t.x = t.y+r.Top, t.x+r.Left
	return t
}

// turnPlane returns a plane turned by an angle in degrees, in a field that holds all
// of it.
func (f field) turnPlane(p plane, angle float64) (field, plane) {
	s, _, _ := f.trimmed(p)
	t := turn(s, angle)
	if t.n == 0 {
		return f, f.plane()
	}
	return t.field, t.bits
}

// frame is the window around a part in which ink is counted.
type frame struct {
	field
	y, x int // where the box of the part lies in it
}

// frameOf returns the frame for a part among images of size f: as large as they are,
// and square if parts are turned.
func frameOf(f field, s *shape, turns int) frame {
	h, w := max(f.height, s.height), max(f.width, s.width)
	if turns > 1 {
		h = max(h, w)
		w = h
	}
	return frame{fieldOf(h, w), (h - s.height) / 2, (w - s.width) / 2}
}

// gather returns where each pixel of the frame lies in an image, as rows and columns
// from the corner of the box of the turned ink.
func (r frame) gather(t turned) (dy, dx []int32) {
	// The frame lies in a larger square with the same centre as the square of t.
	side := t.side
	for side/2 < r.height || side/2 < r.width {
		side += 2
	}
	margin := (side - t.side) / 2
	back := pose.NewTurn(side, side, t.angle).Back
	dy, dx = make([]int32, r.height*r.width), make([]int32, r.height*r.width)
	for i := range dy {
		y, x := i/r.width-r.y+t.inY+margin, i%r.width-r.x+t.inX+margin
		dy[i], dx[i] = math.MinInt16, math.MinInt16
		if uint(y) < uint(side) && uint(x) < uint(side) {
			at := pose.Point{Y: int32(y), X: int32(x)}
			if back != nil {
				at = back[y*side+x]
			}
			dy[i], dx[i] = at.Y-int32(margin+t.y), at.X-int32(margin+t.x)
		}
	}
	return dy, dx
}
