package classes

import (
	"math"
	"math/bits"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// What an image is explained by: of each class the examples that it is nearest to, whole,
// so that a hundred examples cost little more than a handful; and then by all cuts of the
// best of these, in the classes that are likeliest.
const (
	wholeExamples = 3
	cutExamples   = 2
	cutClasses    = 8
)

// ink returns the pixels that an example says are ink, 64 in a word.
func (e *Example) ink() []uint64 {
	out := make([]uint64, (len(e.Pieces[0])+63)/64)
	for i, k := range e.Pieces[0] {
		if k > 0 {
			out[i/64] |= 1 << (i % 64)
		}
	}
	return out
}

// moved is an image, shifted and turned, with its known pixels.
type moved struct{ on, known []uint64 }

// mover shifts and turns images.
type mover struct {
	turns  []pose.Turn
	dy, dx []int
	copies []moved
	pixels []uint8
}

// newMover returns a mover of images whose examples move so.
func newMover(height, width int, g pose.Grid) *mover {
	m := &mover{dy: coarse(g.DY), dx: coarse(g.DX)}
	for r := range g.Rotations() {
		m.turns = append(m.turns, pose.NewTurn(height, width, g.Angle(r)))
	}
	words := (height*width + 63) / 64
	for range len(m.turns) * len(m.dy) * len(m.dx) {
		m.copies = append(m.copies, moved{make([]uint64, words), make([]uint64, words)})
	}
	return m
}

// coarse returns at most five shifts of a range: not so far as single pieces move.
func coarse(r pose.Range) []int {
	var out []int
	step := max(r.Step, 1, (r.Max-r.Min)/4)
	for d := -(-r.Min / step) * step; d <= r.Max; d += step {
		out = append(out, d)
	}
	return out
}

// move makes the copies of an image. Pixels that come from beyond its border are off.
func (m *mover) move(img *bitmap.Image) []moved {
	h, w := img.Height(), img.Width()
	m.pixels = img.AppendValues(m.pixels[:0])
	at := 0
	for _, turn := range m.turns {
		for _, dy := range m.dy {
			for _, dx := range m.dx {
				c := m.copies[at]
				at++
				clear(c.on)
				clear(c.known)
				for i := range m.pixels {
					y, x := i/w, i%w
					if turn.Back != nil {
						y, x = int(turn.Back[i].Y), int(turn.Back[i].X)
					}
					value := uint8(0)
					if y, x = y+dy, x+dx; y >= 0 && x >= 0 && y < h && x < w {
						value = m.pixels[y*w+x]
					}
					if value != 2 {
						c.known[i/64] |= 1 << (i % 64)
						c.on[i/64] |= uint64(value) << (i % 64)
					}
				}
			}
		}
	}
	return m.copies
}

// distance returns the least number of known pixels in which one of the copies differs
// from an example.
func distance(copies []moved, ink []uint64) int {
	least := math.MaxInt
	for _, c := range copies {
		d := 0
		for j, w := range ink {
			d += bits.OnesCount64((w ^ c.on[j]) & c.known[j])
		}
		least = min(least, d)
	}
	return least
}

// nearest returns the indices of the n examples that the copies are nearest to, the
// lowest of equals first.
func nearest(copies []moved, inks [][]uint64, n int) []int {
	type near struct{ example, distance int }
	all := make([]near, len(inks))
	for e, ink := range inks {
		if all[e].example = e; len(inks) > n {
			all[e].distance = distance(copies, ink)
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return a.distance - b.distance })
	out := make([]int, 0, n)
	for _, a := range all[:min(n, len(all))] {
		out = append(out, a.example)
	}
	return out
}
