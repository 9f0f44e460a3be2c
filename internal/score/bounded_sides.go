package score

import (
	"maps"
	"math"
	"slices"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/kernel"
)

// This file has what the bounded engine needs besides under max-minus-min, where picks
// vote for on and for off. An opinion then gains on one value of a pixel and loses on
// the other, whichever side it is on, and a pick may raise what another opinion gains
// whether it votes for it or against it.
//
// The classes of pixels are by value and by cells of hi and of lo, as many as a code has
// room for, and a code is one pixel's. The cells follow the opinions of the bank: with
// few different ones the bounds are nearly the gains. Frames have many pixels that vote,
// so their entries are added up in groups of which each fits in 16 bits. What is left is
// scored by Field.Gain.

// sureTwoSided bounds the opinions, away from 0 and 1, of banks whose compositions of two
// sides are free of rounding that matters: hi + lo - q is then off by 1e-11 of itself.
const sureTwoSided = 1e-5

// groupSize is how many tables of 255 steps fit in a sum of 16 bits.
const groupSize = math.MaxUint16 / 255

// firstCell is the first class that is not one of abstention, which are the pixel values.
const firstCell = 3

// cellCodes is how many classes there are.
const cellCodes = 64

// sides holds the cells of a bank's opinions on either side of q, those next to q first,
// which are q alone.
type sides struct {
	path      *kernel.Path // for tables by class
	q         float64
	high, low []cell
	corners   [cellCodes][4]corner // of the classes
	step      float64              // of the tables
	tables    map[float64]table    // by opinion
}

// cell is a range of opinions.
type cell struct{ least, most float64 }

// corner is an extreme composition of a class and the log-likelihood of its pixels.
type corner struct{ hi, lo, l float64 }

// table says where the table by class of an opinion is, and what it is counted from.
type table struct {
	at    int32
	least float64
}

// newSides returns the cells of a two-sided bank. Tables by class need codes of 6 bits;
// where the path has none it is plain Go.
func newSides(b *Bank, path *kernel.Path) *sides {
	counts := make(map[float64]int)
	b.eachVote(func(v float64) { counts[v]++ })
	values := slices.Sorted(maps.Keys(counts))
	at, _ := slices.BinarySearch(values, b.Q)
	s := &sides{path: path, q: b.Q, tables: make(map[float64]table, len(values))}
	if path.Entries < cellCodes {
		s.path = kernel.Portable()
	}
	s.split([2][]float64{values[:at], values[at:]}, counts, (cellCodes-firstCell)/2+1)
	s.setCorners()
	return s
}

// eachVote calls f with every opinion that votes.
func (b *Bank) eachVote(f func(v float64)) {
	for i := range b.Sprites {
		s := &b.Sprites[i]
		for _, sp := range s.spans {
			for _, v := range s.V[int(sp.Row)*b.Width+int(sp.First) : int(sp.Row)*b.Width+int(sp.End)] {
				f(v)
			}
		}
	}
}

// split makes the cells of opinions below and above q, each ascending, so that no more
// pairs of them than room are needed: it splits the cell that is widest, times what is in
// it, while there is room.
func (s *sides) split(values [2][]float64, counts map[float64]int, room int) {
	logit := func(v float64) float64 { return elem.Log(v) - elem.Log1p(-v) }
	loss := func(part []float64) float64 {
		n := 0
		for _, v := range part {
			n += counts[v]
		}
		return float64(n) * (logit(part[len(part)-1]) - logit(part[0]))
	}
	var parts [2][][]float64
	for side, all := range values {
		if len(all) > 0 {
			parts[side] = append(parts[side], all)
		}
	}
	for {
		best, side, at := 0.0, -1, 0
		for i := range parts {
			if (len(parts[i])+2)*(len(parts[1-i])+1) > room {
				continue
			}
			for j, part := range parts[i] {
				if l := loss(part); l > best {
					best, side, at = l, i, j
				}
			}
		}
		if side < 0 {
			break
		}
		part := parts[side][at]
		middle := (logit(part[0]) + logit(part[len(part)-1])) / 2
		cut := 1
		for cut < len(part)-1 && logit(part[cut]) < middle {
			cut++
		}
		parts[side] = slices.Replace(parts[side], at, at+1, part[:cut], part[cut:])
	}
	s.low, s.high = []cell{{s.q, s.q}}, []cell{{s.q, s.q}}
	for _, part := range slices.Backward(parts[0]) {
		s.low = append(s.low, cell{part[0], part[len(part)-1]})
	}
	for _, part := range parts[1] {
		s.high = append(s.high, cell{part[0], part[len(part)-1]})
	}
}

// of returns the class of a known pixel whose extremal opinions are hi and lo.
func (s *sides) of(x uint8, hi, lo float64) byte {
	h, l := 0, 0
	for hi > s.high[h].most {
		h++
	}
	for lo < s.low[l].least {
		l++
	}
	if h+l == 0 {
		return x
	}
	return byte(firstCell + 2*(h*len(s.low)+l-1) + int(x))
}

