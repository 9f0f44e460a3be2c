package blocks

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// search looks for the fewest blocks of a grid.
type search struct {
	g       *grid
	rng     *rand.Rand
	open    plane   // per place in g.may: still to be covered
	openT   plane   // the same, per place in g.mayT
	left    int     // open cells
	owner   []int32 // per place in g.may: the block that covers it, or the keeper of a dropped cell
	dropped []drop
	blocks  []Block
	proof   []Cell // no two of which fit in one block
	chosen  int    // blocks that were not forced
	steps   int64  // words of work
	limit   int64
	widest  bool    // choose the block that covers most, not most of its star
	closed  []int64 // by column: the work done when a cell of it was last closed
	seen    []int64 // by row: the work done when it was last reduced
	view    view
}

// drop is a cell that is covered by the block of another one, its keeper.
type drop struct {
	cell   Cell
	keeper int // its place in g.may
}

func newSearch(g *grid, rng *rand.Rand, limit int64) *search {
	s := &search{g: g, rng: rng, limit: limit}
	s.open, s.openT, s.left = slices.Clone(g.need), slices.Clone(g.needT), count(g.need)
	s.owner = make([]int32, len(g.may.all))
	s.closed, s.seen = make([]int64, g.columns), make([]int64, g.rows)
	for r := range s.seen {
		s.seen[r] = -1
	}
	s.view.place = make([]int32, g.rows)
	return s
}

// run covers all cells. When the context ends, or the work has reached its limit, each
// row is made a block of its own of what is still open.
func (s *search) run(ctx context.Context) {
	rows := s.rng.Perm(s.g.rows)
	over := func() bool { return s.steps > s.limit || ctx.Err() != nil }
	for s.left > 0 && !over() {
		for changed := true; changed && s.left > 0 && !over(); {
			changed = false
			for _, r := range rows {
				if over() {
					break
				}
				if s.reduce(int32(r)) {
					changed = true
				}
			}
		}
		if s.left > 0 && !over() {
			s.choose()
		}
	}
	for r := range int32(s.g.rows) {
		if s.hasOpen(r) {
			s.look(r)
			s.take([]int32{r}, slices.Clone(s.view.openOf(r)))
		}
	}
	s.keep()
}

// view is what blocks with a cell of one row can consist of: its columns, numbered
// from 0, and all rows that share one.
type view struct {
	row     int32
	columns []int32
	words   int
	rows    []int32
	place   []int32 // of a row of the grid among rows, plus 1; 0 for none
	may     plane   // words of each row: which of the columns it may have
	open    plane   // and which are open
}

func (v *view) mayOf(j int32) plane  { k := int(v.place[j]-1) * v.words; return v.may[k : k+v.words] }
func (v *view) openOf(j int32) plane { k := int(v.place[j]-1) * v.words; return v.open[k : k+v.words] }

// look makes the view of a row.
func (s *search) look(r int32) {
	v := &s.view
	for _, j := range v.rows {
		v.place[j] = 0
	}
	v.row, v.columns, v.rows = r, s.g.may.of(r), v.rows[:0]
	v.words = (len(v.columns) + 63) / 64
	v.may, v.open = v.may[:0], v.open[:0]
	for k, c := range v.columns {
		from := s.g.mayT.from[c]
		for n, j := range s.g.mayT.of(c) {
			if v.place[j] == 0 {
				v.rows = append(v.rows, j)
				v.place[j] = int32(len(v.rows))
				for range v.words {
					v.may, v.open = append(v.may, 0), append(v.open, 0)
				}
			}
			v.mayOf(j).set(k)
			if s.openT.has(from + n) {
				v.openOf(j).set(k)
			}
		}
		s.steps += int64(len(s.g.mayT.of(c)))
	}
}

// star is what blocks with one cell can consist of, of the open cells.
type star struct {
	rows    []int32 // R: rows with an open cell of the star
	columns plane   // C: their columns
	all     []int32 // J: rows that may have all of C
	shared  plane   // T: columns that all of R may have
}

