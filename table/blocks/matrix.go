package blocks

import (
	"fmt"
	"slices"

	"example.com/patchwork/bitmap"
)

// Matrix is a table of zeros and ones, held by its ones: its memory is proportional
// to their number. Rows and columns are counted from 0.
type Matrix struct {
	Columns int
	Ones    [][]int32 // for every row the columns of its ones, ascending
	// Either has, for every row, the columns of the cells that blocks may cover but
	// need not, such as unknown ones, ascending and none of Ones; nil if there are none.
	Either [][]int32
}

// Of returns the matrix whose rows are images, row-major; their unknown pixels are
// in Either. It panics if they are not of one size (misuse).
func Of(images []*bitmap.Image) *Matrix {
	m := &Matrix{Ones: make([][]int32, len(images))}
	var on, known []uint8
	for i, img := range images {
		if i == 0 {
			m.Columns = img.Len()
		}
		if img.Len() != m.Columns {
			panic(fmt.Sprintf("blocks: row %d has %d cells, row 0 has %d", i, img.Len(), m.Columns))
		}
		on = img.AppendBytes(on[:0])
		ones := make([]int32, 0, img.CountOn())
		for d, v := range on {
			if v != 0 {
				ones = append(ones, int32(d))
			}
		}
		m.Ones[i] = ones
		if img.Complete() {
			continue
		}
		if m.Either == nil {
			m.Either = make([][]int32, len(images))
		}
		known = img.AppendKnown(known[:0])
		for d, v := range known {
			if v == 0 {
				m.Either[i] = append(m.Either[i], int32(d))
			}
		}
	}
	return m
}

// Rows returns the number of rows.
func (m *Matrix) Rows() int { return len(m.Ones) }

// Ink returns the number of ones.
func (m *Matrix) Ink() int {
	n := 0
	for _, ones := range m.Ones {
		n += len(ones)
	}
	return n
}

// either returns the cells of a row that may be covered but need not be.
func (m *Matrix) either(i int) []int32 {
	if m.Either == nil {
		return nil
	}
	return m.Either[i]
}

// validate panics unless the lists are what their comments say (misuse).
func (m *Matrix) validate() {
	if m.Either != nil && len(m.Either) != len(m.Ones) {
		panic(fmt.Sprintf("blocks: %d rows of ones, %d of cells that may be either", len(m.Ones), len(m.Either)))
	}
	for i, ones := range m.Ones {
		both := slices.Concat(ones, m.either(i))
		if !slices.IsSorted(ones) || !slices.IsSorted(m.either(i)) {
			panic(fmt.Sprintf("blocks: the columns of row %d are not ascending", i))
		}
		slices.Sort(both)
		if n := len(both); n > 0 && (both[0] < 0 || int(both[n-1]) >= m.Columns || len(slices.Compact(both)) < n) {
			panic(fmt.Sprintf("blocks: row %d names a column twice, or one outside %d", i, m.Columns))
		}
	}
}
