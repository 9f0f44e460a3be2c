package kernel

// RowLoops holds the inner loops of explaining rows of tables that have vector code. Rows are packed
// 64 pixels per word. A quad is 16 of them, four groups of four; x holds 16*quads
// bits, and so do the other masks of pixels. Numbers of float64 are added in
// the order of score.Total.
type RowLoops struct {
	// AddFours adds up rows of lanes: for each group g of four pixels with
	// values p, row 16*g+p of the table is added to the gains. There are
	// 4*quads groups, and a multiple of 16 lanes, len(gains).
	AddFours func(gains, table []int32, x []uint64, quads int)

	// Strengthen goes through the pixels i of up, whose value is v. With the row
	// 2*i+v of alone, it adds to each gain units[i] minus what the row has in its
	// lane, the latter brought between units[i] and what the row has in lane c.
	// That one becomes units[i]; spare is memory like units.
	Strengthen func(gains, alone, units, spare []int32, up, x []uint64, c int)

	// Exchange adds to each gain what it is in state 1 of a pixel, and subtracts
	// what it is in state 0: max(above-l, 0) + min(below-l, 0).
	Exchange func(gains, above0, below0, above1, below1 []int32, l0, l1 int32)
}

// RowVectors returns the vector code of a path, or nil where it has none.
func RowVectors(p *Path) *RowLoops { return rowVectors(p.Name) }
