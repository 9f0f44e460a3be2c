//go:build amd64 && !purego

package kernel

//go:generate env GOWORK=off go -C ../gen run ./rows -out ../kernel/rows_amd64.s -stubs ../kernel/rowstubs_amd64.go -pkg kernel

// rowVectors returns the vector code for rows, by path. AVX-512 has none of its own.
func rowVectors(path string) *RowLoops {
	if path == "avx2" || path == "avx512" {
		return rowsAVX2
	}
	return nil
}

// addFoursLoop is AddFours by vector code, for so many lanes of rows of that many bytes.
type addFoursLoop struct {
	lanes int
	loop  func(gains, table *int32, row int, x *uint64, quads int)
}

// addFoursBy returns AddFours by loops, the one of most lanes first.
func addFoursBy(loops []addFoursLoop) func(gains, table []int32, x []uint64, quads int) {
	return func(gains, table []int32, x []uint64, quads int) {
		n := len(gains)
		_, _ = table[64*quads*n-1], x[(quads-1)/4]
		for at, i := 0, 0; at < n; {
			for loops[i].lanes > n-at {
				i++
			}
			loops[i].loop(&gains[at], &table[at], 4*n, &x[0], quads)
			at += loops[i].lanes
		}
	}
}

// strengthenLoop is Strengthen by vector code, for so many lanes.
type strengthenLoop struct {
	lanes int
	loop  func(gains, alone, value *int32, row int, units, after *int32, up, x *uint64, words int)
}

// strengthenBy returns Strengthen by loops, the one of most lanes first.
func strengthenBy(loops []strengthenLoop) func(gains, alone, units, spare []int32, up, x []uint64, c int) {
	return func(gains, alone, units, spare []int32, up, x []uint64, c int) {
		n, words := len(gains), len(up)
		_, _, _ = x[words-1], spare[len(units)-1], alone[2*len(units)*n-1]
		for at, i := 0, 0; at < n; {
			for loops[i].lanes > n-at {
				i++
			}
			after := units
			if at+loops[i].lanes < n {
				after = spare // units are still needed
			}
			loops[i].loop(&gains[at], &alone[at], &alone[c], 4*n, &units[0], &after[0], &up[0], &x[0], words)
			at += loops[i].lanes
		}
	}
}

// rowsAVX2 takes bare addresses; what is sliced before is what is read. Places in tables are not looked at.
var rowsAVX2 = &RowLoops{
	AddFours:   addFoursBy([]addFoursLoop{{32, addFours32AVX2}, {16, addFours16AVX2}}),
	Strengthen: strengthenBy([]strengthenLoop{{32, strengthen32AVX2}, {16, strengthen16AVX2}}),
	Exchange: func(gains, above0, below0, above1, below1 []int32, l0, l1 int32) {
		n := len(gains)
		_, _, _, _ = above0[n-1], below0[n-1], above1[n-1], below1[n-1]
		exchangeAVX2(&gains[0], &above0[0], &below0[0], &above1[0], &below1[0], l0, l1, n/8)
	},
}
