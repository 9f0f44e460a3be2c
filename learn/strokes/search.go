package strokes

import (
	"bytes"
	"math"
	"slices"

	"example.com/patchwork/internal/score/kernel"
)

// pick is an expert and its pose: the number of its rotation, and its shift.
type pick struct{ expert, turn, dy, dx int }

// sprite is a template turned: where its votes lie, the highest levels first.
type sprite struct {
	votes  []vote
	pieces []piece
}

type vote struct {
	at    int32
	level uint8
}

// piece is some votes of a sprite, one after the other: their places in the maps of gains, for
// the least shift, and how many there are of each level.
type piece struct {
	at     kernel.Places
	levels []int32
}

// pieceSize is how many votes a piece has.
const pieceSize = 56

// sprites turns templates.
func (g *ground) sprites(templates [][]uint8) [][]sprite {
	out := make([][]sprite, len(templates))
	first := g.shift(g.grid.DY.Min, g.grid.DX.Min)
	for k, t := range templates {
		byLevel := make([][]vote, slices.Max(t)+1)
		for r := range g.turns {
			var s sprite
			for _, c := range g.turns[r].cells {
				if l := t[c.entry]; l > 0 {
					byLevel[l] = append(byLevel[l], vote{c.at, l})
				}
			}
			for l, votes := range slices.Backward(byLevel) {
				s.votes, byLevel[l] = append(s.votes, votes...), votes[:0]
			}
			for votes := range slices.Chunk(s.votes, pieceSize) {
				p := piece{levels: make([]int32, len(byLevel))}
				for _, v := range votes {
					p.at.Add(int32(int(v.level-1)*g.len()) + g.order[int(v.at)+first])
					p.levels[v.level]++
				}
				s.pieces = append(s.pieces, p)
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

	pixels  []uint8 // of the image, laid on the ground
	values  []uint8 // scratch memory of ground.lay
	mu      []uint8 // level of the composition
	mark    []uint32
	marked  uint32
	*maps   // by the table in force
	byTable map[*table]*maps
	sums    [2][lanes]int32
	hopes   []int32 // of scan: what the pieces after each may gain at most
	picks   []pick
	used    []int
	seeds   []pick // by expert: one that best has found in the image, or none

	circle bool // the first angle of the grid follows the last
	near   bool // a pick is replaced by one of its own expert nearby, not by the best of all
	coarse bool // new picks are sought on every other row of shifts, then nearby
}

// maps are the gains by one table, as far as the search has used it.
type maps struct {
	gains []int32 // [level-1][place of the pixel]
	shown []uint8 // by pixel: the value and the level that the gains are of
}

// use sets the table of gains, and corrects the maps where they are of another image, or of
// other picks.
func (s *search) use(t *table) {
	s.table, s.maps = t, s.byTable[t]
	if s.maps == nil {
		s.maps = &maps{make([]int32, s.len()*(len(s.levels.p)-1)), bytes.Repeat([]byte{math.MaxUint8}, s.len())}
		s.byTable[t] = s.maps
	}
	for i, x := range s.pixels {
		if s.shown[i] != x|s.mu[i]<<2 {
			s.update(i)
		}
	}
}

// update sets the gains at a pixel.
func (s *search) update(i int) {
	n, at := s.len(), int(s.order[i])
	for l, v := range s.table.of(s.pixels[i], s.mu[i])[1:] {
		s.gains[l*n+at] = v
	}
	s.shown[i] = s.pixels[i] | s.mu[i]<<2
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

// best returns the pick that gains most and its gain, the first of equals; no expert where
// none that is free gains more than least.
func (s *search) best(least int32) (pick, int32) {
	f := finding{pick: pick{expert: -1}, gain: least}
	for k, p := range s.seeds {
		if p.expert == k && s.used[k] < s.reuse { // a pick found is found again, if there is no better one
			f.gain = max(f.gain, s.gain(p)-1)
		}
	}
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
			if f.expert == k {
				s.seeds[k] = f.pick
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
	pieces := s.sprites[k][r].pieces
	if len(pieces) == 0 {
		return
	}
	s.hope(pieces)
	first, n := w.x0/w.stepX, (w.x1-w.x0)/w.stepX+1
	for y := w.y0; y <= w.y1; y += w.stepY {
		for x := 0; x < n; x += lanes {
			for i, v := range s.sum(pieces, s.gains[y*s.stride+first+x:], min(lanes, n-x), f.gain) {
				if v > f.gain {
					f.gain, f.pick = v, pick{k, r, s.grid.DY.Min + y, s.grid.DX.Min + w.x0 + (x+i)*w.stepX}
				}
			}
		}
	}
}

// hope bounds what the pieces of a sprite gain.
func (s *search) hope(pieces []piece) {
	s.hopes = s.hopes[:0]
	for range pieces {
		s.hopes = append(s.hopes, 0)
	}
	for i := len(pieces) - 1; i > 0; i-- {
		s.hopes[i-1] = s.hopes[i]
		for l, n := range pieces[i].levels {
			s.hopes[i-1] += n * s.table.most[l]
		}
	}
}

// sum adds up what a sprite gains at n neighbouring shifts, piece by piece; nothing where none
// of them can gain more than least.
func (s *search) sum(pieces []piece, from []int32, n int, least int32) []int32 {
	sums, part := s.sums[0][:n], s.sums[1][:n]
	clear(sums)
	for i := range pieces {
		s.path.Stack(s.sums[1][:], from, &pieces[i].at)
		most := int32(math.MinInt32)
		for j, v := range part {
			v += sums[j]
			sums[j], most = v, max(most, v)
		}
		if int64(most)+int64(s.hopes[i]) <= int64(least) {
			return nil
		}
	}
	return sums
}

// begin places picks in the image that lies on the ground.
func (s *search) begin(picks []pick, t *table) {
	clear(s.mu)
	s.picks = append(s.picks[:0], picks...)
	s.used, s.seeds = make([]int, len(s.sprites)), make([]pick, len(s.sprites))
	for k := range s.seeds {
		s.seeds[k].expert = -1
	}
	for _, p := range picks {
		s.used[p.expert]++
		s.join(p)
	}
	s.use(t)
}

// seed lets searches begin at what picks would gain, which may not be there yet.
func (s *search) seed(picks []pick) {
	for _, p := range picks {
		s.seeds[p.expert] = p
	}
}

// add places picks while they gain more than the price.
func (s *search) add(price int32, forced bool) (added bool) {
	for len(s.picks) < s.reuse*len(s.sprites) {
		least := price
		if s.coarse || forced && len(s.picks) == 0 {
			least = math.MinInt32
		}
		p, gain := s.best(least)
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
		sum += s.gains[int(v.level-1)*n+int(s.order[int(v.at)+by])]
	}
	return sum
}
