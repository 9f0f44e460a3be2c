package kernel

import (
	"math/bits"
	"slices"
)

// MostPicks is how many picks of a row VoteStep has room for.
const MostPicks = 16

// Voting explains rows of votes of any strength under the max rule, in whole units. What an expert gains at a pixel
// that is on is the first of its two
// ways there, where it votes, less how far picks have gone, if that is positive; at one that is off it loses the
// second, less
// how far they have gone there. A row takes the expert that gains most.
//
// A way is 32 bits: the first in the lower half, the second in the upper, at most 1<<15-1 each.
type Voting struct {
	X     []uint64 // the rows, of Width words each
	Width int

	// For the first step: by tile of TilePixels pixels and by expert, Eights times eight votes, one after the other: 64
	// times which pixel of the tile it is,
	// and what it adds where that is on: both its ways, in Bits bits, and the second less its lowest Shift bits, in the
	// others. Neither sum of the votes of an expert
	// exceeds its bits. Votes that add nothing fill up the eights. Off is what all votes of an expert lose where all are
	// off, and Costs are
	// taken from its gains. See AddVotes.
	Votes       []uint32
	Eights      []int32
	Off, Costs  []int32 // by expert
	Bits, Shift int

	Last     int // the last pick of all rows of List, or -1 in the first step
	Meetings     // of Last

	// List has the rows to take a step: before the first, all of them in rising order. The gain of expert k in row n is
	// number Lanes*n+k
	// of Gains, where Lanes are the experts in multiples of 16; there is room for a row more.
	List  []int32
	Gains []int32

	// What is found in a row: its picks, a byte each and a bit each; and Depth, the number of picks if it
	// has ended, or -1 if it cannot be said in units. A row that goes on is in the list of its pick: list c is
	// Next[c*Stride:][:Counts[c]];
	// other rows are in that behind the last expert.
	Picks        []uint8 // MostPicks of each row
	Picked       []uint64
	Depth        []int32
	Next, Counts []int32
	Stride       int

	// A row ends in Step where no gain is more than Low. It cannot be said where none is more than High, or another one is
	// at most Slack lower than
	// the largest. A pick is the last, with no further step, where no other gain is more than End, even with what the pick
	// lost in the first step, as far as that is known.
	// No gain is 1<<29.
	Step, Slack, Low, High, End int

	On, Held []uint32 // memory, see VoteMemory
	Lines    []int32
	// what experts lost in the first step at most: as many numbers as rows, in multiples of 16, times experts
	Losses []int32
}

// Meetings says where votes of an expert meet others. Own has its votes: 64 times which 32 pixels the pixel is among,
// which
// of them it is, one bit, and the way. Pairs has, by the other expert, from byte Starts on, Fours times four of its
// votes that the expert has, too: 128 times
// which vote of the expert it is, and the way of the other; at least one four, and votes without a way fill them up.
type Meetings struct {
	Own, Pairs    []uint32
	Starts, Fours []int32
}

// mostHeld bounds the pixels of which something is held in the first cache, 64 bytes each.
const mostHeld = 448

// TilePixels returns how many pixels Votes has together: all, or equal parts of them.
func (v *Voting) TilePixels() int {
	halves := 2 * v.Width
	tiles := (32*halves + mostHeld - 1) / mostHeld
	return 32 * ((halves + tiles - 1) / tiles)
}

// VoteMemory makes the memory that steps need.
func (v *Voting) VoteMemory() {
	v.On, v.Held, v.Lines = make([]uint32, 32*v.Width), make([]uint32, 32*(64*v.Width+8)), make([]int32, 16*v.Lanes())
}

// Lanes returns how many gains a row has.
func (v *Voting) Lanes() int { return (len(v.Costs) + 15) &^ 15 }

// AddVotes adds the votes of experts for the first step: by expert, which pixels, rising, and what way.
func (v *Voting) AddVotes(pixels [][]int, ways [][]uint32) {
	v.Off, v.Bits, v.Shift = make([]int32, len(pixels)), 1, 0
	for c, all := range ways {
		both := 0
		for _, way := range all {
			v.Off[c] += int32(way >> 16)
			both += int(way>>16 + way&0xffff)
		}
		v.Bits = max(v.Bits, bits.Len(uint(both)))
	}
	for bits.Len(uint(slices.Max(v.Off)))-v.Shift > 32-v.Bits {
		v.Shift++
	}
	tile, at := v.TilePixels(), make([]int, len(pixels))
	for from := 0; from < 64*v.Width; from += tile {
		for c, all := range pixels {
			first := len(v.Votes)
			for ; at[c] < len(all) && all[at[c]] < from+tile; at[c]++ {
				off := ways[c][at[c]] >> 16
				v.Votes = append(v.Votes, uint32(64*(all[at[c]]-from)), off+ways[c][at[c]]&0xffff+off>>v.Shift<<v.Bits)
			}
			for len(v.Votes)%16 != 0 {
				v.Votes = append(v.Votes, 0, 0)
			}
			v.Eights = append(v.Eights, int32(len(v.Votes)-first)/16)
		}
	}
	v.Votes = append(v.Votes, 0) // there is at least one
}

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
