package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// best counts for eight rows, a lane each, and four experts at a time, whose masks are
// the same for all lanes.
func best(first bool) {
	if first {
		start("bestFirst", "votes *uint64, fours, words int, on *uint64, won int64, losses, gain, expert, second *int64",
			"bestFirst implements RowLoops.BestFirst for four times that many experts.")
	} else {
		start("best", "votes *uint64, fours, words int, on, open *uint64, won, lost int64, gain, expert, second *int64",
			"best implements RowLoops.Best for four times that many experts.")
	}
	votes, fours, words := param("votes"), param("fours"), param("words")
	on := param("on")
	var open, losses reg.Register
	won, lost := ZMM(), ZMM()
	VPBROADCASTQ(param("won"), won)
	if first {
		losses = param("losses")
	} else {
		open = param("open")
		VPBROADCASTQ(param("lost"), lost)
	}
	number, one, most, which, second, least := ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	bit := GP64()
	MOVQ(U64(1), bit)
	VPBROADCASTQ(bit, one)
	SHLQ(Imm(63), bit)
	VPBROADCASTQ(bit, most)
	VPBROADCASTQ(bit, second)
	VPBROADCASTQ(bit, least)
	VPXORQ(number, number, number)
	VPXORQ(which, which, which)
	Label("experts")
	mask := make([]reg.Register, 4)
	for i := range mask {
		mask[i] = GP64()
		if i == 0 {
			MOVQ(votes, mask[i])
		} else {
			LEAQ(Mem{Base: mask[i-1], Index: words, Scale: 8}, mask[i])
		}
	}
	LEAQ(Mem{Base: mask[3], Index: words, Scale: 8}, votes)
	ones, all := vectors(4), vectors(4)
	clear(ones)
	a, b, left := GP64(), GP64(), GP64()
	MOVQ(on, a)
	MOVQ(words, left)
	if !first {
		clear(all)
		MOVQ(open, b)
	}
	Label("words")
	rowsOn, rowsOpen := ZMM(), ZMM()
	VMOVDQU64(Mem{Base: a}, rowsOn)
	if !first {
		VMOVDQU64(Mem{Base: b}, rowsOpen)
	}
	for i := range mask {
		v, u := ZMM(), ZMM()
		VPANDQ_BCST(Mem{Base: mask[i]}, rowsOn, v)
		VPOPCNTQ(v, v)
		VPADDQ(v, ones[i], ones[i])
		if !first {
			VPANDQ_BCST(Mem{Base: mask[i]}, rowsOpen, u)
			VPOPCNTQ(u, u)
			VPADDQ(u, all[i], all[i])
		}
		ADDQ(Imm(8), mask[i])
	}
	ADDQ(Imm(64), a)
	if !first {
		ADDQ(Imm(64), b)
	}
	DECQ(left)
	JNZ(LabelRef("words"))
	for i := range mask {
		k, none := K(), K()
		VPMULDQ(won, ones[i], ones[i])
		if first {
			VPSUBQ_BCST(Mem{Base: losses, Disp: 8 * i}, ones[i], ones[i])
		} else {
			VPTESTNMQ(all[i], all[i], none)
			VPMULDQ(lost, all[i], all[i])
			VPSUBQ(all[i], ones[i], ones[i])
			VMOVDQA64(least, none, ones[i])
		}
		VPCMPGTQ(most, ones[i], k)
		VMOVDQA64(number, k, which)
		lower := ZMM()
		VPMINSQ(ones[i], most, lower)
		VPMAXSQ(lower, second, second)
		VPMAXSQ(ones[i], most, most)
		VPADDQ(one, number, number)
	}
	if first {
		ADDQ(Imm(32), losses)
	}
	DECQ(fours)
	JNZ(LabelRef("experts"))
	VMOVDQU64(most, Mem{Base: param("gain")})
	VMOVDQU64(which, Mem{Base: param("expert")})
	VMOVDQU64(second, Mem{Base: param("second")})
	VZEROUPPER()
	RET()
}

