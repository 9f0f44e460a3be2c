package real

import (
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/pose"
)

// cell is what the picks say about one pixel. Under Pool and Max it holds the two speakers; the
// strengths are >= 0, and 0 means nobody.
type cell struct {
	up, down         float64 // strength
	gainUp, gainDown float64 // logarithm of the density relative to the background's, at the pixel's value
	now              float64 // the same, of what they say together
}

// field is an image, the picks that explain it, and what each candidate would gain. It belongs to one
// goroutine.
type field struct {
	*bank
	z     []float64 // the image; 0 where unknown
	known []bool
	whole bool // all is known
	base  float64

	picks  []int // candidates
	used   []int // picks of each expert
	barred int   // number of an expert that is not picked for the time being, from 1; 0 for none
	cells  []cell
	said   [][]*entry // under Soft, all opinions about each pixel, in the order of the picks
	gains  []float64  // of all candidates, before their price
	times  []float64  // of all candidates, a factor whose logarithm is still to be added to the gain
}

// newField returns a field for any number of images.
func newField(b *bank) *field {
	f := &field{bank: b, z: make([]float64, b.m.D()), known: make([]bool, b.m.D()), used: make([]int, b.m.K()),
		cells: make([]cell, b.m.D()), gains: make([]float64, b.m.K()*len(b.poses))}
	f.times = slices.Repeat([]float64{1}, len(f.gains))
	if b.m.Rule == Soft {
		f.said = make([][]*entry, b.m.D())
	}
	return f
}

// load takes an image, which nothing explains so far, without the candidates' gains.
func (f *field) load(image []float64) {
	f.whole, f.base = true, 0
	for d, x := range image {
		f.known[d] = !math.IsNaN(x)
		f.z[d] = 0
		if !f.known[d] {
			f.whole = false
			continue
		}
		z := (x - f.mean[d]) * f.inverse[d]
		f.z[d] = z
		f.base += f.bank.base[d] - float64(z*z/2)
	}
	f.clear()
}

// clear takes all picks back.
func (f *field) clear() {
	f.picks = f.picks[:0]
	clear(f.used)
	clear(f.cells)
	for d := range f.said {
		f.said[d] = f.said[d][:0]
	}
}

// first computes what every candidate gains alone.
func (f *field) first() {
	if !f.m.Moves() {
		p := f.poses[0]
		for k := range f.sprites {
			f.gains[k] = f.alone(&f.sprites[k], p)
		}
		return
	}
	for c := range f.gains {
		_, sp, p := f.parts(c)
		f.gains[c] = f.alone(sp, p)
	}
}

// alone returns what a sprite at a place gains over the background alone: three sums of products, but under Soft.
func (f *field) alone(sp *sprite, p pose.Pose) float64 {
	if f.whole && f.said == nil && p.DY == 0 && p.DX == 0 && sp.top >= 0 && sp.left >= 0 && sp.top+sp.h <= f.m.Height &&
		sp.left+sp.w <= f.m.Width {
		return f.whollyInside(sp)
	}
	sum := 0.0
	for i := range sp.entries {
		e := &sp.entries[i]
		if d, ok := f.pixel(int(e.y), int(e.x), p); ok && f.known[d] {
			sum += f.with(d, e)
		}
	}
	return sum
}

// whollyInside is alone for a sprite that lies inside an image that is known.
func (f *field) whollyInside(sp *sprite) float64 {
	sum := sp.sum
	if sp.plain {
		for i := range sp.entries {
			e := &sp.entries[i]
			sum += float64(e.b * f.z[int(e.y)*f.m.Width+int(e.x)])
		}
		return sum
	}
	for i := range sp.entries {
		e := &sp.entries[i]
		z := f.z[int(e.y)*f.m.Width+int(e.x)]
		sum += float64((e.b + float64(e.c*z)) * z)
	}
	return sum
}

// together returns what two opposite speakers say together, or the only one, relative to the background.
func together(up, gainUp, down, gainDown float64) float64 {
	if up == 0 {
		return gainDown // 0 if nobody speaks
	}
	if down == 0 {
		return gainUp
	}
	if gainUp < gainDown {
		up, gainUp, down, gainDown = down, gainDown, up, gainUp
	}
	return gainUp + elem.Log((up+float64(down*elem.Exp(gainDown-gainUp)))/(up+down))
}

// with returns what is said about a pixel, relative to the background, if one more opinion comes
// to it.
func (f *field) with(d int, e *entry) float64 {
	if f.said != nil {
		return f.softly(d, e)
	}
	return f.cells[d].with(f.z[d], e)
}

// with returns what is said about a pixel of value z if one more opinion comes to the two speakers.
func (c *cell) with(z float64, e *entry) float64 {
	if e.s > 0 {
		if e.s <= c.up {
			return c.now
		}
		return together(e.s, e.gain(z), c.down, c.gainDown)
	}
	if -e.s <= c.down {
		return c.now
	}
	return together(c.up, c.gainUp, -e.s, e.gain(z))
}

