package strokes

import (
	"math"

	"example.com/patchwork/internal/score/kernel"
)

// pick is an expert and its pose: the number of its rotation, and its shift.
type pick struct{ expert, turn, dy, dx int }

// sprite is a template turned: where its votes lie.
type sprite struct {
	votes []vote
	at    kernel.Places // of the votes in the maps of gains, for the least shift
}

type vote struct {
	at    int32
	level uint8
}

// sprites turns templates.
func (g *ground) sprites(templates [][]uint8) [][]sprite {
	out := make([][]sprite, len(templates))
	first := g.shift(g.grid.DY.Min, g.grid.DX.Min)
	for k, t := range templates {
		for r := range g.turns {
			var s sprite
			for _, c := range g.turns[r].cells {
				if l := t[c.entry]; l > 0 {
					s.votes = append(s.votes, vote{c.at, l})
				}
			}
			for _, v := range s.votes {
				s.at.Add(int32(int(v.level-1)*g.len()) + g.order[int(v.at)+first])
			}
			out[k] = append(out[k], s)
		}
	}
	return out
}

// search explains one image at a time. It keeps, for every level, a map of what
// an entry of that level would gain at each pixel; what an expert gains in a pose
// is the sum over its votes.
type search struct {
	*ground
	levels  *levels
	table   *table
	sprites [][]sprite
	path    *kernel.Path
	reuse   int

	pixels []uint8 // of the image, laid on the ground
	bits   []uint8
	mu     []uint8 // level of the composition
	mark   []uint32
	marked uint32
	maps   []int32 // [level-1][place of the pixel]
	sums   []int32
	picks  []pick
	used   []int

	circle bool // the first angle of the grid follows the last
	near   bool // a pick is replaced by one of its own expert nearby, not by the best of all
	coarse bool // new picks are sought on every other row of shifts, then nearby
}

// use sets the table of gains and fills the maps.
func (s *search) use(t *table) {
	s.table = t
	n := s.len()
	for l := 1; l < len(s.levels.p); l++ {
		m := s.maps[(l-1)*n : l*n]
		none, some := t.of(off, 0)[l], t.of(on, 0)[l]
		for i, x := range s.pixels {
			at := s.order[i]
			switch x {
			case off:
				m[at] = none
			case on:
				m[at] = some
			default:
				m[at] = 0
			}
		}
	}
	for i, m := range s.mu {
		if m > 0 {
			s.update(i)
		}
	}
}

// update sets the gains at a pixel.
func (s *search) update(i int) {
	n, at := s.len(), int(s.order[i])
	for l, v := range s.table.of(s.pixels[i], s.mu[i])[1:] {
		s.maps[l*n+at] = v
	}
}

// join composes a pick into the pixels.
func (s *search) join(p pick) {
	by := s.shift(p.dy, p.dx)
	for _, v := range s.sprites[p.expert][p.turn].votes {
		if i := int(v.at) + by; v.level > s.mu[i] {
			s.mu[i] = v.level
		}
	}
}

// place adds a pick.
func (s *search) place(p pick) {
	by := s.shift(p.dy, p.dx)
	for _, v := range s.sprites[p.expert][p.turn].votes {
		if i := int(v.at) + by; v.level > s.mu[i] {
			s.mu[i] = v.level
			s.update(i)
		}
	}
}

// takeBack removes pick j from the composition; the others are composed again where
// it lay.
func (s *search) takeBack(j int) {
	p := s.picks[j]
	by := s.shift(p.dy, p.dx)
	s.marked++
	for _, v := range s.sprites[p.expert][p.turn].votes {
		i := int(v.at) + by
		s.mu[i], s.mark[i] = 0, s.marked
	}
	for o, p := range s.picks {
		if o == j {
			continue
		}
		by := s.shift(p.dy, p.dx)
		for _, v := range s.sprites[p.expert][p.turn].votes {
			if i := int(v.at) + by; s.mark[i] == s.marked && v.level > s.mu[i] {
				s.mu[i] = v.level
			}
		}
	}
	for _, v := range s.sprites[p.expert][p.turn].votes {
		s.update(int(v.at) + by)
	}
}

