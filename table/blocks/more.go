package blocks

import (
	"cmp"
	"math/bits"
	"slices"

	"example.com/patchwork/bitmap"
)

// MoreThan reports whether it sees, at a glance, that more than n blocks are needed to cover
// images exactly: it looks for more than n ones no two of which fit in one block. That it
// finds fewer says nothing. It panics if the images are not of one size (misuse).
func MoreThan(n int, images []*bitmap.Image) bool {
	return len(images) > n && images[0].Len() > n && len(Of(images).apart(n+1)) > n
}

// apart returns up to n ones, no two of which fit in one block: in rows of few ones first,
// in each the one in the column of the fewest.
func (m *Matrix) apart(n int) (apart []Cell) {
	may, order, use := make([]plane, m.Rows()), make([]int, m.Rows()), make([]int, m.Columns)
	for i, ones := range m.Ones {
		may[i], order[i] = newPlane(m.Columns), i
		for _, d := range ones {
			may[i].set(int(d))
			use[d]++
		}
		for _, d := range m.either(i) {
			may[i].set(int(d))
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(len(m.Ones[i]), len(m.Ones[j])) })
	free := newPlane(m.Columns)
	for _, i := range order {
		clear(free)
		for _, d := range m.Ones[i] {
			free.set(int(d))
		}
		for _, c := range apart {
			if may[i].has(int(c.Column)) { // a block with both would cover cells of row c.Row
				free.without(may[c.Row])
			}
		}
		if d := rarest(free, use); d >= 0 && len(apart) < n {
			apart = append(apart, Cell{int32(i), int32(d)})
		}
	}
	return apart
}

// rarest returns the number of a set that is used least; -1 if it is empty.
func rarest(p plane, use []int) int {
	best := -1
	for w, m := range p {
		for ; m != 0; m &= m - 1 {
			if d := w*64 + bits.TrailingZeros64(m); best < 0 || use[d] < use[best] {
				best = d
			}
		}
	}
	return best
}
