//go:build amd64 && !purego

package kernel

import (
	"sync"

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
		loops.Multiply = tilesOnce()
		if !cpu.X86.HasAVX512VPOPCNTDQ {
			loops.Best, loops.BestFirst, loops.Take = nil, nil, nil
		}
		return &loops
	}
	return nil
}

// tilesOnce asks the system once.
var tilesOnce = sync.OnceValue(multiplyTiles)

// first returns the address of the first number, or nil.
func first(s []float64) *float64 {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

// rowsAVX512 takes bare addresses; what is sliced before is what is read.
var rowsAVX512 = &RowLoops{
	AddFours: func(gains, table []int32, x []uint64, quads int) {
		n, row := len(gains), 4*len(gains)
		_, _ = table[64*quads*n-1], x[(quads-1)/4]
		for at := 0; at < n; {
			switch left := n - at; {
			case left >= 64:
				addFours64(&gains[at], &table[at], row, &x[0], quads)
				at += 64
			case left >= 32:
				addFours32(&gains[at], &table[at], row, &x[0], quads)
				at += 32
			default:
				addFours16(&gains[at], &table[at], row, &x[0], quads)
				at += 16
			}
		}
	},
	Strengthen: strengthenVector,
	Begin: func(l, off, on []float64, x, known []uint64) {
		quads := len(l) / 16
		_, _ = x[(quads-1)/4], known[(quads-1)/4]
		begin(&l[0], &off[0], &on[0], &x[0], &known[0], quads)
	},
	BeginUnits: func(units, off, on []int32, x []uint64) {
		quads := len(units) / 16
		_, _, _ = x[(quads-1)/4], off[len(units)-1], on[len(units)-1]
		beginUnits(&units[0], &off[0], &on[0], &x[0], quads)
	},
	Near: func(mask []uint64, gains []int32, slack, least int32) int32 {
		_ = mask[(len(gains)-1)/64]
		return near(&gains[0], slack, least, &mask[0], len(gains)/16)
	},
	Settle: func(l, off, on []float64, up, x []uint64) float64 {
		quads := len(l) / 16
		_, _ = x[(quads-1)/4], up[(quads-1)/4]
		return settle(&l[0], &off[0], &on[0], &up[0], &x[0], quads)
	},
	Gain: func(l, off, on []float64, up, x []uint64) float64 {
		quads := len(l) / 16
		_, _ = x[(quads-1)/4], up[(quads-1)/4]
		return voteGain(&l[0], &off[0], &on[0], &up[0], &x[0], quads)
	},
	Sum: func(terms []float64) float64 { return sum(&terms[0], len(terms)/16) },
	Voters: func(mask, known, order []uint64, picks []int32) {
		words := len(mask)
		_ = known[words-1]
		for _, p := range picks {
			_ = order[(int(p)+2)*words-1]
		}
		var first *int32
		if len(picks) > 0 {
			first = &picks[0]
		}
		voters(&mask[0], &known[0], &order[0], first, len(picks), words)
	},
	Greater: func(mask []uint64, a, b []float64) {
		quads := len(a) / 16
		_, _ = mask[(quads-1)/4], b[len(a)-1]
		greater(&mask[0], &a[0], &b[0], quads)
	},
	Exchange: func(gains, above0, below0, above1, below1 []int32, l0, l1 int32) {
		n := len(gains)
		_, _, _, _ = above0[n-1], below0[n-1], above1[n-1], below1[n-1]
		exchange(&gains[0], &above0[0], &below0[0], &above1[0], &below1[0], l0, l1, n/16)
	},
	Count: func(seen, on, mask, x []uint64, weight uint64) {
		words := len(mask)
		_, _, _ = seen[8*words-1], on[8*words-1], x[words-1]
		count(&seen[0], &on[0], &mask[0], &x[0], weight, words)
	},
	Across: func(table, costs []float64, numbers []int64, end int, need float64, x []uint64, words int, list []int32, groups int, picks []int8, gains []float64, lists, counts []int32) {
		if len(list) == 0 {
			return
		}
		lanes, loop := len(costs), acrossMore
		if lanes <= 8 {
			loop = acrossLanes[lanes-1]
		}
		_, _, _, _ = table[16*groups*lanes-1], numbers[lanes-1], lists[(end+1)*Block-1], counts[end]
		loop(&table[0], &costs[0], &numbers[0], lanes, end, need, Tie, &x[0], words, &list[0], len(list), groups, &picks[0], &gains[0], &lists[0], &counts[0])
	},
	Propose: func(p *Propose) {
		if len(p.List) == 0 {
			return
		}
		lanes := len(p.Start)
		_, _, _, _ = p.Table[128*p.Fives*(lanes/4)-1], p.Numbers[lanes-1], p.Lists[(p.End+2)*Block-1], p.Counts[p.End+1]
		propose(&p.Table[0], &p.Start[0], &p.Numbers[0], lanes, &p.X[0], p.Width, &p.List[0], len(p.List), p.Fives, &p.Lists[0], &p.Counts[0], p.Slack, p.Low, p.High, p.End)
	},
	Told: func(table []float64, stride int, cost float64, x []uint64, words int, list []int32, groups int, pick int, picks []int8, gains []float64) {
		if len(list) == 0 {
			return
		}
		_ = table[stride*(groups-1)+15]
		told(&table[0], stride, cost, &x[0], words, &list[0], len(list), groups, pick, &picks[0], &gains[0])
	},
	Best: func(votes []uint64, words int, on, free []uint64, won, lost int64, gain, expert, second *[8]int64) {
		_, _ = on[8*words-1], free[8*words-1]
		best(&votes[0], len(votes)/words/4, words, &on[0], &free[0], won, lost, &gain[0], &expert[0], &second[0])
	},
	BestFirst: func(votes []uint64, words int, on []uint64, won int64, losses []int64, gain, expert, second *[8]int64) {
		_, _ = on[8*words-1], losses[len(votes)/words-1]
		bestFirst(&votes[0], len(votes)/words/4, words, &on[0], won, &losses[0], &gain[0], &expert[0], &second[0])
	},
	Take: func(votes []uint64, words int, on, free []uint64, gain, expert *[8]int64, least int64, classes *[256]uint8, values *[32]float64, few bool, sums *[8]float64, off *[8]int64) {
		_, _ = on[8*words-1], free[8*words-1]
		for _, c := range expert {
			_ = votes[int(c+1)*words-1]
		}
		loop := take
		if few {
			loop = takeFew
		}
		loop(&votes[0], words, &on[0], &free[0], &gain[0], &expert[0], least, &classes[0], &values[0], &sums[0], &off[0])
	},
	Sums: func(table []float64, x []uint64, words int, list []int32, groups int, out []float64) {
		if len(list) == 0 {
			return
		}
		_ = table[16*groups-1]
		rowSumsAcross(&table[0], &x[0], words, &list[0], len(list), groups, &out[0])
	},
	Advance: advanceVector,
	Spread: func(a []byte, stride int, groups []Fours, x []uint64, width int, list []int32) {
		if len(list) == 0 || len(groups) == 0 {
			return
		}
		_ = a[len(list)*stride+7]
		spreadBytes(&a[0], stride, &groups[0].Word, len(groups), &x[0], width, &list[0], len(list))
	},
	Tell: func(t *Tell) {
		if t.N == 0 {
			return
		}
		w := t.Width
		_, _, _, _ = t.X[t.N*w-1], t.Depth[t.N-1], t.Picks[MostPicks*t.N-1], t.Experts[128*w*(t.Abstention+1)-1]
		_, _, _, _ = t.Start[t.N-1], t.LogLik[t.N-1], t.Scratch[64*w+15], t.Masks[8*w-1]
		tell(&t.X[0], t.N, w, &t.Depth[0], &t.Picks[0], &t.Experts[0], t.Abstention, first(t.Gains), &t.Start[0], &t.LogLik[0], &t.Scratch[0], &t.Masks[0])
	},
	Gather: func(from []int, depth []int32, picks []int8, gains []float64, outPicks []int32, outGains []float64) {
		n := len(depth)
		if n == 0 {
			return
		}
		_, _, _ = from[n], picks[8*n-1], gains[8*n-1]
		gather(&from[0], &depth[0], n, &picks[0], &gains[0], &outPicks[0], &outGains[0])
	},
}

var acrossLanes = [...]func(table, costs *float64, numbers *int64, lanes, end int, need, tie float64, x *uint64, words int, list *int32, n, groups int, picks *int8, gains *float64, lists, counts *int32){
	across1, across2, across3, across4, across5, across6, across7, across8}

func advanceVector(a *Advance) {
	if len(a.List) == 0 {
		return
	}
	_ = a.Scratch[5*a.Width+15]
	loop := advance16
	switch a.Lanes {
	case 32:
		loop = advance32
	case 64:
		loop = advance64
	}
	var groups *int
	var table *int16
	if len(a.Groups) > 0 {
		groups, table = &a.Groups[0].Word, &a.Table[:16*a.Lanes*len(a.Groups)][0]
	}
	var changes, always *int32
	if a.Changes != nil {
		changes, always = &a.Changes[:3*a.Lanes*len(a.List)][0], &a.Always[:a.Lanes][0]
	}
	loop(groups, len(a.Groups), table, &a.Votes[0], &a.Signed[0], &a.X[0], &a.List[0], len(a.List), &a.Gains[0], &a.Picked[0],
		&a.Picks[0], &a.Next[0], &a.Counts[0], &a.Scratch[0], changes, always, &a.Raises[0], a.Lane, a.Step, a.Width, a.Stride, a.Slack, a.Low, a.High, a.End)
}

func strengthenVector(gains, alone, units, spare []int32, up, x []uint64, c int) {
	n, words := len(gains), len(up)
	row := 4 * n
	_, _, _ = x[words-1], spare[len(units)-1], alone[2*len(units)*n-1]
	for at := 0; at < n; {
		width, loop := 16, strengthen16
		switch left := n - at; {
		case left >= 64:
			width, loop = 64, strengthen64
		case left >= 32:
			width, loop = 32, strengthen32
		}
		after := units
		if at+width < n {
			after = spare // units are still needed
		}
		loop(&gains[at], &alone[at], &alone[c], row, &units[0], &after[0], &up[0], &x[0], words)
		at += width
	}
}

// rowsAVX2 has the loops that save most.
var rowsAVX2 = &RowLoops{
	AddFours: func(gains, table []int32, x []uint64, quads int) {
		n, row := len(gains), 4*len(gains)
		_, _ = table[64*quads*n-1], x[(quads-1)/4]
		for at := 0; at < n; {
			if n-at >= 32 {
				addFours32AVX2(&gains[at], &table[at], row, &x[0], quads)
				at += 32
			} else {
				addFours16AVX2(&gains[at], &table[at], row, &x[0], quads)
				at += 16
			}
		}
	},
	Strengthen: func(gains, alone, units, spare []int32, up, x []uint64, c int) {
		n, words := len(gains), len(up)
		_, _, _ = x[words-1], spare[len(units)-1], alone[2*len(units)*n-1]
		for at := 0; at < n; {
			width, loop := 16, strengthen16AVX2
			if n-at >= 32 {
				width, loop = 32, strengthen32AVX2
			}
			after := units
			if at+width < n {
				after = spare // units are still needed
			}
			loop(&gains[at], &alone[at], &alone[c], 4*n, &units[0], &after[0], &up[0], &x[0], words)
			at += width
		}
	},
	Exchange: func(gains, above0, below0, above1, below1 []int32, l0, l1 int32) {
		n := len(gains)
		_, _, _, _ = above0[n-1], below0[n-1], above1[n-1], below1[n-1]
		exchangeAVX2(&gains[0], &above0[0], &below0[0], &above1[0], &below1[0], l0, l1, n/8)
	},
	Step: func(table, costs []float64, need float64, x []uint64, words int, list []int32, groups int, picks []int8, gains []float64, lists, counts []int32) {
		if len(list) == 0 {
			return
		}
		lanes := len(costs)
		_, _, _ = table[16*groups*lanes-1], lists[(lanes+1)*Block-1], counts[lanes]
		loop := [...]func(table, costs *float64, need, tie float64, x *uint64, row int, list *int32, n, groups int, picks *int8, gains *float64, lists, counts *int32){
			step8AVX2, step16AVX2, step24AVX2, step32AVX2}[lanes/8-1]
		loop(&table[0], &costs[0], need, Tie, &x[0], 8*words, &list[0], len(list), groups, &picks[0], &gains[0], &lists[0], &counts[0])
	},
	Sums: func(table []float64, x []uint64, words int, list []int32, groups int, out []float64) {
		if len(list) == 0 {
			return
		}
		_ = table[16*groups-1]
		rowSumsAVX2(&table[0], &x[0], 8*words, &list[0], len(list), groups, &out[0])
	},
}
