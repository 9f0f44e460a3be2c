package rows

import "example.com/patchwork/internal/score/kernel"

// This file has VoteStep and Tell in plain Go.

func voteStep(v *kernel.Voting) {
	experts := len(v.Costs)
	for _, n := range v.List {
		x, row, gains := v.X[int(n)*v.Width:][:v.Width], int(n), v.Gains[int(n)*v.Lanes():][:experts]
		if v.Last < 0 {
			voteFirst(v, x, row, gains)
		} else {
			voteNext(v, x, row, gains)
		}
		best, most, second := 0, int32(-1<<30), int32(-1<<30)
		for c, gain := range gains {
			if second = max(second, min(most, gain)); gain > most {
				best, most = c, gain
			}
		}
		depth, next := v.Step, experts
		switch {
		case int(most) <= v.Low:
		case int(most) <= v.High, int(most-second) <= v.Slack:
			depth = -1
		default:
			if depth++; int(second+v.Losses[lossAt(row, best, experts)]) > v.End {
				next = best
			}
		}
		v.Picks[kernel.MostPicks*row+v.Step] = uint8(best)
		v.Picked[row] |= 1 << best
		v.Depth[row] = int32(depth)
		v.Next[next*v.Stride+int(v.Counts[next])] = n
		v.Counts[next]++
	}
}

// lossAt returns where Voting.Losses has what an expert loses.
func lossAt(row, expert, experts int) int { return (row/16*experts+expert)*16 + row%16 }

// voteFirst writes down what experts gain and lose in a row.
func voteFirst(v *kernel.Voting, x []uint64, row int, gains []int32) {
	votes, tile, experts := v.Votes, v.TilePixels(), len(v.Costs)
	sums := make([]uint32, experts)
	for i, eights := range v.Eights {
		for range 8 * eights {
			if pixel := i/experts*tile + int(votes[0]/64); x[pixel/64]>>(pixel%64)&1 != 0 {
				sums[i%experts] += votes[1]
			}
			votes = votes[2:]
		}
	}
	for c, sum := range sums {
		gains[c] = int32(sum&(1<<v.Bits-1)) - v.Off[c] - v.Costs[c]
		v.Losses[lossAt(row, c, experts)] = v.Off[c] - int32(sum>>v.Bits<<v.Shift)
	}
}

// voteNext writes down what experts gain in a row without what the last pick takes.
func voteNext(v *kernel.Voting, x []uint64, row int, gains []int32) {
	owns := len(v.Own) / 3
	on, before := make([]bool, owns+4), make([]uint32, owns+4)
	for j := range owns {
		own := v.Own[3*j:]
		on[j] = uint32(x[own[0]/128]>>(own[0]/64%2*32))&own[1] != 0
	}
	way := func(j int, both uint32) uint32 {
		if on[j] {
			return both & 0xffff
		}
		return both >> 16
	}
	for c, pairs := 0, v.Pairs; c < len(v.Costs); c++ {
		for range 4 * v.Fours[c] {
			if j := int(pairs[0] / 128); v.Picked[row]>>c&1 != 0 && c != v.Last {
				before[j] = max(before[j], way(j, pairs[1]))
			}
			pairs = pairs[2:]
		}
	}
	for c, pairs := 0, v.Pairs; c < len(v.Costs); c++ {
		gain := gains[c]
		for range 4 * v.Fours[c] {
			j := int(pairs[0] / 128)
			after := before[j]
			if j < owns {
				after = max(after, way(j, v.Own[3*j+2]))
			}
			taken := int32(max(min(way(j, pairs[1]), after), before[j]) - before[j])
			if on[j] {
				taken = -taken
			}
			gain += taken
			pairs = pairs[2:]
		}
		if c == v.Last {
			gain = -1 << 30
		}
		gains[c] = gain
	}
}

func tell(t *kernel.Tell) {
	l, size, told := t.Scratch[:64*t.Width], 128*t.Width, 0
	for n := range t.N {
		x := t.X[n*t.Width:][:t.Width]
		base := t.Experts[t.Abstention*size:][:size]
		for at := range l {
			off := base[tellAt(at):]
			if l[at] = off[0]; tellOn(x, at) {
				l[at] = off[8]
			}
		}
		t.Start[n] = tellSum(l)
		for _, c := range t.Picks[kernel.MostPicks*n:][:t.Depth[n]] {
			t.Gains[told] = tellPick(l, t.Experts[int(c)*size:][:size], x)
			told++
		}
		t.LogLik[n] = tellSum(l)
	}
}

// tellAt returns where number at of l, as Tell.Experts has 64 pixels, is for a pixel that is off.
func tellAt(at int) int { return at/8*16 + at%8 }

// tellOn reports whether the pixel of number at of l is on.
func tellOn(x []uint64, at int) bool {
	i := at%8*4 + at/8%4 + at%64/32*32
	return x[at/64]>>i&1 != 0
}

// tellPick lets an expert join l, and returns what that gains.
func tellPick(l, expert []float64, x []uint64) float64 {
	var sums [4]float64
	for at := 0; at < len(l); at += 32 { // eight groups
		for g := range 8 {
			part := 0.0
			for j := range 4 {
				k := at + 8*j + g
				v := expert[tellAt(k):]
				before, after := l[k], 0.0
				if tellOn(x, k) {
					after = max(before, v[8])
				} else {
					after = min(before, v[0])
				}
				part, l[k] = part+(after-before), after
			}
			sums[g%4] += part
		}
	}
	return sums[0] + sums[1] + (sums[2] + sums[3])
}

// tellSum returns the sum of l.
func tellSum(l []float64) float64 {
	var sums [4]float64
	for at := 0; at < len(l); at += 32 {
		for g := range 8 {
			sums[g%4] += l[at+g] + l[at+8+g] + l[at+16+g] + l[at+24+g]
		}
	}
	return sums[0] + sums[1] + (sums[2] + sums[3])
}
