package real

import "example.com/patchwork/internal/elem"

// This file keeps the gains of candidates up to date where a pixel changes. What a candidate gains at a pixel on which
// it would be
// one of two speakers has a logarithm in it; the factors of all pixels are multiplied, and one logarithm is taken
// for each candidate and pick.

// change lets do change what is said about a pixel, with the gains unless these are not wanted.
func (f *field) change(d int, gains bool, do func()) {
	switch {
	case !gains || !f.known[d]:
		do()
	case f.said != nil:
		f.eachOver(d, func(at int, e *entry) { f.gains[at] -= f.with(d, e) - f.cells[d].now })
		do()
		f.eachOver(d, func(at int, e *entry) { f.gains[at] += f.with(d, e) - f.cells[d].now })
	default:
		old := f.cells[d]
		do()
		f.follow(d, &old)
	}
}

// follow brings the gains up to date after pixel d changed from what it was.
func (f *field) follow(d int, old *cell) {
	now, z := &f.cells[d], f.z[d]
	if f.about == nil {
		f.eachOver(d, func(at int, e *entry) { f.moveGain(at, e, z, old, now) })
		return
	}
	about := f.about[d]
	for i := range about {
		f.moveGain(about[i].k, &about[i].entry, z, old, now)
	}
}

// moveGain brings the gain of a candidate up to date at a pixel of value z that changed, about which it says e.
func (f *field) moveGain(at int, e *entry, z float64, old, now *cell) {
	heardOld, heardNow := e.s > old.up || -e.s > old.down, e.s > now.up || -e.s > now.down
	if !heardOld && !heardNow {
		return
	}
	g := e.gain(z)
	sum, factor := 0.0, 1.0
	if heardOld {
		top, share := old.beside(e.s, g)
		sum, factor = old.now-top, 1/share
	}
	if heardNow {
		top, share := now.beside(e.s, g)
		sum, factor = sum+top-now.now, factor*share
	}
	f.gains[at] += sum
	if factor != 1 {
		f.multiply(at, factor)
	}
}

// small is the smallest factor that is multiplied, and 1/small the largest.
const small = 1e-100

// multiply takes a factor for a candidate.
func (f *field) multiply(at int, factor float64) {
	if factor < small || factor > 1/small {
		f.gains[at] += elem.Log(factor)
		return
	}
	if f.times[at] *= factor; f.times[at] < small || f.times[at] > 1/small {
		f.gains[at] += elem.Log(f.times[at])
		f.times[at] = 1
	}
}

// settle adds the logarithms of all factors to the gains.
func (f *field) settle(gains bool) {
	if !gains || f.said != nil {
		return
	}
	for at, t := range f.times {
		if t != 1 {
			f.gains[at] += elem.Log(t)
			f.times[at] = 1
		}
	}
}

// beside returns what is said about a pixel if an opinion of strength s that is heard, and that alone would
// gain g, comes to it: top + ln(share), where 0 < share <= 1.
func (c *cell) beside(s, g float64) (top, share float64) {
	other, otherGain := c.down, c.gainDown
	if s < 0 {
		s, other, otherGain = -s, c.up, c.gainUp
	}
	if other == 0 {
		return g, 1
	}
	if g < otherGain {
		s, g, other, otherGain = other, otherGain, s, g
	}
	if off := otherGain - g; off > -40 || s < 1e-3*other { // else it adds nothing
		return g, (s + float64(other*elem.Exp(off))) / (s + other)
	}
	return g, s / (s + other)
}

// eachOver calls do for every candidate that has an opinion about pixel d.
func (f *field) eachOver(d int, do func(at int, e *entry)) {
	if f.about != nil {
		for i := range f.about[d] {
			do(f.about[d][i].k, &f.about[d][i].entry)
		}
		return
	}
	g := &f.m.Poses
	y, x := d/f.m.Width, d%f.m.Width
	for i := range f.sprites {
		sp := &f.sprites[i]
		from := i / g.Rotations() * g.Len()
		from += i % g.Rotations() * g.Shifts()
		for j := range sp.entries {
			e := &sp.entries[j]
			dy, inY := g.DY.Index(y - int(e.y))
			dx, inX := g.DX.Index(x - int(e.x))
			if inY && inX {
				do(from+dy*g.DX.Len()+dx, e)
			}
		}
	}
}
