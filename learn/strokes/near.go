package strokes

import (
	"math"
)

const (
	// coarse is how many rows of shifts are stepped over where new picks are sought.
	coarse = 2
	// nearShift is how far a pick of a shared part is moved from where it was, in pixels. Others are moved by up to
	// nearRows rows or a third of all, to any column: as many shifts as Stack sums cost no more than one.
	nearShift, nearRows = 4, 8
)

// bestFor returns what replaces a pick that was taken back, and its gain.
func (s *search) bestFor(old pick) (pick, int32) {
	if s.near {
		return s.nearby(old)
	}
	return s.best(s.gain(old) - 1)
}

// nearby returns the best pick of the same expert near to one, which may be that: shifted somewhat,
// turned by one step, in any stretch.
func (s *search) nearby(old pick) (pick, int32) {
	f := finding{pick: pick{expert: -1}, gain: s.gain(old) - 1}
	stepY, stepX := max(s.grid.DY.Step, 1), max(s.grid.DX.Step, 1)
	about := func(at, least, most, step, by int) (from, to int) {
		by = by / step * step
		return max(at-by, least) - least, min(at+by, most) - least
	}
	byY, byX := nearShift, nearShift
	if !s.coarse {
		byY, byX = max(nearRows, (s.grid.DY.Max-s.grid.DY.Min)/3), s.grid.DX.Max-s.grid.DX.Min
	}
	w := window{stepY: stepY, stepX: stepX}
	w.y0, w.y1 = about(old.dy, s.grid.DY.Min, s.grid.DY.Max, stepY, byY)
	w.x0, w.x1 = about(old.dx, s.grid.DX.Min, s.grid.DX.Max, stepX, byX)
	stretches := max(len(s.grid.Stretches), 1)
	angles := s.grid.Rotations()
	own := old.turn / stretches
	for by := -1; by <= 1; by++ {
		angle := own + by
		if s.circle {
			angle = (angle + angles) % angles
		}
		if angle < 0 || angle >= angles {
			continue
		}
		for t := range stretches {
			s.scan(&f, old.expert, angle*stretches+t, w)
		}
	}
	return f.pick, f.gain
}

// circular reports whether evenly spaced angles go once around, so that the first
// follows the last.
func circular(angles []float64) bool {
	n := len(angles)
	return n > 2 && math.Abs(angles[n-1]+angles[1]-float64(2*angles[0])-360) < 1e-6
}
