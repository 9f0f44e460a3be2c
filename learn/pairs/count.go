package pairs

import (
	"math"
	"math/bits"

	"example.com/patchwork/internal/elem"
)

// counter counts, for each bit of a plane, how often it was on: level l holds bit l
// of the counts.
type counter struct{ levels []plane }

// add counts the bits of a word.
func (c *counter) add(at int, w uint64, length int) {
	for l := 0; w != 0; l++ {
		if l == len(c.levels) {
			c.levels = append(c.levels, make(plane, length))
		}
		p := c.levels[l]
		p[at], w = p[at]^w, p[at]&w
	}
}

// of returns the count of a bit.
func (c *counter) of(at int, bit uint) (n int) {
	for l, p := range c.levels {
		n |= int(p[at]>>bit&1) << l
	}
	return n
}

// tally counts the ink in the frame of one part.
type tally struct {
	frame
	box      field // of the part, in the frame
	on, seen counter
	turns    []turned
	dy, dx   [][]int32 // by turn, see frame.gather
	places   int
}

func newTally(f field, s *shape, turns []turned) *tally {
	return &tally{frame: frameOf(f, s, len(turns)), box: s.field, turns: turns, dy: make([][]int32, len(turns)),
		dx: make([][]int32, len(turns))}
}

// add counts the pixels of an image around a part that lies at (y, x) in it: those
// free are seen.
func (t *tally) add(f field, v view, turn, y, x int) {
	t.places++
	n := t.height * t.words
	if t.turns[turn].angle != 0 {
		t.addTurned(f, v, turn, y, x)
		return
	}
	for r := max(0, t.y-y); r < min(t.height, f.height+t.y-y); r++ {
		for i := range t.words {
			column := x - t.x + 64*i
			t.on.add(r*t.words+i, f.window(v.ink, y-t.y+r, column), n)
			t.seen.add(r*t.words+i, f.window(v.free, y-t.y+r, column), n)
		}
	}
}

func (t *tally) addTurned(f field, v view, turn, y, x int) {
	if t.dy[turn] == nil {
		t.dy[turn], t.dx[turn] = t.gather(t.turns[turn])
	}
	dy, dx, n := t.dy[turn], t.dx[turn], t.height*t.words
	for r := range t.height {
		for i := range t.words {
			var on, seen uint64
			for b := range min(64, t.width-64*i) {
				at := r*t.width + 64*i + b
				row, column := y+int(dy[at]), x+int(dx[at])
				if uint(row) >= uint(f.height) || uint(column) >= uint(f.width) || !f.at(v.free, row, column) {
					continue
				}
				seen |= 1 << b
				if f.at(v.ink, row, column) {
					on |= 1 << b
				}
			}
			t.on.add(r*t.words+i, on, n)
			t.seen.add(r*t.words+i, seen, n)
		}
	}
}

// pixelPrice is what a pixel of a template costs, in nats, and partPrice a part.
const pixelPrice, partPrice = 3, 10

// price is what a part of this shape costs, in nats. A pixel with none within two pixels may be anywhere in its box:
// what two images of noise have in common at some shift is such specks.
func (s *shape) price() float64 {
	alone := 0
	for y := range s.height {
		for x := range s.width {
			if !s.at(s.bits, y, x) {
				continue
			}
			near := 0
			for r := max(0, y-2); r <= min(s.height-1, y+2); r++ {
				near += bits.OnesCount64(s.window(s.bits, r, x-2) & 31)
			}
			if near == 1 {
				alone++
			}
		}
	}
	anywhere := math.Max(pixelPrice, elem.Log(float64(max(1, s.height*s.width))))
	return partPrice + float64(pixelPrice*float64(s.n-alone)) + float64(anywhere*float64(alone))
}

// template returns the pixels that pay for themselves: those seen so often or more,
// on which ink gains more than paper loses, by the price of a pixel. In a large frame
// some pixels do so by chance; there a pixel that lies by itself must also pay for
// saying which it is.
func (t *tally) template(p prices, often int) *shape {
	out, sure := t.plane(), t.plane()
	name := int64(elem.Log(float64(t.height*t.width)) * nat)
	y0, y1, x0, x1 := t.reach()
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			at, bit := y*t.words+x>>6, uint(x&63)
			seen := t.seen.of(at, bit)
			if seen < often {
				continue
			}
			on := t.on.of(at, bit)
			gain := int64(on)*int64(p.ink) - int64(seen-on)*int64(p.paper)
			if gain > pixelPrice*nat {
				t.set(out, y, x)
			}
			if gain > name {
				t.set(sure, y, x)
			}
		}
	}
	if t.wide() {
		out = t.joined(out, sure)
	}
	s, _, _ := t.trimmed(out)
	return s
}

// reach returns the rows and columns of the frame in which a part may have pixels after
// a step. In a large frame it grows by a few pixels only: all around it there is what
// two images have in common because other parts lie there.
func (t *tally) reach() (y0, y1, x0, x1 int) {
	if !t.wide() {
		return 0, t.height, 0, t.width
	}
	return max(0, t.y-growMargin), min(t.height, t.y+t.box.height+growMargin), max(0, t.x-growMargin),
		min(t.width, t.x+t.box.width+growMargin)
}

// growMargin is how many pixels a part grows in a step to each side, in large frames.
const growMargin = 4

// joined returns the pixels of out that are sure, or have two neighbours or more in out.
func (f field) joined(out, sure plane) plane {
	kept := f.plane()
	for y := range f.height {
		for x := range f.width {
			if f.at(out, y, x) && (f.at(sure, y, x) || f.around(out, y, x) > 2) {
				f.set(kept, y, x)
			}
		}
	}
	return kept
}

// around counts the on pixels of the three by three around (y, x).
func (f field) around(p plane, y, x int) (n int) {
	for r := max(0, y-1); r <= min(y+1, f.height-1); r++ {
		n += bits.OnesCount64(f.window(p, r, x-1) & 7)
	}
	return n
}

// layers are the pixels of an image that one place or more covers, and those that
// two or more cover.
type layers struct{ one, two plane }

// cover adds a place.
func (l *layers) cover(f field, s *shape, y, x int) {
	f.stamp(s, y, x, func(at int, bits uint64) {
		l.two[at] |= l.one[at] & bits
		l.one[at] |= bits
	})
}

// without sets out to the pixels of v that no other place than this one covers.
func (l *layers) without(f field, v view, s *shape, y, x int, out view) {
	others := out.free
	copy(others, l.one)
	f.stamp(s, y, x, func(at int, bits uint64) { others[at] &^= bits })
	for i := range others {
		o := others[i] | l.two[i]
		out.ink[i] = v.ink[i] &^ o
		others[i] = v.free[i] &^ o
	}
}
