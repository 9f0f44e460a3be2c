package blocks

import (
	"context"
	"math/rand/v2"
	"slices"
)

// Rows and columns of a factorisation are treated alike, as side 0 and side 1.
const (
	sideRows    = 0
	sideColumns = 1
)

// factors are blocks of a grid: for each block its rows and its columns, ascending.
// The lists are never changed, only replaced.
type factors [2][][]int32

func (f *factors) clone() factors { return factors{slices.Clone(f[0]), slices.Clone(f[1])} }

// add adds a block: set on a side, other on the other one.
func (f *factors) add(side int, set, other []int32) {
	f[side], f[1-side] = append(f[side], set), append(f[1-side], other)
}

// prices are what a factorisation costs: each item of each side in a block, a block,
// and each exception; weight is how many rows or columns of the matrix an item is.
type prices struct {
	item, weight [2][]int64
	block        int64
	exception    int64 // 0: there are none
	neverAdd     bool
}

// cost returns the cost of a factorisation.
func (m *improver) cost(f *factors) int64 {
	total := m.price.block * int64(len(f[0]))
	for side := range f {
		for _, set := range f[side] {
			for _, i := range set {
				total += m.price.item[side][i]
			}
		}
	}
	if m.price.exception > 0 {
		total += m.exceptions(f)
	}
	return total
}

// improver looks for cheaper factorisations of a grid.
type improver struct {
	g     *grid
	price prices
	rng   *rand.Rand
	steps int64 // items looked at

	lines [2]lists // columns of rows, rows of columns
	need  [2]plane // which of them are ones

	// Of the factorisation at hand.
	changed []bool  // blocks that are new, or whose other side is
	lost    []int32 // rows that may have ones that no block covers

	// Memory of a step.
	holders [][]int32 // by item of the other side: the blocks that have it
	count   []int32   // by block: how many of its items a line has
	place   []int32   // by block: its set in the cover, plus 1
	dirty   []bool    // by item
	touched []int32
	cover   setCover
	value   []int64
}

func newImprover(g *grid, p prices, rng *rand.Rand) *improver {
	return &improver{g: g, price: p, rng: rng, lines: [2]lists{g.may, g.mayT}, need: [2]plane{g.need, g.needT}}
}

func (m *improver) items(side int) int { return len(m.lines[side].from) - 1 }

// A search begins again after so many changes in vain, times the number of blocks and some
// more, and ends when the least cost has come up sameOften times.
const (
	vainChanges = 300
	sameOften   = 5
)

// search descends from a factorisation, again and again, for as many steps as there may
// be. It returns the cheapest factorisation found.
func (m *improver) search(ctx context.Context, from factors, steps int64) (best factors, least int64) {
	limit := m.steps + steps
	for same := 0; same == 0 || same < sameOften && m.steps < limit && ctx.Err() == nil; {
		f, cost := m.descend(ctx, from.clone(), limit)
		switch {
		case same == 0 || cost < least:
			best, least, same = f, cost, 1
		case cost == least:
			same++
		}
	}
	return best, least
}

// descend changes a few blocks at a time and keeps what does not cost more, until that
// has been in vain for long.
func (m *improver) descend(ctx context.Context, f factors, limit int64) (factors, int64) {
	m.begin(&f, true)
	cost := m.settle(&f, sideRows)
	for vain := 0; vain < vainChanges*(len(f[0])+10) && m.steps < limit && ctx.Err() == nil; vain++ {
		next := f.clone()
		m.begin(&next, false)
		m.change(&next)
		m.repair(&next)
		if c := m.settle(&next, m.rng.IntN(2)); c <= cost {
			if c < cost {
				vain = 0
			}
			f, cost = next, c
		}
		m.steps++ // nothing is free
	}
	return f, cost
}

// begin begins with a factorisation.
func (m *improver) begin(f *factors, changed bool) {
	m.changed, m.lost = m.changed[:0], m.lost[:0]
	for range f[0] {
		m.changed = append(m.changed, changed)
	}
}

// turns is how many steps follow a change, at most.
const turns = 8

// settle gives rows and columns the fewest blocks in turn, until nothing changes, and
// returns the cost.
func (m *improver) settle(f *factors, side int) int64 {
	for n := range turns {
		if n > 0 && len(m.lost) == 0 && !slices.Contains(m.changed, true) {
			break
		}
		m.step(f, side)
		side = 1 - side
	}
	return m.cost(f)
}

