// Package assign pairs things one to one, such as learned parts with true ones.
package assign

import "math"

// Pairs pairs rows with columns one to one so that the gains add up to the most, by
// the method of Kuhn and Munkres. It returns the column of each row, -1 for none.
//
// As many are paired as there are rows or columns, whichever are fewer, even at a loss;
// all rows of gain have one length.
func Pairs(gain [][]float64) []int {
	rows := len(gain)
	if rows == 0 {
		return nil
	}
	columns := len(gain[0])
	n := max(rows, columns)
	h := &hungarian{u: make([]float64, n+1), v: make([]float64, n+1), match: make([]int, n+1), way: make([]int, n+1)}
	h.cost = func(i, j int) float64 {
		if i <= rows && j <= columns {
			return -gain[i-1][j-1]
		}
		return 0 // no counterpart
	}
	for i := 1; i <= n; i++ {
		h.add(i)
	}
	out := make([]int, rows)
	for j := 1; j <= n; j++ {
		if i := h.match[j] - 1; i < rows {
			if out[i] = j - 1; j > columns {
				out[i] = -1
			}
		}
	}
	return out
}

// hungarian is a matching of rows and columns, which are counted from 1; column 0
// stands for none. The potentials u and v prove that no matching of the same rows
// costs less.
type hungarian struct {
	cost  func(i, j int) float64
	u, v  []float64
	match []int // the row of each column, 0 for none
	way   []int // the column before each on a shortest path
}

// add brings row i into the matching, by a shortest path of exchanges.
func (h *hungarian) add(i int) {
	least, used := make([]float64, len(h.v)), make([]bool, len(h.v))
	for j := range least {
		least[j] = math.Inf(1)
	}
	h.match[0] = i
	at := 0
	for h.match[at] != 0 {
		used[at] = true
		row, delta, next := h.match[at], math.Inf(1), 0
		for j := 1; j < len(h.v); j++ {
			if used[j] {
				continue
			}
			if c := h.cost(row, j) - h.u[row] - h.v[j]; c < least[j] {
				least[j], h.way[j] = c, at
			}
			if least[j] < delta {
				delta, next = least[j], j
			}
		}
		for j := range used {
			if used[j] {
				h.u[h.match[j]] += delta
				h.v[j] -= delta
			} else {
				least[j] -= delta
			}
		}
		at = next
	}
	for at != 0 {
		h.match[at], at = h.match[h.way[at]], h.way[at]
	}
}
