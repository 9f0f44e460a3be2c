package strokes

import "math"

// step reads one expert off its counts.
type step struct {
	*levels
	height, width int
	vote          float64 // what a vote must bring, in nats
	straight      bool    // the votes must lie in one straight band
}

// worths returns, by entry and level, what voting at that level would have brought
// in the images counted, in nats: f(p) = sum of log P(x | max(p, m)) - log P(x | m),
// with one pixel more that was off, less the price of double coverage.
func (s *step) worths(c *counts) []float64 {
	n := len(s.p)
	f := make([]float64, s.height*s.width*n)
	for i := range s.height * s.width {
		own := f[i*n : (i+1)*n]
		if c.like(i) { // as nearly all entries beside the ink are
			copy(own, f[(i-1)*n:i*n])
			continue
		}
		for m := range n {
			seen, ink := float64(c.Seen[i*n+m]), float64(c.On[i*n+m])
			if seen == 0 {
				continue
			}
			for l := m + 1; l < n; l++ {
				own[l] += float64(ink*(s.on[l]-s.on[m])) + float64((seen-ink)*(s.off[l]-s.off[m]))
			}
			if m >= s.covers {
				for l := s.covers; l < n; l++ {
					own[l] -= float64(doublePrice * seen)
				}
			}
		}
		for l := 1; l < n; l++ {
			own[l] += s.off[l] - s.off[0]
		}
	}
	return f
}

// pooled returns the worths of entries pooled with those of their neighbours,
// because poses are known to half a pixel only.
func (s *step) pooled(f []float64) []float64 {
	n, w := len(s.p), neighbourWeight
	out := make([]float64, len(f))
	for y := range s.height {
		for x := range s.width {
			at := (y*s.width + x) * n
			own := out[at : at+n]
			copy(own, f[at:at+n])
			add := func(ok bool, by int) {
				if ok {
					for l, v := range f[at+by*n : at+by*n+n] {
						own[l] += float64(w * v)
					}
				}
			}
			add(y > 0, -s.width)
			add(y < s.height-1, s.width)
			add(x > 0, -1)
			add(x < s.width-1, 1)
			for l := range own {
				own[l] /= 1 + float64(4*w)
			}
		}
	}
	return out
}

// template returns the expert.
func (s *step) template(c *counts) []uint8 {
	n := len(s.p)
	f := s.pooled(s.worths(c))
	best, worth := make([]uint8, s.height*s.width), make([]float64, s.height*s.width)
	for i := range best {
		worth[i] = math.Inf(-1)
		for l := 1; l < n; l++ {
			if v := f[i*n+l]; v > worth[i] {
				best[i], worth[i] = uint8(l), v
			}
		}
		worth[i] -= s.vote
	}
	if s.straight {
		s.straighten(worth)
	}
	for i, votes := range s.decide(worth) {
		if !votes {
			best[i] = 0
		}
	}
	s.bridge(best, c)
	s.onePiece(best)
	return best
}

// decide returns which entries vote: those that are worth it after the price of
// the boundary between those that vote and those that do not, by iterated
// conditional modes from those that are worth it alone.
func (s *step) decide(worth []float64) []bool {
	votes := make([]bool, len(worth))
	for i, v := range worth {
		votes[i] = v > 0
	}
	for range 12 {
		changed := false
		for y := range s.height {
			for x := range s.width {
				i := y*s.width + x
				v := worth[i] + float64(boundaryPrice*float64(2*s.neighbours(votes, y, x)-4))
				if now := v > 0; now != votes[i] {
					votes[i], changed = now, true
				}
			}
		}
		if !changed {
			break
		}
	}
	return votes
}

// neighbours returns how many of the 4-neighbours of an entry vote.
func (s *step) neighbours(votes []bool, y, x int) int {
	n, i := 0, y*s.width+x
	if y > 0 && votes[i-s.width] {
		n++
	}
	if y < s.height-1 && votes[i+s.width] {
		n++
	}
	if x > 0 && votes[i-1] {
		n++
	}
	if x < s.width-1 && votes[i+1] {
		n++
	}
	return n
}

// bridge lets a stroke go on where another one crosses it: within the closing of
// the entries above 1/2, an entry whose pixel is ink in more than half of the
// images, whoever explains it, takes that share.
func (s *step) bridge(t []uint8, c *counts) {
	body := make([]bool, len(t))
	for i, l := range t {
		body[i] = int(l) >= s.covers
	}
	for i, in := range closed(body, s.height, s.width, closing) {
		if !in {
			continue
		}
		seen, ink := int64(0), int64(0)
		for m := range c.Levels {
			seen += c.Seen[i*c.Levels+m]
			ink += c.On[i*c.Levels+m]
		}
		if 2*ink > seen {
			t[i] = max(t[i], s.nearest(float64(ink)/float64(seen)))
		}
	}
}

// onePiece drops the 8-connected pieces of the votes that are much smaller than
// the largest.
func (s *step) onePiece(t []uint8) {
	piece, sizes := pieces(t, s.width)
	largest := 0
	for _, n := range sizes {
		largest = max(largest, n)
	}
	for i, p := range piece {
		if p >= 0 && float64(sizes[p]) < smallestPiece*float64(largest) {
			t[i] = 0
		}
	}
}
