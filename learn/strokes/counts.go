package strokes

import "slices"

// counts is what the M-step of one expert needs of the images: how often each of
// its entries fell on a pixel to which the others gave each level, and how often
// that pixel was on. They are integers, so that counts of parts of the images add
// up exactly, in any order.
type counts struct {
	Levels int     // of the others' composition, the background included
	Seen   []int64 // [entry][level]
	On     []int64 // [entry][level]
	Images int64   // in which the expert is
}

// newCounts returns empty counts of an expert with n entries.
func newCounts(n, levels int) *counts {
	return &counts{Levels: levels, Seen: make([]int64, n*levels), On: make([]int64, n*levels)}
}

// like reports whether an entry has the counts of the one before it.
func (c *counts) like(i int) bool {
	if i == 0 {
		return false
	}
	from, at, to := (i-1)*c.Levels, i*c.Levels, (i+1)*c.Levels
	return slices.Equal(c.Seen[from:at], c.Seen[at:to]) && slices.Equal(c.On[from:at], c.On[at:to])
}

// merge adds the counts of other images.
func (c *counts) merge(o *counts) {
	for i, n := range o.Seen {
		c.Seen[i] += n
		c.On[i] += o.On[i]
	}
	c.Images += o.Images
}

// count adds the image that lies on the ground, as often as its weight says, with
// its picks: for each pick of an expert, the levels that the other picks compose to.
func (s *search) count(c *counts, expert int, picks []pick, weight int64) {
	seen := false
	for j, p := range picks {
		if p.expert != expert {
			continue
		}
		clear(s.mu)
		for o, other := range picks {
			if o != j {
				s.join(other)
			}
		}
		by := int32(s.shift(p.dy, p.dx))
		for entry, at := range s.turns[p.turn].back {
			i := at + by
			if x := s.pixels[i]; x != unknown {
				n := entry*c.Levels + int(s.mu[i])
				c.Seen[n] += weight
				c.On[n] += weight * int64(x)
			}
		}
		seen = true
	}
	if seen {
		c.Images += weight
	}
}
