package kernel

// MostPicks is how many picks of a row Advance can take.
const MostPicks = 16

// Fours are up to four pixels of one word of a row.
type Fours struct {
	Word int
	Mask uint64
}

// Advance lets rows that have the same last pick take a step: it corrects the gains of all
// experts, in whole units and a lane each, and finds the next pick.
//
// For the rows n of List, whose pixels are words Width*n and so on of X, and whose gains are
// Lanes numbers of Gains:
//
//   - To the gains is added, for each group g of Groups, number (16*g+p)*Lanes and so on of
//     Table, where p are the values of the group's pixels.
//   - Where there are Changes, for row k of the list three times Lanes numbers, those of the first are added,
//     256 times those of the second and 65,536 times those of the third, all of them with the sign
//     turned if Lane is an expert, and those of Always.
//   - If Lane is an expert, it is pick Step of the row, in Picks (MostPicks each), and one of
//     Picked (a bit each). Where its votes (Votes has Width words for each expert) meet those of
//     picks before, what was added is taken back as far as these have gone: for pixel i of value v, by row 2*i+v
//     of Signed, each number brought between 0 and the smaller, without signs, of the number of Lane and
//     of the largest one of the picks before.
//   - If Lane is negative, nothing is picked yet.
//   - Experts that are picked get the gain Excluded. The row goes to a list of Next, by its
//     largest gain: to list Lanes if that is at most Low; else to list Lanes+1 if that is
//     at most High, or another gain is at most Slack lower; else to that of the expert.
//     List c is Next[c*Stride:][:Counts[c]].
//   - An expert whose list is chosen is the next of Picks. The row goes to list Lanes+2 instead if no
//     other gain can be more than End after that: if the gains of all others, and numbers c*Lanes
//     and so on of Raises, c the expert, are at most End together.
//
// Scratch has 5*Width+16 words.
type Advance struct {
	Groups  []Fours
	Table   []int16
	Votes   []uint64
	Signed  []int32
	X       []uint64
	List    []int32
	Gains   []int32
	Picked  []uint64
	Picks   []uint8
	Next    []int32
	Counts  []int32
	Scratch []uint64
	Changes []int32
	Always  []int32
	Raises  []int32

	Lane, Step, Width, Stride, Slack, Low, High, End, Lanes int
}

// Excluded is the gain of an expert that cannot be picked.
const Excluded = -1 << 30

// Tell says what the picks of N rows gained, and how likely the pixels are before and after,
// in the order of score.Total. Row n has Depth[n] picks, those of Picks[MostPicks*n:], which are
// numbers of Experts; what each gained is appended to Gains, which has room for it.
//
// Experts has 128*Width numbers for each expert, and for abstention behind them: the log-likelihood
// of a pixel under the opinion or abstention, whichever is stronger. Those of 64 pixels are
// 16 times eight numbers: for each half of the word, and each j < 4, those of pixels 4*l+j, l < 8, of the
// half, where they are off, and where they are on.
//
// Scratch has 64*Width+16 numbers, Masks 8*Width bytes.
type Tell struct {
	X       []uint64
	Depth   []int32
	Picks   []uint8
	Experts []float64
	Gains   []float64
	Start   []float64
	LogLik  []float64
	Scratch []float64
	Masks   []uint8

	N, Width, Abstention int
}
