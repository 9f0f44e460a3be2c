package synth

import "example.com/patchwork/internal/elem"

// A point lies in the plane of a drawing: x to the right, y down. In skeletons
// the unit is the height of a character.
type point struct{ x, y float64 }

func (p point) add(q point) point     { return point{p.x + q.x, p.y + q.y} }
func (p point) sub(q point) point     { return point{p.x - q.x, p.y - q.y} }
func (p point) times(s float64) point { return point{float64(p.x * s), float64(p.y * s)} }
func (p point) length() float64       { return elem.Hypot(p.x, p.y) }
func (p point) turn(sin, cos float64) point {
	return point{float64(cos*p.x) - float64(sin*p.y), float64(sin*p.x) + float64(cos*p.y)}
}

// A path is a polyline of at least two points, in drawing order.
type path []point

// length returns the length of the path.
func (p path) length() float64 {
	sum := 0.0
	for i := 1; i < len(p); i++ {
		sum += p[i].sub(p[i-1]).length()
	}
	return sum
}

// centroid returns the mean of the points.
func (p path) centroid() point {
	var c point
	for _, q := range p {
		c = c.add(q)
	}
	return c.times(1 / float64(len(p)))
}

// resample returns n points at equal steps of arc length from a to b, measured
// from the first point. Beyond an end (a < 0 or b > length) the path continues
// straight.
func (p path) resample(n int, a, b float64) path {
	out := make(path, n)
	i, start := 1, 0.0 // segment from p[i-1] to p[i]; arc length at p[i-1]
	for k := range out {
		s := a + (b-a)*float64(k)/float64(n-1)
		step := p[i].sub(p[i-1]).length()
		for s > start+step && i < len(p)-1 {
			start += step
			i++
			step = p[i].sub(p[i-1]).length()
		}
		out[k] = p[i-1].add(p[i].sub(p[i-1]).times((s - start) / step))
	}
	return out
}

// turnFrom returns the angle in radians, clockwise on screen, by which p is
// rotated relative to q: the least-squares rotation of q's points about its
// centroid onto p's (Procrustes). The paths have the same number of points.
func (p path) turnFrom(q path) float64 {
	cp, cq := p.centroid(), q.centroid()
	var dot, cross float64
	for i := range p {
		a, b := p[i].sub(cp), q[i].sub(cq)
		dot += float64(a.x*b.x) + float64(a.y*b.y)
		cross += float64(b.x*a.y) - float64(b.y*a.x)
	}
	return elem.Atan2(cross, dot)
}

// smooth returns the curve through the given points: a Catmull-Rom spline with
// ten steps from point to point and doubled end points.
func smooth(knots path) path {
	const steps = 10
	at := func(i int) point { return knots[min(max(i, 0), len(knots)-1)] }
	out := path{knots[0]}
	for i := range len(knots) - 1 {
		a, b, c, d := at(i-1), at(i), at(i+1), at(i+2)
		for k := 1; k <= steps; k++ {
			t := float64(k) / steps
			out = append(out, point{spline(a.x, b.x, c.x, d.x, t), spline(a.y, b.y, c.y, d.y, t)})
		}
	}
	return out
}

// spline returns the uniform Catmull-Rom polynomial from b (t = 0) to c (t =
// 1).
func spline(a, b, c, d, t float64) float64 {
	return b + float64(t/2*((c-a)+float64(t*((float64(2*a)-float64(5*b)+float64(4*c)-d)+float64(t*(float64(3*(b-c))+d-a))))))
}
