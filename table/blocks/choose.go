package blocks

import (
	"math/bits"
	"slices"
)

// choices is how many open cells are tried for the next block, where no block is
// forced.
const choices = 16

// choose takes, where no block is forced, the block that covers the largest share of
// the star of a cell.
func (s *search) choose() {
	var (
		st    star
		best  pick
		where int32
	)
	for _, cell := range s.sample(choices) {
		s.look(cell.Row)
		k, _ := slices.BinarySearch(s.view.columns, cell.Column)
		s.starOf(k, &st)
		size := 0
		for _, j := range st.rows {
			size += count(s.view.openOf(j))
		}
		for _, p := range []pick{s.byRows(&st), s.byColumns(k, &st)} {
			if p.size = size; s.widest {
				p.size = 1
			}
			if best.size == 0 || p.covered*best.size > best.covered*p.size {
				best, where = p, cell.Row
			}
		}
	}
	s.look(where)
	s.chosen++
	s.take(s.opened(best.rows, best.columns))
}

// opened returns the rows and columns of a block of the view that have open cells in it:
// others could keep dropped cells from going where their keeper is.
func (s *search) opened(rows []int32, columns plane) ([]int32, plane) {
	with := make(plane, len(columns))
	rows = slices.DeleteFunc(rows, func(j int32) bool {
		any := uint64(0)
		for w, o := range s.view.openOf(j) {
			with[w] |= o & columns[w]
			any |= o & columns[w]
		}
		return any == 0
	})
	return rows, with
}

// pick is a block of the view, and how many open cells it covers of a star's size.
type pick struct {
	rows          []int32
	columns       plane
	covered, size int
}

// sample returns n open cells drawn at random, or all if there are no more.
func (s *search) sample(n int) []Cell {
	var out []Cell
	skip := func() int { return 0 }
	if s.left > n {
		skip = func() int { return s.rng.IntN(2*s.left/n - 1) }
	}
	next := skip()
	for r := range int32(s.g.rows) {
		for at := s.g.may.from[r]; at < s.g.may.from[r+1]; at++ {
			if !s.open.has(at) {
				continue
			}
			if next == 0 {
				out = append(out, Cell{r, s.g.may.all[at]})
				next = skip() + 1
			}
			next--
		}
	}
	return out
}

// byRows returns the block that grows from the view's row by the row that leaves most
// open cells covered, as long as that makes it cover more.
func (s *search) byRows(st *star) pick {
	v := &s.view
	p := pick{rows: []int32{v.row}, columns: slices.Clone(st.columns)}
	for w, m := range v.mayOf(v.row) {
		p.columns[w] &= m
	}
	p.covered = meet(p.columns, v.openOf(v.row))
	left := slices.DeleteFunc(slices.Clone(st.rows), func(j int32) bool { return j == v.row })
	narrow := make(plane, v.words)
	for {
		best, at := p.covered, -1
		for n, j := range left {
			for w, m := range v.mayOf(j) {
				narrow[w] = p.columns[w] & m
			}
			covered := meet(narrow, v.openOf(j))
			for _, i := range p.rows {
				covered += meet(narrow, v.openOf(i))
			}
			s.steps += int64(len(p.rows) * v.words)
			if covered > best {
				best, at = covered, n
			}
		}
		if at < 0 {
			slices.Sort(p.rows)
			return p
		}
		for w, m := range v.mayOf(left[at]) {
			p.columns[w] &= m
		}
		p.rows, p.covered = append(p.rows, left[at]), best
		left = slices.Delete(left, at, at+1)
	}
}

// byColumns returns the block that grows from column k of the view likewise.
func (s *search) byColumns(k int, st *star) pick {
	v := &s.view
	p := pick{rows: slices.Clone(st.rows), columns: make(plane, v.words)}
	p.columns.set(k)
	for _, j := range p.rows {
		p.covered += meet(p.columns, v.openOf(j))
	}
	left := slices.Clone(st.columns)
	left.clear(k)
	gain := make([]int, v.words*64)
	for {
		clear(gain)
		for _, j := range p.rows {
			held, may, open := meet(p.columns, v.openOf(j)), v.mayOf(j), v.openOf(j)
			for w, m := range left {
				for m &= may[w]; m != 0; m &= m - 1 {
					c := bits.TrailingZeros64(m)
					gain[w*64+c] += held + int(open[w]>>c&1)
					s.steps++
				}
			}
		}
		at := 0
		for c, g := range gain {
			if g > gain[at] {
				at = c
			}
		}
		if gain[at] <= p.covered {
			return p
		}
		p.columns.set(at)
		left.clear(at)
		p.covered = gain[at]
		p.rows = slices.DeleteFunc(p.rows, func(j int32) bool { return !v.mayOf(j).has(at) })
	}
}

func count(p plane) int {
	n := 0
	for _, v := range p {
		n += bits.OnesCount64(v)
	}
	return n
}

// meet returns how many numbers two sets share.
func meet(p, q plane) int {
	n := 0
	for i, v := range p {
		n += bits.OnesCount64(v & q[i])
	}
	return n
}
