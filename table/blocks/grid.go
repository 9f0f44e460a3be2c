package blocks

import "slices"

// lists holds lists of numbers, one after the other.
type lists struct {
	from []int // list i is all[from[i]:from[i+1]]
	all  []int32
}

func (l *lists) of(i int32) []int32 { return l.all[l.from[i]:l.from[i+1]] }

// at returns the place in all of a number of list i, which has it.
func (l *lists) at(i, v int32) int {
	k, ok := slices.BinarySearch(l.of(i), v)
	if !ok {
		panic("blocks: a cell that is not there")
	}
	return l.from[i] + k
}

// plane is a set of numbers from 0, a bit each.
type plane []uint64

func newPlane(n int) plane     { return make(plane, (n+63)/64) }
func (p plane) has(i int) bool { return p[i/64]>>(i%64)&1 != 0 }
func (p plane) set(i int)      { p[i/64] |= 1 << (i % 64) }
func (p plane) clear(i int)    { p[i/64] &^= 1 << (i % 64) }
func (p plane) holds(q plane) bool { // all of q
	for i, v := range q {
		if v&^p[i] != 0 {
			return false
		}
	}
	return true
}

// without removes all of q.
func (p plane) without(q plane) {
	for i, v := range q {
		p[i] &^= v
	}
}

func (p plane) any() bool {
	for _, v := range p {
		if v != 0 {
			return true
		}
	}
	return false
}

// kind says what a block may do with a cell. Cells that are not listed are zeros.
type kind uint8

const (
	either kind = iota // may be covered
	one                // must be covered, or left over at a price
	must               // must be covered
	never              // must not be covered, at any price
)

// line is a row or column of a matrix: its cells that are not plain zeros, ascending.
type line struct {
	cells []int32
	kinds []kind
}

func (l *line) add(cell int32, k kind) {
	l.cells, l.kinds = append(l.cells, cell), append(l.kinds, k)
}

// needed reports whether a block needs the line.
func (l *line) needed() bool {
	return slices.ContainsFunc(l.kinds, func(k kind) bool { return k == one || k == must })
}

// grid is a matrix whose equal rows are one row, and whose equal columns are one
// column. Rows and columns without ones are left out.
type grid struct {
	rows, columns int
	may, mayT     lists     // columns of rows, rows of columns: what blocks may cover
	need, needT   plane     // per place in may, and in mayT: a one
	row, column   [][]int32 // the rows and columns of the matrix that are one here
	must, never   map[Cell]bool
}

// newGrid merges the equal rows and columns of lines of a number of columns.
func newGrid(lines []line, columns int) *grid {
	g := &grid{row: groups(lines), must: map[Cell]bool{}, never: map[Cell]bool{}}
	down := make([]line, columns) // the columns of the merged rows
	for r, group := range g.row {
		l := &lines[group[0]]
		for k, d := range l.cells {
			down[d].add(int32(r), l.kinds[k])
		}
	}
	g.column = groups(down)
	g.rows, g.columns = len(g.row), len(g.column)
	across, downs := make([]line, g.rows), make([]line, g.columns)
	for c, group := range g.column {
		l := &down[group[0]]
		for n, r := range l.cells {
			k := l.kinds[n]
			switch k {
			case must:
				g.must[Cell{r, int32(c)}] = true
			case never:
				g.never[Cell{r, int32(c)}] = true
				continue
			}
			across[r].add(int32(c), k)
			downs[c].add(r, k)
		}
	}
	g.may, g.need = joined(across)
	g.mayT, g.needT = joined(downs)
	return g
}

// groups returns the sets of equal lines, in the order of their first members. Lines
// without a one are in no set.
func groups(lines []line) [][]int32 {
	var out [][]int32
	byHash := map[uint64][]int{} // of groups
	for i := range lines {
		l := &lines[i]
		if !l.needed() {
			continue
		}
		h := l.hash()
		found := slices.IndexFunc(byHash[h], func(g int) bool {
			o := &lines[out[g][0]]
			return slices.Equal(o.cells, l.cells) && slices.Equal(o.kinds, l.kinds)
		})
		if found >= 0 {
			g := byHash[h][found]
			out[g] = append(out[g], int32(i))
			continue
		}
		byHash[h] = append(byHash[h], len(out))
		out = append(out, []int32{int32(i)})
	}
	return out
}

func (l *line) hash() uint64 {
	h := uint64(14695981039346656037)
	for i, c := range l.cells {
		h = (h ^ uint64(c)<<2 ^ uint64(l.kinds[i])) * 1099511628211
		h ^= h >> 29
	}
	return h
}

// joined returns the cells of lines that may be covered, and which are ones.
func joined(all []line) (lists, plane) {
	l := lists{from: make([]int, len(all)+1)}
	for i := range all {
		l.from[i+1] = l.from[i] + len(all[i].cells)
	}
	l.all = make([]int32, 0, l.from[len(all)])
	need := newPlane(l.from[len(all)])
	for i := range all {
		for k, c := range all[i].cells {
			if all[i].kinds[k] != either {
				need.set(len(l.all))
			}
			l.all = append(l.all, c)
		}
	}
	return l, need
}