// step gives the items of a side that changed blocks concern the fewest blocks that
// cover their ones, of those whose other side they may have; the other sides stay.
// Blocks that nobody takes go. Changed are then those whose items on this side are new.
func (m *improver) step(f *factors, side int) {
	other := 1 - side
	m.mark(f, side)
	m.index(f[other], m.items(other))
	taken := make([][]int32, len(f[side]))
	for i, dirty := range m.dirty {
		if dirty {
			for _, k := range m.choose(f, side, int32(i)) {
				taken[k] = append(taken[k], int32(i))
			}
		}
	}
	n := 0
	for k, set := range f[side] {
		m.steps += int64(len(set))
		next := set
		if len(taken[k]) > 0 || slices.ContainsFunc(set, func(i int32) bool { return m.dirty[i] }) {
			next = slices.Clone(taken[k])
			for _, i := range set {
				if !m.dirty[i] {
					next = append(next, i)
				}
			}
			slices.Sort(next)
		}
		if len(next) > 0 {
			f[side][n], f[other][n], m.changed[n] = next, f[other][k], !slices.Equal(next, set)
			n++
		}
	}
	f[side], f[other], m.changed = f[side][:n], f[other][:n], m.changed[:n]
}

// choose returns the blocks that item i takes.
func (m *improver) choose(f *factors, side int, i int32) []int32 {
	if m.price.exception == 0 {
		return m.fewest(f, side, i)
	}
	var has []int32
	for k, set := range f[side] {
		if _, ok := slices.BinarySearch(set, i); ok {
			has = append(has, int32(k))
		}
	}
	return m.priced(f, side, i, has)
}

// mark marks the items of a side that have a changed block, or could.
func (m *improver) mark(f *factors, side int) {
	m.dirty = m.dirty[:0]
	for range m.items(side) {
		m.dirty = append(m.dirty, false)
	}
	for k, changed := range m.changed {
		if !changed {
			continue
		}
		for _, i := range f[side][k] {
			m.dirty[i] = true
		}
		if m.price.exception > 0 { // not only what may have all of it
			for _, c := range f[1-side][k] {
				for _, i := range m.lines[1-side].of(c) {
					m.dirty[i] = true
				}
			}
			continue
		}
		for _, i := range m.common(1-side, f[1-side][k]) {
			m.dirty[i] = true
		}
	}
	if side == sideRows {
		for _, r := range m.lost {
			m.dirty[r] = true
		}
		m.lost = m.lost[:0]
	}
}

// index notes which blocks have an item, by their sets on one side.
func (m *improver) index(sets [][]int32, items int) {
	for len(m.holders) < items {
		m.holders = append(m.holders, nil)
	}
	for i := range m.holders {
		m.holders[i] = m.holders[i][:0]
	}
	for k, set := range sets {
		for _, i := range set {
			m.holders[i] = append(m.holders[i], int32(k))
		}
		m.steps += int64(len(set))
	}
	for len(m.count) < len(sets) {
		m.count, m.place = append(m.count, 0), append(m.place, 0)
	}
}

// fewest returns the fewest blocks inside the line of item i that cover its ones.
func (m *improver) fewest(f *factors, side int, i int32) []int32 {
	line, from := m.lines[side].of(i), m.lines[side].from[i]
	m.touched = m.touched[:0]
	for _, c := range line {
		for _, k := range m.holders[c] {
			if m.count[k] == 0 {
				m.touched = append(m.touched, k)
			}
			m.count[k]++
		}
		m.steps += int64(1 + len(m.holders[c]))
	}
	inside := m.touched[:0]
	for _, k := range m.touched {
		if int(m.count[k]) == len(f[1-side][k]) {
			inside = append(inside, k)
			m.place[k] = int32(len(inside))
		}
		m.count[k] = 0
	}
	c := &m.cover
	c.reset(len(inside), len(line))
	for n, col := range line {
		if !m.need[side].has(from + n) {
			continue
		}
		c.need.set(n)
		for _, k := range m.holders[col] {
			if m.place[k] > 0 {
				c.set(int(m.place[k] - 1)).set(n)
			}
		}
	}
	for _, k := range inside {
		m.place[k] = 0
	}
	var out []int32
	for _, s := range c.solve(m.rng) {
		out = append(out, inside[s])
	}
	m.steps += c.steps
	return out
}

// widen gives the items of a side of each block all that they share.
func (m *improver) widen(f *factors, side int) {
	for k, set := range f[side] {
		f[1-side][k] = m.common(side, set)
	}
}