// softly is what the opinions about a pixel, and one more unless it is nil, say under Soft.
func (f *field) softly(d int, more *entry) float64 {
	said := f.said[d]
	if more != nil {
		said = append(said[:len(said):len(said)], more)
	}
	var up, down float64
	for _, e := range said {
		up, down = max(up, e.s), max(down, -e.s)
	}
	var sumUp, sumDown float64
	for _, e := range said {
		if e.s > 0 {
			sumUp += float64(e.s * elem.Exp((e.s-up)/f.tau))
		} else {
			sumDown -= float64(e.s * elem.Exp((-e.s-down)/f.tau))
		}
	}
	total := elem.Log(f.tau) - max(up, down)/f.tau
	all := up + down + float64(f.tau*elem.Exp(-max(up, down)/f.tau))
	for _, e := range said {
		share := elem.Log(up*e.s/sumUp) + (e.s-up)/f.tau
		if e.s < 0 {
			share = elem.Log(down*-e.s/sumDown) + (-e.s-down)/f.tau
		}
		total = elem.LogAdd(total, share+e.gain(f.z[d]))
	}
	return total - elem.Log(all)
}

// heard reports whether an opinion would change what is said about a pixel.
func (f *field) heard(d int, e *entry) bool {
	return f.said != nil || e.s > f.cells[d].up || -e.s > f.cells[d].down
}

// speak adds an opinion to a pixel.
func (f *field) speak(d int, e *entry) {
	c := &f.cells[d]
	if e.s > c.up {
		c.up, c.gainUp = e.s, e.gain(f.z[d])
	} else if -e.s > c.down {
		c.down, c.gainDown = -e.s, e.gain(f.z[d])
	}
	if f.said != nil {
		f.said[d] = append(f.said[d], e)
		c.now = f.softly(d, nil)
		return
	}
	c.now = together(c.up, c.gainUp, c.down, c.gainDown)
}

// add picks a candidate. With gains it keeps the gains of all candidates up to date.
func (f *field) add(c int, gains bool) {
	k, sp, p := f.parts(c)
	f.picks = append(f.picks, c)
	f.used[k]++
	for i := range sp.entries {
		e := &sp.entries[i]
		if d, ok := f.pixel(int(e.y), int(e.x), p); ok && f.heard(d, e) {
			f.change(d, gains, func() { f.speak(d, e) })
		}
	}
	f.settle(gains)
}

// remove takes pick number i back.
func (f *field) remove(i int, gains bool) {
	c := f.picks[i]
	k, sp, p := f.parts(c)
	f.picks = append(f.picks[:i], f.picks[i+1:]...)
	f.used[k]--
	for i := range sp.entries {
		e := &sp.entries[i]
		d, ok := f.pixel(int(e.y), int(e.x), p)
		if ok && (f.said != nil || e.s >= f.cells[d].up || -e.s >= f.cells[d].down) {
			f.change(d, gains, func() { f.fold(d) })
		}
	}
	f.settle(gains)
}

// fold hears all picks about a pixel again.
func (f *field) fold(d int) {
	f.cells[d] = cell{}
	if f.said != nil {
		f.said[d] = f.said[d][:0]
	} else if f.about != nil && f.loudest(d) {
		return
	}
	for _, c := range f.picks {
		_, sp, p := f.parts(c)
		if e := f.at(sp, p, d); e != nil && f.heard(d, e) {
			f.speak(d, e)
		}
	}
}

// loudest is fold for experts that stay in their places, of which each is picked once: it asks only those that have an
// opinion. It returns false where two are equally strong, as the order of the picks then decides.
func (f *field) loudest(d int) bool {
	var up, down *entry
	for i := range f.about[d] {
		o := &f.about[d][i]
		if f.used[o.k] == 0 {
			continue
		}
		switch {
		case up != nil && o.s == up.s || down != nil && o.s == down.s:
			return false
		case o.s > 0 && (up == nil || o.s > up.s):
			up = &o.entry
		case o.s < 0 && (down == nil || o.s < down.s):
			down = &o.entry
		}
	}
	c, z := &f.cells[d], f.z[d]
	if up != nil {
		c.up, c.gainUp = up.s, up.gain(z)
	}
	if down != nil {
		c.down, c.gainDown = -down.s, down.gain(z)
	}
	c.now = together(c.up, c.gainUp, c.down, c.gainDown)
	return true
}

// loss returns what pick number i gains beside the others.
func (f *field) loss(i int) float64 {
	c := f.picks[i]
	k, sp, p := f.parts(c)
	sum := 0.0
	rest := append(append(make([]int, 0, len(f.picks)), f.picks[:i]...), f.picks[i+1:]...)
	all := f.picks
	for j := range sp.entries {
		e := &sp.entries[j]
		d, ok := f.pixel(int(e.y), int(e.x), p)
		if !ok || !f.known[d] || f.said == nil && e.s < f.cells[d].up && -e.s < f.cells[d].down {
			continue
		}
		before := f.cells[d]
		f.picks = rest
		f.used[k]--
		f.fold(d)
		sum += before.now - f.cells[d].now
		f.picks = all
		f.used[k]++
		if f.said != nil {
			f.fold(d)
		}
		f.cells[d] = before
	}
	return sum
}

// logLik returns the log-likelihood of the image under the picks, in nats.
func (f *field) logLik() float64 {
	sum := f.base
	for d := range f.cells {
		if f.known[d] {
			sum += f.cells[d].now
		}
	}
	return sum
}
