package synth

import (
	"math"
	"math/rand/v2"

	"example.com/patchwork/internal/elem"
)

// strokePoints is the number of points of a drawn stroke.
const strokePoints = 33

// A hand holds the habits of a writer that show in every character.
type hand struct {
	slant  float64 // shift of x for one unit of height, positive leans right
	tilt   float64 // shift of y for one unit of width, negative climbs
	aspect float64 // width relative to the skeleton's
	pen    float64 // width of the pen relative to the median, 4.2 of 56 pixels
	shaky  float64 // scale of everything that varies from stroke to stroke
	over   float64 // habit of going beyond the ends of strokes, as in change.start
	bend   float64 // habit of bending strokes, sagitta as a fraction of the length
}

// The spreads below were chosen by eye on contact sheets, to look like many
// people's handwriting rather than one font; none was fitted to data.
func newHand(r *rand.Rand) hand {
	return hand{
		slant:  clamp(normal(r, 0.08, 0.15), -0.3, 0.45),
		tilt:   clamp(normal(r, -0.05, 0.06), -0.2, 0.12),
		aspect: clamp(elem.Exp(normal(r, 0, 0.17)), 0.75, 1.5),
		pen:    elem.Exp(normal(r, 0, 0.22)),
		shaky:  0.6 + float64(0.8*r.Float64()),
		over:   normal(r, 0.01, 0.03),
		bend:   normal(r, 0, 0.03),
	}
}

// A change moves one stroke away from its skeleton.
type change struct {
	shift       point   // unit: height of the character
	turn        float64 // radians, clockwise on screen
	bend        float64 // sagitta, as a fraction of the length of the stroke
	wave        float64 // amplitude of one full wave along the stroke, same unit
	start, stop float64 // length added at the ends (negative: left out), as a fraction of the length, at most 1
}

// newChange draws a change of the given size, where 1 is the difference of
// strokes between writers.
func newChange(r *rand.Rand, size float64) change {
	return change{
		shift: point{normal(r, 0, 0.024*size), normal(r, 0, 0.024*size)},
		turn:  normal(r, 0, 5*math.Pi/180*size),
		bend:  normal(r, 0, 0.035*size),
		wave:  normal(r, 0, 0.008*size),
		start: clamp(normal(r, 0, 0.045*size), -0.1, 0.12),
		stop:  clamp(normal(r, 0, 0.06*size), -0.12, 0.15),
	}
}

func (c change) plus(d change) change {
	return change{
		shift: c.shift.add(d.shift), turn: c.turn + d.turn, bend: c.bend + d.bend,
		wave: c.wave + d.wave, start: c.start + d.start, stop: c.stop + d.stop,
	}
}

// A drawing is a character as drawn, before it is scaled to pixels.
type drawing struct {
	variant int       // which skeleton
	paths   []path    // one per stroke, strokePoints points each
	turns   []float64 // rotation of each stroke relative to its skeleton, radians clockwise
	pen     float64   // relative width of the pen
}

// draw draws a character: habits depends on the writer, own on the writer and
// the character, now on this sample.
func draw(ways []skeleton, habits hand, own, now *rand.Rand) drawing {
	d := drawing{variant: own.IntN(len(ways))}
	bones := ways[d.variant]
	plain := make([]path, len(bones)) // the strokes of the skeleton, point by point
	for k, s := range bones {
		c := newChange(own, habits.shaky).plus(newChange(now, 0.55*habits.shaky))
		c.bend += habits.bend
		c.start, c.stop = c.start+habits.over, c.stop+habits.over
		from, to := bones.reach(k, c)
		plain[k] = s.shape.resample(strokePoints, from, to)
		p := c.apply(plain[k])
		if s.joined {
			p = p.startAt(d.paths[k-1][strokePoints-1])
		}
		d.paths = append(d.paths, p)
	}
	leanAndWarp(d.paths, habits, now)
	for k, p := range d.paths {
		d.turns = append(d.turns, p.turnFrom(plain[k]))
	}
	d.pen = habits.pen * elem.Exp(normal(now, 0, 0.06))
	return d
}

// reach returns the part of stroke k that is drawn, as arc lengths from its
// start: beyond its ends or short of them as the change says, but exact where
// the next stroke is joined.
func (s skeleton) reach(k int, c change) (from, to float64) {
	to = s[k].shape.length()
	unit := min(to, 1) // long curves overshoot no further than a bar does
	if !s[k].joined {
		from -= float64(c.start * unit)
	}
	if k+1 == len(s) || !s[k+1].joined {
		to += float64(c.stop * unit)
	}
	return from, to
}

// apply bends, turns and shifts a stroke, whose ends reach has already set.
func (c change) apply(p path) path {
	length, centre := p.length(), p.centroid()
	sin, cos := elem.Sincos(c.turn)
	var across point // unit normal of the chord; a closed stroke has none
	if chord := p[len(p)-1].sub(p[0]); chord.length() > 0.3*length {
		across = chord.turn(1, 0).times(1 / chord.length())
	}
	out := make(path, len(p))
	for i, q := range p {
		t := float64(i) / float64(len(p)-1)
		off := length * (float64(c.bend*4*t*(1-t)) + float64(c.wave*elem.Sin(2*math.Pi*t)))
		q = q.add(across.times(off)).sub(centre).turn(sin, cos)
		out[i] = q.add(centre).add(c.shift)
	}
	return out
}

// startAt moves p so that it starts at q.
func (p path) startAt(q point) path {
	by := q.sub(p[0])
	out := make(path, len(p))
	for i := range p {
		out[i] = p[i].add(by)
	}
	return out
}

// leanAndWarp applies, in place, the changes common to all strokes of a
// character: the writer's aspect, slant and tilt with a little variation, and a
// slow wave through the plane, so that no two samples are the same up to an
// affine map.
func leanAndWarp(paths []path, habits hand, r *rand.Rand) {
	slant := habits.slant + normal(r, 0, 0.03)
	tilt := habits.tilt + normal(r, 0, 0.02)
	aspect := habits.aspect * elem.Exp(normal(r, 0, 0.06))
	waves := [2]wave{newWave(r, habits.shaky), newWave(r, habits.shaky)}
	for _, p := range paths {
		for i, q := range p {
			q = q.add(point{waves[0].at(q), waves[1].at(q)})
			q.x = float64(q.x * aspect)
			q.y += float64(tilt * q.x)
			q.x -= float64(slant * (q.y - 0.5))
			p[i] = q
		}
	}
}

// A wave is a sine over the plane.
type wave struct{ size, fx, fy, phase float64 }

func newWave(r *rand.Rand, shaky float64) wave {
	direction, turns := 2*math.Pi*r.Float64(), 0.4+float64(0.6*r.Float64())
	sin, cos := elem.Sincos(direction)
	return wave{
		size: 0.025 * shaky, phase: 2 * math.Pi * r.Float64(),
		fx: 2 * math.Pi * turns * cos, fy: 2 * math.Pi * turns * sin,
	}
}

func (w wave) at(p point) float64 {
	return w.size * elem.Sin(float64(w.fx*p.x)+float64(w.fy*p.y)+w.phase)
}

func normal(r *rand.Rand, mean, deviation float64) float64 {
	return mean + float64(deviation*elem.Normal(r))
}

func clamp(v, low, high float64) float64 { return min(max(v, low), high) }