// best returns the pick that gains most and its gain, the first of equals; the
// gain is the least number where no expert is free.
func (s *search) best() (pick, int32) {
	f := finding{pick: pick{expert: -1}, gain: math.MinInt32}
	whole := window{0, s.grid.DY.Max - s.grid.DY.Min, max(s.grid.DY.Step, 1), 0, s.grid.DX.Max - s.grid.DX.Min,
		max(s.grid.DX.Step, 1)}
	if s.coarse {
		whole.stepY *= coarse
	}
	for k := range s.sprites {
		if s.used[k] < s.reuse {
			for r := range s.sprites[k] {
				s.scan(&f, k, r, whole)
			}
		}
	}
	return f.pick, f.gain
}

// finding is the best of the poses seen so far.
type finding struct {
	pick
	gain int32
}

// window is a range of shifts, from the least of the grid: both ends and the step.
type window struct{ y0, y1, stepY, x0, x1, stepX int }

// scan compares the shifts of a window, of one expert and turn, with the best so far.
func (s *search) scan(f *finding, k, r int, w window) {
	at := &s.sprites[k][r].at
	if at.Len() == 0 {
		return
	}
	first, n := w.x0/w.stepX, (w.x1-w.x0)/w.stepX+1
	for y := w.y0; y <= w.y1; y += w.stepY {
		for x := 0; x < n; x += lanes {
			s.path.Stack(s.sums[x:x+lanes], s.maps[y*s.stride+first+x:], at)
		}
		for x, v := range s.sums[:n] {
			if v > f.gain {
				f.gain, f.pick = v, pick{k, r, s.grid.DY.Min + y, s.grid.DX.Min + w.x0 + x*w.stepX}
			}
		}
	}
}

// begin places picks in the image that lies on the ground.
func (s *search) begin(picks []pick, t *table) {
	clear(s.mu)
	s.picks = append(s.picks[:0], picks...)
	s.used = make([]int, len(s.sprites))
	for _, p := range picks {
		s.used[p.expert]++
		s.join(p)
	}
	s.use(t)
}

// add places picks while they gain more than the price.
func (s *search) add(price int32, forced bool) (added bool) {
	for len(s.picks) < s.reuse*len(s.sprites) {
		p, gain := s.best()
		if s.coarse && p.expert >= 0 {
			p, gain = s.nearby(p)
		}
		if p.expert < 0 || gain <= price && !(forced && len(s.picks) == 0) {
			break
		}
		s.used[p.expert]++
		s.place(p)
		s.picks = append(s.picks, p)
		added = true
	}
	return added
}

// improve visits the picks in turn, replaces each by the best given the others, or
// drops it, and adds others, for at most so many sweeps.
func (s *search) improve(price int32, sweeps int) {
	unchanged := 0
	for range sweeps {
		for j := 0; j < len(s.picks) && unchanged < len(s.picks); {
			old := s.picks[j]
			s.takeBack(j)
			s.used[old.expert]--
			p, gain := s.bestFor(old)
			switch {
			case p.expert < 0 || gain <= price && len(s.picks) > 1:
				s.picks = append(s.picks[:j], s.picks[j+1:]...)
				unchanged = 0
				continue
			case p == old || s.gain(old) == gain:
				p = old
				unchanged++
			default:
				unchanged = 1
			}
			s.used[p.expert]++
			s.picks[j] = p
			s.place(p)
			j++
		}
		if s.add(price, false) {
			unchanged = 0
		}
		if unchanged >= len(s.picks) {
			return
		}
	}
}

// gain returns what a pick gains over the present composition.
func (s *search) gain(p pick) int32 {
	sum, by, n := int32(0), s.shift(p.dy, p.dx), s.len()
	for _, v := range s.sprites[p.expert][p.turn].votes {
		sum += s.maps[int(v.level-1)*n+int(s.order[int(v.at)+by])]
	}
	return sum
}