// change makes 1 to 5 random changes.
func (m *improver) change(f *factors) {
	for range 1 + m.rng.IntN(5) {
		if len(f[0]) == 0 {
			return
		}
		k, j, side := m.rng.IntN(len(f[0])), m.rng.IntN(len(f[0])), m.rng.IntN(2)
		switch m.rng.IntN(6 + m.merges()) {
		case 0, 1: // without the block
			m.lost = append(m.lost, f[0][k]...)
			f[0], f[1], m.changed = slices.Delete(f[0], k, k+1), slices.Delete(f[1], k, k+1), slices.Delete(m.changed, k, k+1)
		case 2: // all that its items share
			if set := m.common(side, f[side][k]); len(set) > 0 {
				f[1-side][k], m.changed[k] = set, true
			}
		case 3: // a further block: what some of its items share, with all that share it
			m.further(f, side, m.common(side, m.part(f[side][k])))
		case 4: // what two blocks share
			m.further(f, side, shared(f[1-side][k], f[1-side][j]))
		case 5: // what the items of two blocks share
			m.further(f, side, m.common(side, union(f[side][k], f[side][j])))
		default: // one block of two, with zeros
			f[0][k], f[1][k], m.changed[k] = union(f[0][k], f[0][j]), union(f[1][k], f[1][j]), true
		}
	}
}

// merges returns how many further changes there are: blocks with zeros, if there may be.
func (m *improver) merges() int {
	if m.price.exception > 0 && !m.price.neverAdd {
		return 2
	}
	return 0
}

// further adds the block of a set of the other side, and of all items of a side that
// may have it, unless one of the two is empty.
func (m *improver) further(f *factors, side int, set []int32) {
	if len(set) == 0 {
		return
	}
	if all := m.common(1-side, set); len(all) > 0 {
		f.add(side, all, set)
		m.changed = append(m.changed, true)
	}
}

// part returns a random part of a list, not empty.
func (m *improver) part(list []int32) []int32 {
	out := []int32{list[m.rng.IntN(len(list))]}
	for _, i := range list {
		if m.rng.IntN(2) == 0 && i != out[0] {
			out = append(out, i)
		}
	}
	return out
}

// common returns what all of some items of a side may have.
func (m *improver) common(side int, items []int32) []int32 {
	out := slices.Clone(m.lines[side].of(items[0]))
	for _, i := range items[1:] {
		if len(out) == 0 {
			break
		}
		line := m.lines[side].of(i)
		m.steps += int64(len(out))
		out = keep(out, line)
	}
	return out
}

// shared returns what two ascending lists share.
func shared(a, b []int32) []int32 { return keep(slices.Clone(a), b) }

// keep keeps of an ascending list, in its place, what is in another one.
func keep(a, b []int32) []int32 {
	n := 0
	for _, v := range a {
		at := 0
		if len(b) > 0 && b[0] < v {
			at, _ = slices.BinarySearch(b, v)
		}
		if b = b[at:]; len(b) > 0 && b[0] == v {
			a[n] = v
			n++
		}
	}
	return a[:n]
}

func union(a, b []int32) []int32 {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// repair adds blocks for ones that no block covers: what is not covered of a row, with
// all rows that may have it.
func (m *improver) repair(f *factors) {
	if m.price.exception > 0 && m.rng.IntN(2) == 0 {
		return // they may be left over
	}
	slices.Sort(m.lost)
	rows := slices.Clone(slices.Compact(m.lost))
	m.rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for _, r := range rows {
		if left := m.uncovered(f, r); len(left) > 0 {
			m.further(f, sideRows, left)
		}
	}
}

// uncovered returns the columns of a row's ones that no block covers.
func (m *improver) uncovered(f *factors, r int32) []int32 {
	var left []int32
	for n, c := range m.lines[0].of(r) {
		if m.need[0].has(m.lines[0].from[r] + n) {
			left = append(left, c)
		}
	}
	for k, rows := range f[0] {
		if _, ok := slices.BinarySearch(rows, r); ok {
			left = lack(left, f[1][k])
		}
	}
	m.steps += int64(len(f[0]))
	return left
}

// lack drops of an ascending list, in its place, what is in another one.
func lack(a, b []int32) []int32 {
	n := 0
	for _, v := range a {
		at, found := slices.BinarySearch(b, v)
		if b = b[at:]; !found {
			a[n] = v
			n++
		}
	}
	return a[:n]
}
