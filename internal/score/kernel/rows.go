package kernel

// Tie is how far a gain may lie below the largest and count as equal, in nats.
const Tie = 1e-9

// Block is the largest number of rows that Step takes: what it lists stays in the first cache.
const Block = 4096

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

	// Step goes through the rows n of list, of words each in x. For each lane it
	// adds up what the table has for the groups of four pixels, and subtracts
	// the lane's cost. The first lane within Tie of the largest is picks[8*n], and
	// its number, with its cost again, gains[8*n]. The row is appended to the
	// list of this lane if the number exceeds need, else to that behind the last
	// lane: list c is lists[c*Block:][:counts[c]]. There are at most Block rows,
	// none of them twice, len(costs) lanes, 8 to 32, and at most 64 groups.
	//
	// Table holds, by group, by eight lanes, and by the values p of the pixels,
	// eight numbers.
	Step func(table, costs []float64, need float64, x []uint64, words int, list []int32, groups int, picks []int8,
		gains []float64, lists, counts []int32)

	// Sums sets out[n], for the rows n of list, or all of them where that is nil, to the sum of what the table has
	// for the groups of four pixels, 16 numbers each. Rows have at most four words.
	Sums func(table []float64, x []uint64, words int, list []int32, groups int, out []float64)

	// VoteStep lets rows take a step by votes of any strength, see Voting.
	VoteStep func(*Voting)

	// Tell says what rows gained, see Tell.
	Tell func(*Tell)
}

// RowVectors returns the vector code of a path, or nil where it has none; a loop
// without vector code is nil.
func RowVectors(p *Path) *RowLoops { return rowVectors(p.Name) }