// take adds up what the pick of each row gains: eight rows, a lane each. The votes
// and values of four pixels, a byte, stand for one of 32 classes, which 64 bytes look up
// together, and a class for a number; where there are few, all of them are below 16.
func take(few bool) {
	name, pairs := "take", 2
	if few {
		name, pairs = "takeFew", 1
	}
	start(name, "votes *uint64, words int, on, open *uint64, gain, expert *int64, least int64, classes *uint8, values, sums *float64, off *int64",
		name+" implements RowLoops.Take.")
	votes, words, on, open := param("votes"), param("words"), param("on"), param("open")
	at, stride := ZMM(), ZMM()
	VPBROADCASTQ(words, stride)
	VPMULUDQ(Mem{Base: param("expert")}, stride, at)
	gains, least, enough := ZMM(), ZMM(), K()
	VPBROADCASTQ(param("least"), least)
	VMOVDQU64(Mem{Base: param("gain")}, gains)
	VPCMPGTQ(least, gains, enough)
	classes, values := make([]reg.VecVirtual, 4), make([]reg.VecVirtual, 2*pairs)
	from, numbers := param("classes"), param("values")
	for i := range classes {
		classes[i] = ZMM()
		VMOVDQU64(Mem{Base: from, Disp: 64 * i}, classes[i])
	}
	for i := range values {
		values[i] = ZMM()
		VMOVUPD(Mem{Base: numbers, Disp: 64 * i}, values[i])
	}
	fours, sixteen, c := ZMM(), ZMM(), GP64()
	MOVQ(U64(0x0f0f0f0f0f0f0f0f), c)
	VPBROADCASTQ(c, fours)
	MOVQ(U64(16), c)
	VPBROADCASTQ(c, sixteen)
	sums := vectors(5)
	clear(sums)
	without := sums[4] // pixels that are off
	Label("word")
	v, u, k := ZMM(), ZMM(), K()
	KXNORB(k, k, k)
	VPXORQ(v, v, v)
	VPGATHERQQ(Mem{Base: votes, Index: at, Scale: 8}, k, v)
	VPANDQ(Mem{Base: open}, v, v)
	VPANDQ(Mem{Base: on}, v, u)
	missed := ZMM()
	VPXORQ(u, v, missed)
	VPOPCNTQ(missed, missed)
	VPADDQ(missed, without, without)
	for _, pixels := range []reg.Register{on, open} {
		left := ZMM()
		VPANDNQ(Mem{Base: pixels}, v, left)
		VMOVDQU64(left, enough, Mem{Base: pixels})
	}
	even, odd := ZMM(), ZMM()
	VPSLLQ(Imm(4), v, even)
	VPSRLQ(Imm(4), u, odd)
	// Where fours is 1 the second, else the third.
	bitSelect(fours, u, even)
	t := ZMM()
	VMOVDQA64(fours, t)
	VPTERNLOGQ(Imm(0xca), v, odd, t) // fours ? odd : v
	for i, code := range []reg.VecVirtual{even, t} {
		low, high, upper := ZMM(), ZMM(), K()
		VPMOVB2M(code, upper)
		VMOVDQA64(code, low)
		VMOVDQA64(code, high)
		VPERMI2B(classes[1], classes[0], low)
		VPERMI2B(classes[3], classes[2], high)
		VMOVDQU8(high, upper, low)
		for j := range 8 {
			class, second := low, K()
			if j > 0 {
				class = ZMM()
				VPSRLQ(Imm(uint64(8*j)), low, class)
			}
			a, b := ZMM(), ZMM()
			VMOVAPD(values[0], a)
			VPERMT2PD(values[1], class, a)
			if !few {
				VMOVAPD(values[2], b)
				VPTESTMQ(sixteen, class, second)
				VPERMT2PD(values[3], class, b)
				VMOVAPD(b, second, a)
			}
			s := sums[(2*j+i)%4]
			VADDPD(a, s, s)
		}
	}
	ADDQ(Imm(8), votes)
	ADDQ(Imm(64), on)
	ADDQ(Imm(64), open)
	DECQ(words)
	JNZ(LabelRef("word"))
	VADDPD(sums[1], sums[0], sums[0])
	VADDPD(sums[3], sums[2], sums[2])
	VADDPD(sums[2], sums[0], sums[0])
	VMOVUPD(sums[0], Mem{Base: param("sums")})
	VMOVDQU64(without, Mem{Base: param("off")})
	VZEROUPPER()
	RET()
}

// bitSelect sets other to the bits of one where mask, else leaves them.
func bitSelect(mask, one, other reg.VecVirtual) {
	VPTERNLOGQ(Imm(0xb8), one, mask, other) // other: mask ? one : other
}
