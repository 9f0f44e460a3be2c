package kernel

// Tie is how far a gain may lie below the largest and count as equal, in nats.
const Tie = 1e-9

// Block is the largest number of rows that Step and Propose take: what they list stays in the first cache.
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

	// Propose finds the lanes that gain most, see Propose. It is worth while where there is vector code.
	Propose func(*Propose)

	// Told adds up, for the rows n of list, what the table has for the groups of four pixels: the 16 numbers of
	// group g begin at table[places[g]]. The sum, less the cost and with it again, is gains[8*n],
	// and pick is picks[8*n].
	Told func(table []float64, places []int32, cost float64, x []uint64, words int, list []int32, pick int, picks []int8,
		gains []float64)

	// Choose does what Step does where lane l is expert numbers[l], in rising order, and its parts are as Told has them,
	// from places[l*groups] on; rows that end go to list end. There are at most 32 lanes.
	Choose func(table []float64, places []int32, costs []float64, numbers []int64, end int, need float64, x []uint64,
		words int, list []int32, picks []int8, gains []float64, lists, counts []int32)

	// Sums sets out[n], for the rows n of list, or all of them where that is nil, to the sum of what the table has
	// for the groups of four pixels, 16 numbers each. Rows have at most four words.
	Sums func(table []float64, x []uint64, words int, list []int32, groups int, out []float64)

	// VoteStep lets rows take a step by votes of any strength, see Voting.
	VoteStep func(*Voting)

	// Tell says what rows gained, see Tell.
	Tell func(*Tell)

	// Gather copies depth[i], at most eight, of the eight numbers from 8*i on to
	// from[i] on, in both, and sets from[i+1] to behind them. There is room for
	// eight numbers from each from[i] on.
	Gather func(from []int, depth []int32, picks []int8, gains []float64, outPicks []int32, outGains []float64)
}

// RowVectors returns the vector code of a path, or nil where it has none; a loop
// without vector code is nil.
func RowVectors(p *Path) *RowLoops { return rowVectors(p.Name) }

// Propose finds for rows the lane that gains most, in numbers of 16 bits.
//
// The gain of lane l of row n of List is the sum of Start[l] and of what Table has for the values p of each five
// pixels:
// number Places[(l/4*Fives+f)*4+l%4]+p, where f goes through Fives of them. Each word of a row has 13, the last of four
// pixels. Words Width*n and so on of X are the row's; there are at most four of them. No sum, however many of
// its terms there are, exceeds 16 bits. There are a multiple of four lanes.
//
// The row is appended to list Numbers[l], l the first of the lanes with the largest gain: list c is
// Lists[c*Block:][:Counts[c]]. It goes to list End instead if that gain is at most Low; or else to list End+1, if it is
// at most High or at most Slack above that of another lane. All four are numbers of 16 bits.
type Propose struct {
	Table, Start []int16
	Places       []int32
	Numbers      []int64
	X            []uint64
	List         []int32
	Lists        []int32
	Counts       []int32

	Width, Fives, Slack, Low, High, End int
}