// setCorners sets the extreme compositions of all classes of a pixel that is known.
func (s *sides) setCorners() {
	for _, high := range s.high {
		for _, low := range s.low {
			for _, x := range []uint8{Off, On} {
				for i := range 4 {
					hi, lo := [2]float64{high.least, high.most}[i&1], [2]float64{low.least, low.most}[i>>1]
					s.corners[s.of(x, high.most, low.least)][i] = corner{hi, lo, LogLik(x == On, Compose(hi, lo, s.q))}
				}
			}
		}
	}
}

// gain returns what opinion v gains at a pixel whose extremal opinions are hi and lo.
func (s *sides) gain(x uint8, v, hi, lo float64) float64 {
	if lo <= v && v <= hi {
		return 0
	}
	return LogLik(x == On, Compose(max(hi, v), min(lo, v), s.q)) - LogLik(x == On, Compose(hi, lo, s.q))
}

// worths returns, by class, the most that an opinion may gain, 0 in classes that do not
// occur. What it gains is monotone in hi and in lo on each side of the opinion, and
// nothing in between, so that the most is at a corner of the class.
func (s *sides) worths(v float64) (w [cellCodes]float64) {
	for class := range w {
		if class == int(free) || s.corners[class][0] == (corner{}) {
			continue
		}
		x := Off
		if class == int(onFirst) || class >= firstCell && (class-firstCell)%2 == 1 {
			x = On
		}
		w[class] = math.Inf(-1)
		for _, c := range s.corners[class] {
			after := c.l
			if v > c.hi || v < c.lo {
				after = LogLik(x == On, Compose(max(c.hi, v), min(c.lo, v), s.q))
			}
			w[class] = max(w[class], after-c.l)
		}
		w[class] += 1e-10 // beyond the rounding of compositions
	}
	return w
}

// rise returns the most by which a change from extremal opinions to others raises what an
// opinion of the bank gains at the pixel. Between these opinions the difference is monotone in
// the opinion.
func (s *sides) rise(x uint8, oldHi, oldLo, hi, lo float64) float64 {
	most := 0.0
	for _, v := range [...]float64{s.low[len(s.low)-1].least, s.high[len(s.high)-1].most, oldHi, hi, oldLo, lo} {
		most = max(most, s.gain(x, v, hi, lo)-s.gain(x, v, oldHi, oldLo))
	}
	return most + 1e-10
}

// setOpinions makes the tables by class of all opinions, to one step.
func (s *boundTables) setOpinions(b *Bank) {
	worths := make(map[float64][cellCodes]float64)
	largest := 0.0
	b.eachVote(func(v float64) {
		if _, ok := worths[v]; !ok {
			w := s.sides.worths(v)
			worths[v] = w
			largest = max(largest, slices.Max(w[:])-slices.Min(w[:]))
		}
	})
	s.sides.step = stepOf(largest, groupSize)
	s.entries = slices.Grow(s.entries, len(worths)*cellCodes)
	for _, v := range slices.Sorted(maps.Keys(worths)) {
		w := worths[v]
		t := table{int32(len(s.entries)), slices.Min(w[:])}
		s.sides.tables[v] = t
		for _, x := range w {
			s.entries = append(s.entries, byte(math.Ceil((x-t.least)/s.sides.step)))
		}
	}
}

// setCells covers the voting pixels with runs of one. It returns false where there are
// too many.
func (s *boundTables) setCells(b *Bank, sp *Sprite, g *spriteTables) bool {
	for _, span := range sp.spans {
		for x := span.First; x < span.End; x++ {
			t := s.sides.tables[sp.V[int(span.Row)*b.Width+int(x)]]
			g.runs = append(g.runs, block{pixel: pixel{span.Row, x}, last: pixel{span.Row, x}, table: t.at})
			g.baseRuns += t.least
		}
	}
	g.baseRuns += float64(1e-9 * (1 - g.baseRuns)) // far beyond the rounding of float64
	g.stepRuns = s.sides.step * float64(max(1, groupsOf(len(g.runs))))
	return len(g.runs) <= math.MaxUint16
}

// groupsOf returns the number of groups of that many tables.
func groupsOf(tables int) int { return (tables + groupSize - 1) / groupSize }

// sumLater sets steps to the bounds of a tile by class, and returns the largest.
func (e *bounded) sumLater(sprite, tile int, steps *[kernel.Tile]uint16) uint16 {
	t, path, groups := e.tables, e.tables.path, e.later[sprite]
	if t.sides != nil {
		path = t.sides.path
	}
	var top [1]uint16
	if len(groups) == 1 {
		path.Sums(steps[:], top[:], t.entries, e.codes[tile*kernel.Tile:], &groups[0])
		return top[0]
	}
	var part [kernel.Tile]uint16
	var sums [kernel.Tile]int
	for i := range groups {
		path.Sums(part[:], top[:], t.entries, e.codes[tile*kernel.Tile:], &groups[i])
		for p, x := range part {
			sums[p] += int(x)
		}
	}
	most := uint16(0)
	for p, sum := range sums { // in steps of as many as there are groups
		steps[p] = uint16((sum + len(groups) - 1) / len(groups))
		most = max(most, steps[p])
	}
	return most
}
