//go:build amd64 && !purego

package kernel

import (
	"golang.org/x/sys/cpu"
)

//go:generate env GOWORK=off go -C ../gen run ./rows -out ../kernel/rows_amd64.s -stubs ../kernel/rowstubs_amd64.go -pkg kernel

// rowVectors returns the vector code for rows, by path.
func rowVectors(path string) *RowLoops {
	switch path {
	case "avx2":
		return rowsAVX2
	case "avx512":
		loops := *rowsAVX512
		if !cpu.X86.HasAVX512VNNI {
			loops.VoteStep, loops.Tell = nil, nil
		}
		return &loops
	}
	return nil
}

// first returns the address of the first number, or nil.
func first(s []float64) *float64 {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

// rowsAVX512 takes bare addresses; what is sliced before is what is read. Places in tables are not looked at.
var rowsAVX512 = &RowLoops{
	AddFours: rowsAVX2.AddFours, Strengthen: rowsAVX2.Strengthen, Exchange: rowsAVX2.Exchange,
	Step: rowsAVX2.Step, Sums: rowsAVX2.Sums,
	VoteStep: voteStepVector,
	Tell: func(t *Tell) {
		if t.N == 0 {
			return
		}
		w := t.Width
		_, _, _, _ = t.X[t.N*w-1], t.Depth[t.N-1], t.Picks[MostPicks*t.N-1], t.Experts[128*w*(t.Abstention+1)-1]
		_, _, _, _ = t.Start[t.N-1], t.LogLik[t.N-1], t.Scratch[64*w+15], t.Masks[8*w-1]
		tell(&t.X[0], t.N, w, &t.Depth[0], &t.Picks[0], &t.Experts[0], t.Abstention, first(t.Gains), &t.Start[0],
			&t.LogLik[0], &t.Scratch[0], &t.Masks[0])
	},
}

// rowsOf returns the list of Sums, nil where it has all rows, and its length.
func rowsOf(table []float64, x []uint64, words int, list []int32, groups int, out []float64) (*int32, int) {
	_ = table[16*groups-1]
	switch {
	case list == nil:
		_ = x[:words*len(out)]
		return nil, len(out)
	case len(list) == 0:
		return nil, 0
	}
	return &list[0], len(list)
}

func voteStepVector(v *Voting) {
	left, n, experts := len(v.List), len(v.X)/v.Width, len(v.Costs)
	if left == 0 {
		return
	}
	lanes := v.Lanes()
	_, _, _, _ = v.Gains[lanes*(n+1)-1], v.Lines[16*lanes-1], v.On[32*v.Width-1], v.Next[(experts+1)*v.Stride-1]
	_, _, _ = v.Depth[n-1], v.Picked[n-1], v.Picks[MostPicks*n-1]
	_, _, _ = v.Counts[experts], v.Losses[(n+15)/16*16*experts-1], v.Held[32*(64*v.Width+8)-1]
	x, list, on, held, lines, gains, all := &v.X[0], &v.List[0], &v.On[0], &v.Held[0], &v.Lines[0], &v.Gains[0],
		&v.Losses[0]
	step, slack, low, high, end := int32(v.Step), int32(v.Slack), int32(v.Low), int32(v.High), int32(v.End)
	if v.Last < 0 {
		_ = v.Off[experts-1]
		_ = v.Eights[(64*v.Width+v.TilePixels()-1)/v.TilePixels()*experts-1]
		voteFirst(x, v.Width, 2*v.Width, list, left, &v.Votes[0], &v.Eights[0], &v.Off[0], &v.Costs[0], v.TilePixels()/32,
			int32(v.Bits), int32(v.Shift), experts, on, held, lines, gains, int32(lanes), int32(n),
			&v.Picked[0], &v.Picks[0], &v.Depth[0], all, all, &v.Next[0], &v.Counts[0], v.Stride, step, slack, low, high, end)
	} else {
		_, _ = v.Fours[experts-1], v.Starts[experts-1]
		voteNext(x, v.Width, 2*v.Width, list, left, &v.Own[0], len(v.Own)/3, &v.Pairs[0], &v.Starts[0], &v.Fours[0],
			int32(v.Last), experts, on, held, lines, gains, int32(lanes), int32(n),
			&v.Picked[0], &v.Picks[0], &v.Depth[0], all, all, &v.Next[0], &v.Counts[0], v.Stride, step, slack, low, high, end)
	}
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

// rowsAVX2 has the loops that save most.
var rowsAVX2 = &RowLoops{
	AddFours:   addFoursBy([]addFoursLoop{{32, addFours32AVX2}, {16, addFours16AVX2}}),
	Strengthen: strengthenBy([]strengthenLoop{{32, strengthen32AVX2}, {16, strengthen16AVX2}}),
	Exchange: func(gains, above0, below0, above1, below1 []int32, l0, l1 int32) {
		n := len(gains)
		_, _, _, _ = above0[n-1], below0[n-1], above1[n-1], below1[n-1]
		exchangeAVX2(&gains[0], &above0[0], &below0[0], &above1[0], &below1[0], l0, l1, n/8)
	},
	Step: func(table, costs []float64, need float64, x []uint64, words int, list []int32, groups int, picks []int8,
		gains []float64, lists, counts []int32) {
		if len(list) == 0 {
			return
		}
		lanes := len(costs)
		_, _, _ = table[16*groups*lanes-1], lists[(lanes+1)*Block-1], counts[lanes]
		loop := [...]func(table, costs *float64, need, tie float64, x *uint64, row int, list *int32, n, groups int,
			picks *int8, gains *float64, lists, counts *int32){
			step8AVX2, step16AVX2, step24AVX2, step32AVX2}[lanes/8-1]
		loop(&table[0], &costs[0], need, Tie, &x[0], 8*words, &list[0], len(list), groups, &picks[0], &gains[0], &lists[0],
			&counts[0])
	},
	Sums: func(table []float64, x []uint64, words int, list []int32, groups int, out []float64) {
		if rows, n := rowsOf(table, x, words, list, groups, out); n > 0 {
			rowSumsAVX2(&table[0], &x[0], 8*words, rows, n, groups, &out[0])
		}
	},
}
