package kernel

import (
	"math/bits"
	"slices"
)

// Tie is how far a gain may lie below the largest and count as equal, in nats.
const Tie = 1e-9

// Block is the largest number of rows that Step and Propose take: what they list stays in the first cache.
const Block = 4096

// MostWords is how many words a row may have for Sums.
const MostWords = 16

// RowLoops holds the inner loops of explaining rows of tables. Rows are packed
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

	// Begin sets l to on where x, else to off, and to 0 where a pixel is not
	// known; l has 16*quads numbers.
	Begin func(l, off, on []float64, x, known []uint64)

	// BeginUnits sets units to on where x, else to off; all have 16*quads numbers.
	BeginUnits func(units, off, on []int32, x []uint64)

	// Near returns the largest gain. It sets mask to the lanes that lie at most
	// slack below it and not below least; bits behind the last lane stay 0.
	Near func(mask []uint64, gains []int32, slack, least int32) int32

	// Settle sets l to on where up and x, and to off where up and not x, and
	// returns the sum of what l rose by. Gain only returns that.
	Settle, Gain func(l, off, on []float64, up, x []uint64) float64

	// Sum is the sum of 16*quads terms.
	Sum func(terms []float64) float64

	// Greater sets mask, which is 0, to where a > b; they have 16*quads numbers.
	Greater func(mask []uint64, a, b []float64)

	// Voters sets mask to the part of known that is in row 0 of order and in
	// the rows 1+picks[...].
	Voters func(mask, known, order []uint64, picks []int32)

	// Count adds weight, at most 255, to the bytes of seen where mask, and to
	// those of on where mask and x: pixel i is byte i%8 of word i/8, and there
	// are as many of them as bits in mask. The bytes must not overflow.
	Count func(seen, on, mask, x []uint64, weight uint64)

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
	Step func(table, costs []float64, need float64, x []uint64, words int, list []int32, groups int, picks []int8, gains []float64, lists, counts []int32)

	// Propose finds the lanes that gain most, see Propose. It is worth while where there is vector code.
	Propose func(*Propose)

	// Told adds up, for the rows n of list, what the table has for the groups of four pixels: the 16 numbers of
	// group g begin at table[places[g]]. The sum, less the cost and with it again, is gains[8*n],
	// and pick is picks[8*n].
	Told func(table []float64, places []int32, cost float64, x []uint64, words int, list []int32, pick int, picks []int8, gains []float64)

	// Choose does what Step does where lane l is expert numbers[l], in rising order, and its parts are as Told has them,
	// from places[l*groups] on; rows that end go to list end. There are at most 32 lanes.
	Choose func(table []float64, places []int32, costs []float64, numbers []int64, end int, need float64, x []uint64, words int, list []int32, picks []int8, gains []float64, lists, counts []int32)

	// CountStep lets rows that are explained by counting take a step, see Counting.
	CountStep func(*Counting)

	// CountPlace sets, for each i, numbers from[rows[i]] of outPicks and outGains to picks[i] and gains[i]. They must be there.
	CountPlace func(rows []int32, from []int, picks []int32, gains []float64, outPicks []int32, outGains []float64)

	// CountSums sets out to what the pixels of rows add up to, of words each: for each group of four the table has
	// a number by their values and by which of them are not free, four bits each, the values lower; last has those of the last group.
	CountSums func(table, last *[256]float64, x, free []uint64, words, groups int, out []float64)

	// Sums sets out[n], for the rows n of list, or all of them where that is nil, to the sum of what the table has
	// for the groups of four pixels, 16 numbers each.
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

// Counting explains rows by what experts gain that is counted: Won for each of its votes that is on and free, less Lost for each that
// is free. A row takes the expert that gains most, of equals the first, if that is more than Least, and its votes are no
// longer free. Experts without a free vote are passed over. The row ends where none is taken, and where not even the
// second best can gain more than Enough, were all votes of the first that are off no longer free.
//
// Won, Lost, and the votes of an expert are at most 1<<15-1, and no gain is 1<<30.
type Counting struct {
	X     []uint64 // the rows, of Width words each
	Width int
	All   []uint64 // every pixel
	Masks []uint64 // the votes of each expert, at most 128 of them, in as many words

	// Masks in the order of the loops, see Arrange: the votes for 16 pixels of one expert after the other, twice each, in 32 bits;
	// for 32 pixels; what all votes of an expert lose; and All as Votes has them, in the upper half.
	Votes, Whole []uint32
	Losses       []int32
	AllOf        []uint32

	Won, Lost, Least, Enough int32

	// What is told of a pick: for the votes among four free pixels, and those of them that are on, four bits each,
	// the latter lower, Values has the number of their class, 0 for no votes, and these are added in the order of score.Total; then
	// Cost is subtracted and added again. Few says that all classes are below 16.
	Classes *[256]uint8
	Values  *[32]float64
	Few     bool
	Cost    float64

	// List has the rows that have not ended, in rising order: before the first step, all of them. There is room for sixteen more.
	// Pixels is how the loops keep what is free: PixelWords for that many rows.
	List   []int32
	Pixels []uint64

	// What a step finds, the number Step from 0 on: the rows that have taken an expert, in rising order, and of row Rows[i] the expert,
	// Picks[i], and the number told of it, Gains[i]. Before, there is room for all of List and sixteen more.
	Step        int
	Rows, Picks []int32
	Gains       []float64

	// When row n has ended, it has Depth[n] picks, and the pixels that are free are those of the words from Free[Width*n] on.
	// Of pixels behind the last, Free says nothing.
	Depth []int32
	Free  []uint64
}

// Arrange sets what follows from All, Masks and Lost.
func (c *Counting) Arrange() {
	experts := len(c.Masks) / c.Width
	stride := (experts + 31) &^ 31
	c.Votes, c.Whole, c.Losses = make([]uint32, 4*c.Width*stride), make([]uint32, 2*c.Width*stride), make([]int32, (experts+3)&^3)
	for at, v := range c.Masks {
		word, expert := at%c.Width, at/c.Width
		for j := range 4 {
			c.Votes[(4*word+j)*stride+expert] = uint32(v>>(16*j)&0xffff) * 0x10001
		}
		c.Whole[2*word*stride+expert], c.Whole[(2*word+1)*stride+expert] = uint32(v), uint32(v>>32)
		c.Losses[expert] += int32(bits.OnesCount64(v)) * c.Lost
	}
	for i, v := range c.Losses {
		if i >= experts || !slices.ContainsFunc(c.Masks[i*c.Width:][:c.Width], func(v uint64) bool { return v != 0 }) {
			c.Losses[i] = v + 1<<30
		}
	}
	for _, v := range c.All {
		for ; v != 0; v >>= 16 {
			c.AllOf = append(c.AllOf, uint32(v)<<16)
		}
	}
}

// PixelWords returns how much memory Counting needs for n rows.
func (c *Counting) PixelWords(n int) int { return (n+47)&^15*2*c.Width + n + 16 }

// Propose finds for rows the lane that gains most, in numbers of 16 bits.
//
// The gain of lane l of row n of List is the sum of Start[l] and of what Table has for the values p of each five pixels:
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
