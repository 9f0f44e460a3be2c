package blocks

import "slices"

// forbidden is the price of what must not be.
const forbidden = 1 << 40

// priced returns the blocks that item i takes if it may get cells wrong: from those it
// has, it takes or leaves the block that saves most, as long as one does.
func (m *improver) priced(f *factors, side int, i int32, has []int32) []int32 {
	value, cover := m.values(side, i)
	saves := func(k int32, taken bool) int64 { // what changing its mind about k saves
		v, alone := -m.price.item[side][i], int32(0)
		if taken {
			v, alone = -v, 1
		}
		for _, c := range f[1-side][k] {
			if cover[c] == alone {
				if taken {
					v -= value[c]
				} else {
					v += value[c]
				}
			}
		}
		m.steps += int64(len(f[1-side][k]))
		return v
	}
	taken := make([]bool, len(f[0]))
	change := func(k int32) {
		by := int32(1)
		if taken[k] = !taken[k]; !taken[k] {
			by = -1
		}
		for _, c := range f[1-side][k] {
			cover[c] += by
		}
	}
	for _, k := range has {
		change(k)
	}
	options := m.overlapping(side, i)
	for {
		best, at := int64(0), int32(-1)
		for _, k := range options {
			if v := saves(k, taken[k]); v > best {
				best, at = v, k
			}
		}
		if at < 0 {
			break
		}
		change(at)
	}
	var out []int32
	for _, k := range options {
		if taken[k] {
			out = append(out, k)
		}
	}
	return out
}

// values returns what covering each cell of item i is worth, and as many zeros.
func (m *improver) values(side int, i int32) (value []int64, cover []int32) {
	n := m.items(1 - side)
	for len(m.value) < n {
		m.value = append(m.value, 0)
	}
	value, cover = m.value[:n], make([]int32, n)
	weight := func(c int32) int64 { return m.price.exception * m.price.weight[side][i] * m.price.weight[1-side][c] }
	for c := range value {
		if value[c] = -weight(int32(c)); m.price.neverAdd || m.g.never[cellOf(side, i, int32(c))] {
			value[c] = -forbidden
		}
	}
	for k, c := range m.lines[side].of(i) {
		switch {
		case m.g.must[cellOf(side, i, c)]:
			value[c] = forbidden
		case m.need[side].has(m.lines[side].from[i] + k):
			value[c] = weight(c)
		default:
			value[c] = 0
		}
	}
	m.steps += int64(n)
	return value, cover
}

func cellOf(side int, i, c int32) Cell {
	if side == sideRows {
		return Cell{i, c}
	}
	return Cell{c, i}
}

// overlapping returns the blocks that share a cell with the line of item i, ascending.
func (m *improver) overlapping(side int, i int32) []int32 {
	var out []int32
	for _, c := range m.lines[side].of(i) {
		out = append(out, m.holders[c]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// exceptions returns the cost of the cells that a factorisation gets wrong.
func (m *improver) exceptions(f *factors) int64 {
	total := int64(0)
	own := make([][]int32, m.items(sideRows))
	for k, rows := range f[0] {
		for _, r := range rows {
			own[r] = append(own[r], int32(k))
		}
	}
	for r := range own {
		value, cover := m.values(sideRows, int32(r))
		for _, k := range own[r] {
			for _, c := range f[1][k] {
				cover[c]++
			}
		}
		for c, v := range value {
			switch {
			case cover[c] > 0 && v < 0:
				total -= v
			case cover[c] == 0 && v > 0:
				total += v
			}
		}
	}
	return total
}