// starOf returns the star of the cell of the view's row in its column k.
func (s *search) starOf(k int, out *star) {
	v := &s.view
	out.rows, out.all = out.rows[:0], out.all[:0]
	out.columns = append(out.columns[:0], make(plane, v.words)...)
	out.shared = append(out.shared[:0], v.mayOf(v.row)...)
	down := s.g.mayT.of(v.columns[k])
	for _, j := range down {
		open := v.openOf(j)
		if !open.any() {
			continue
		}
		out.rows = append(out.rows, j)
		for w, o := range open {
			out.columns[w] |= o
		}
		for w, m := range v.mayOf(j) {
			out.shared[w] &= m
		}
	}
	for _, j := range down {
		if v.mayOf(j).holds(out.columns) {
			out.all = append(out.all, j)
		}
	}
	s.steps += int64(3 * len(down) * v.words)
}

// reduce takes the forced blocks of a row and drops cells that others keep. It
// reports whether it did anything.
func (s *search) reduce(r int32) bool {
	if !s.hasOpen(r) || !s.news(r) {
		return false
	}
	s.look(r)
	s.seen[r] = s.steps
	changed := false
	var st star
	for _, k := range s.rng.Perm(len(s.view.columns)) {
		if !s.view.openOf(r).has(k) {
			continue
		}
		s.starOf(k, &st)
		if st.shared.holds(st.columns) { // every row of R may have all of C
			s.proof = append(s.proof, Cell{r, s.view.columns[k]})
			s.take(st.rows, st.columns)
			changed = true
			continue
		}
		if s.drop(k, &st) {
			changed = true
		}
	}
	return changed
}

func (s *search) hasOpen(r int32) bool {
	for at := s.g.may.from[r]; at < s.g.may.from[r+1]; at++ {
		if s.open.has(at) {
			return true
		}
	}
	return false
}

// news reports whether cells of the stars of a row have been closed since it was reduced.
func (s *search) news(r int32) bool {
	return s.seen[r] < 0 || slices.ContainsFunc(s.g.may.of(r), func(c int32) bool { return s.closed[c] >= s.seen[r] })
}

// drop drops the open cells that every block with cell k of the view's row can
// contain as well.
func (s *search) drop(k int, st *star) bool {
	v := &s.view
	keeper := s.g.may.at(v.row, v.columns[k])
	any := false
	for _, j := range st.all {
		open := v.openOf(j)
		for w := range open {
			cells := open[w] & st.shared[w]
			if j == v.row && w == k/64 {
				cells &^= 1 << (k % 64)
			}
			open[w] &^= cells
			for ; cells != 0; cells &= cells - 1 {
				c := v.columns[w*64+bits.TrailingZeros64(cells)]
				s.close(j, c)
				s.dropped = append(s.dropped, drop{Cell{j, c}, keeper})
				any = true
			}
		}
	}
	return any
}

// close marks an open cell as no longer open, outside the view.
func (s *search) close(j, c int32) {
	s.open.clear(s.g.may.at(j, c))
	s.openT.clear(s.g.mayT.at(c, j))
	s.closed[c] = s.steps
	s.left--
}

// take takes the block of rows and of columns of the view.
func (s *search) take(rows []int32, columns plane) {
	v := &s.view
	b := Block{Rows: slices.Clone(rows)}
	for w, m := range columns {
		for ; m != 0; m &= m - 1 {
			b.Columns = append(b.Columns, v.columns[w*64+bits.TrailingZeros64(m)])
		}
	}
	for _, j := range rows {
		open := v.openOf(j)
		for w := range open {
			cells := open[w] & columns[w]
			open[w] &^= cells
			for ; cells != 0; cells &= cells - 1 {
				c := v.columns[w*64+bits.TrailingZeros64(cells)]
				s.close(j, c)
				s.owner[s.g.may.at(j, c)] = int32(len(s.blocks))
			}
		}
	}
	s.blocks = append(s.blocks, b)
}

// keep gives the dropped cells, last first, to the blocks of their keepers.
func (s *search) keep() {
	for _, d := range slices.Backward(s.dropped) {
		k := s.owner[d.keeper]
		s.owner[s.g.may.at(d.cell.Row, d.cell.Column)] = k
		b := &s.blocks[k]
		b.Rows, b.Columns = with(b.Rows, d.cell.Row), with(b.Columns, d.cell.Column)
	}
	s.dropped = nil
}

// with returns an ascending list with v.
func with(list []int32, v int32) []int32 {
	at, ok := slices.BinarySearch(list, v)
	if ok {
		return list
	}
	return slices.Insert(list, at, v)
}
