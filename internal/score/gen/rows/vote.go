package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// halvesData returns where the lower halves of 16 numbers of 64 bits are, and behind them the upper ones.
func halvesData() Mem {
	data := GLOBL("halves", RODATA|NOPTR)
	for half := range 2 {
		for i := range 16 {
			DATA(64*half+4*i, U32(uint32(2*i+half)))
		}
	}
	return data
}

// bitsData returns where the 32 bits of a number are, a number each.
func bitsData() Mem {
	data := GLOBL("bits", RODATA|NOPTR)
	for i := range 32 {
		DATA(4*i, U32(1<<i))
	}
	return data
}

// voteStep writes VoteStep: sixteen rows at a time, a lane of 32 bits each. Of a pixel it holds how far picks have
// gone, on in the lower
// half, off in the upper; the half that is not the pixel's value is out of reach.
func voteStep(first bool, numbers, bits Mem) {
	name, more := "voteNext", "own *uint32, owns int, pairs *uint32, starts, fours *int32, last int32, "
	if first {
		name, more = "voteFirst", "votes *uint32, eights, off, costs *int32, tile int, bits, shift int32, "
	}
	declare(name, 0, "func(x *uint64, words, halves int, list *int32, n int, "+more+"experts int, on, held *uint32, lines, "+
		"gains *int32, size, none int32, picked *uint64, picks *uint8, depth, losses, all, next, counts *int32, stride "+
		"int, step, slack, low, high, end int32)",
		name+" implements RowLoops.VoteStep.")
	const which, depths, lists, places = 0, 64, 128, 192
	memory := aligned(256)
	Label("rows")
	some, ids, valid := upTo(16, fixed("n")), ZMM(), K()
	KMOVQ(below(some), valid)
	VMOVDQU32_Z(Mem{Base: param("list")}, valid, ids)
	loadOn(ids, numbers)
	rows := spread("none") // where there is no row, memory that nobody needs
	VMOVDQA32(ids, valid, rows)
	VPMULLD(spread("size"), rows, rows)
	VMOVDQU32(rows, Mem{Base: memory, Disp: places})
	var most, second, best reg.VecVirtual
	if first {
		most, second, best = voteBest(bits)
	} else {
		voteHold(ids)
		transpose(memory, places, "fromRows", false)
		most, second, best = voteChange()
	}
	transpose(memory, places, "toRows", true)

	ended, unsure, near, final := K(), K(), K(), K()
	const atMost = 2
	VPCMPD(Imm(atMost), spread("low"), most, ended)
	VPCMPD(Imm(atMost), spread("high"), most, unsure)
	VPSUBD(second, most, most)
	VPCMPD(Imm(atMost), spread("slack"), most, near)
	// A pick is the last if no gain can rise to enough: by what it loses where it votes and the pixel is off.
	VPADDD(voteLost(ids, best, valid), second, second)
	VPCMPD(Imm(atMost), spread("end"), second, final)
	KORW(near, unsure, unsure)
	KANDNW(unsure, ended, unsure)
	depth, none := spread("step"), number(-1)
	sure := K()
	KORW(ended, unsure, near)
	KNOTW(near, sure)
	VPSUBD(none, depth, sure, depth)
	VMOVDQA32(none, unsure, depth)
	VMOVDQU32(best, Mem{Base: memory, Disp: which})
	VMOVDQU32(depth, Mem{Base: memory, Disp: depths})
	// Rows that end go to a list behind the experts.
	to, count := ZMM(), GP64()
	MOVQ(fixed("experts"), count)
	VPBROADCASTD(count.As32(), to)
	KANDNW(sure, final, sure)
	VMOVDQA32(best, sure, to)
	VMOVDQU32(to, Mem{Base: memory, Disp: lists})

	list, i, n, c, end := param("list"), GP64(), GP64(), GP64(), GP64()
	XORQ(i, i)
	Label("send")
	counts, next := param("counts"), param("next")
	MOVLQSX(Mem{Base: list, Index: i, Scale: 4}, n)
	MOVLQSX(Mem{Base: memory, Index: i, Scale: 4, Disp: lists}, c)
	MOVLQSX(Mem{Base: counts, Index: c, Scale: 4}, end)
	INCL(Mem{Base: counts, Index: c, Scale: 4})
	IMULQ(fixed("stride"), c)
	ADDQ(c, end)
	MOVL(n.As32(), Mem{Base: next, Index: end, Scale: 4})
	depthOf := param("depth")
	MOVLQSX(Mem{Base: memory, Index: i, Scale: 4, Disp: depths}, c)
	MOVL(c.As32(), Mem{Base: depthOf, Index: n, Scale: 4})
	picked, picks := param("picked"), param("picks")
	MOVLQSX(Mem{Base: memory, Index: i, Scale: 4, Disp: which}, c)
	MOVQ(Mem{Base: picked, Index: n, Scale: 8}, end)
	BTSQ(c, end)
	MOVQ(end, Mem{Base: picked, Index: n, Scale: 8})
	SHLQ(Imm(4), n) // MostPicks
	MOVLQSX(fixed("step"), end)
	ADDQ(end, n)
	MOVB(c.As8(), Mem{Base: picks, Index: n, Scale: 1})
	INCQ(i)
	CMPQ(i, some)
	JLT(LabelRef("send"))

	ADDQ(Imm(64), fixed("list"))
	SUBQ(Imm(16), fixed("n"))
	JG(LabelRef("rows"))
	leave()
}

// addProducts adds to sums, by lane of 32 bits, the products of both halves (AVX512_VNNI), which avo does not know.
func addProducts(a, b, sums reg.VecVirtual) {
	Instruction(&ir.Instruction{Opcode: "VPDPWSSD", Operands: []Op{a, b, sums}, Inputs: []Op{a, b, sums},
		Outputs: []Op{sums}, ISA: []string{"AVX512VNNI"}})
}

// gather64 returns sixteen numbers of 64 bits, as two vectors, from base on.
func gather64(base reg.Register, at [2]reg.VecVirtual) (v [2]reg.VecVirtual) {
	all := GP32()
	MOVL(U32(255), all)
	for i := range v {
		k := K()
		KMOVB(all, k)
		v[i] = number(0)
		VPGATHERQQ(Mem{Base: base, Index: at[i], Scale: 8}, k, v[i])
	}
	return v
}

// apart returns sixteen numbers as 64 bits each.
func apart(ids reg.VecVirtual) (v [2]reg.VecVirtual) {
	upper := YMM()
	for i := range v {
		v[i] = ZMM()
	}
	VPMOVZXDQ(ids.AsY(), v[0])
	VEXTRACTI64X4(Imm(1), ids, upper)
	VPMOVZXDQ(upper, v[1])
	return v
}

// halves returns the lower and the upper halves of sixteen numbers of 64 bits.
func halves(v [2]reg.VecVirtual, numbers Mem) (h [2]reg.VecVirtual) {
	for i := range h {
		h[i] = ZMM()
		VMOVDQU32(numbers.Offset(64*i), h[i])
		VPERMI2D(v[1], v[0], h[i])
	}
	return h
}

// loadOn writes to memory which pixels of rows are on, 32 at a time.
func loadOn(ids reg.VecVirtual, numbers Mem) {
	at, x, left, on, words := apart(ids), param("x"), param("halves"), param("on"), ZMM()
	VPBROADCASTQ(fixed("words"), words)
	for _, v := range at {
		VPMULUDQ(words, v, v)
	}
	Label("word")
	for i, h := range halves(gather64(x, at), numbers) {
		VMOVDQU32(h, Mem{Base: on, Disp: 64 * i})
	}
	ADDQ(U32(128), on)
	ADDQ(Imm(8), x)
	SUBQ(Imm(2), left)
	JG(LabelRef("word"))
}

// voteBest finds the first expert that gains most, its gain, and the largest of the others. It writes down what each
// gains and loses.
func voteBest(bits Mem) (most, second, best reg.VecVirtual) {
	each := func(label string, do func(line reg.Register)) {
		line, left := param("lines"), param("experts")
		Label(label)
		do(line)
		ADDQ(Imm(64), line)
		DECQ(left)
		JNZ(LabelRef(label))
	}
	zero := number(0)
	each("start", func(line reg.Register) { VMOVDQU32(zero, Mem{Base: line}) })

	// As many pixels at a time that which rows have them stays in the first cache.
	begun, halves := AllocLocal(8), GP64()
	votes, eights := param("votes"), param("eights")
	XORQ(halves, halves)
	Label("tile")
	MOVQ(halves, begun)
	voteBegin(bits, halves)
	held := param("held")
	each("expert", func(line reg.Register) {
		var sums [4]reg.VecVirtual
		for i := range sums {
			sums[i] = number(0)
		}
		some := GP64()
		MOVLQSX(Mem{Base: eights}, some)
		ADDQ(Imm(4), eights)
		TESTQ(some, some)
		JZ(LabelRef("summed"))
		Label("eight")
		for j := range 8 {
			at, v := GP64(), ZMM()
			MOVLQSX(Mem{Base: votes, Disp: 8 * j}, at)
			VPBROADCASTD(Mem{Base: votes, Disp: 8*j + 4}, v)
			VPANDD(Mem{Base: held, Index: at, Scale: 1}, v, v)
			VPADDD(v, sums[j%4], sums[j%4])
		}
		ADDQ(Imm(64), votes)
		DECQ(some)
		JNZ(LabelRef("eight"))
		Label("summed")
		VPADDD(sums[1], sums[0], sums[0])
		VPADDD(sums[3], sums[2], sums[2])
		VPADDD(sums[2], sums[0], sums[0])
		VPADDD(Mem{Base: line}, sums[0], sums[0])
		VMOVDQU32(sums[0], Mem{Base: line})
	})
	MOVQ(begun, halves)
	ADDQ(fixed("tile"), halves)
	CMPQ(halves, fixed("halves"))
	JLT(LabelRef("tile"))

	most, second, best = number(-1<<30), number(-1<<30), number(0)
	next, one, bitsOf, shift, part := number(0), number(1), spread("bits"), spread("shift"), number(1)
	VPSLLVD(bitsOf, part, part)
	VPSUBD(one, part, part)
	losses, off, costs := param("losses"), param("off"), param("costs")
	each("best", func(line reg.Register) {
		gain, lost := ZMM(), ZMM()
		VMOVDQU32(Mem{Base: line}, lost)
		VPANDD(part, lost, gain)
		VPSRLVD(bitsOf, lost, lost)
		VPSLLVD(shift, lost, lost)
		all := ZMM()
		VPBROADCASTD(Mem{Base: off}, all)
		VPSUBD(lost, all, lost)
		VPSUBD(all, gain, gain)
		VPSUBD_BCST(Mem{Base: costs}, gain, gain)
		VMOVDQU32(gain, Mem{Base: line})
		VMOVDQU32(lost, Mem{Base: losses})
		better(gain, next, most, second, best)
		VPADDD(one, next, next)
		ADDQ(Imm(4), off)
		ADDQ(Imm(4), costs)
		ADDQ(Imm(64), losses)
	})
	MOVQ(losses, fixed("losses"))
	return most, second, best
}

// voteBegin sets which rows have so many pixels, from 32*begun on: all bits of their lanes.
func voteBegin(bits Mem, begun reg.Register) {
	held, from, left, all := param("held"), param("on"), param("tile"), param("halves")
	SUBQ(begun, all)
	CMPQ(left, all)
	CMOVQGT(all, left)
	SHLQ(Imm(6), begun)
	ADDQ(begun, from)
	Label("begin")
	pixels := ZMM()
	VMOVDQU32(Mem{Base: from}, pixels)
	for j := range 32 {
		k, v := K(), ZMM()
		VPTESTMD_BCST(bits.Offset(4*j), pixels, k)
		VPMOVM2D(k, v)
		VMOVDQU32(v, Mem{Base: held, Disp: 64 * j})
	}
	ADDQ(U32(64*32), held)
	ADDQ(Imm(64), from)
	again(left, "begin")
}

// better takes in the gains of the next expert.
func better(gain, next, most, second, best reg.VecVirtual) {
	k, lower := K(), ZMM()
	VPCMPGTD(most, gain, k)
	VPMINSD(gain, most, lower)
	VPMAXSD(lower, second, second)
	VPMAXSD(gain, most, most)
	VMOVDQA32(next, k, best)
}

// voteHold sets, of the pixels that the last pick votes for, what picks before hold, and behind that, what is held with
// the last one.
func voteHold(ids reg.VecVirtual) {
	on, off := number(-1<<16), number(1<<16-1) // nothing is held of a pixel
	own, left, held, words := param("own"), param("owns"), param("held"), param("on")
	Label("own")
	at, k, v, bit := GP64(), K(), ZMM(), ZMM()
	MOVLQSX(Mem{Base: own}, at)
	VPBROADCASTD(Mem{Base: own, Disp: 4}, bit)
	VPTESTMD(Mem{Base: words, Index: at, Scale: 1}, bit, k)
	VMOVDQA32(off, v)
	VMOVDQA32(on, k, v)
	VMOVDQU32(v, Mem{Base: held})
	ADDQ(Imm(12), own)
	ADDQ(U32(128), held)
	again(left, "own")

	MOVLQSX(fixed("step"), left)
	CMPQ(left, Imm(1))
	JE(LabelRef("held"))
	// All that any of the rows has, one after the other.
	rows, any := gather64(param("picked"), apart(ids)), GP64()
	orOf(rows, any)
	pairs, from, fours, c, some := GP64(), param("starts"), param("fours"), GP64(), GP64()
	MOVQ(fixed("held"), held)
	Label("holder")
	TZCNTQ(any, c)
	BLSRQ(any, any)
	MOVLQSX(Mem{Base: from, Index: c, Scale: 4}, pairs)
	MOVLQSX(Mem{Base: fours, Index: c, Scale: 4}, some)
	ADDQ(fixed("pairs"), pairs)
	has := hasBit(rows, c)
	Label("hold")
	for j := range 4 {
		at, v := GP64(), ZMM()
		MOVLQSX(Mem{Base: pairs, Disp: 8 * j}, at)
		VPBROADCASTD_Z(Mem{Base: pairs, Disp: 8*j + 4}, has, v)
		VPMAXUW(Mem{Base: held, Index: at, Scale: 1}, v, v)
		VMOVDQU32(v, Mem{Base: held, Index: at, Scale: 1})
	}
	ADDQ(Imm(32), pairs)
	again(some, "hold")
	TESTQ(any, any)
	JNZ(LabelRef("holder"))
	Label("held")

	MOVQ(fixed("own"), own)
	MOVQ(fixed("owns"), left)
	MOVQ(fixed("held"), held)
	Label("last")
	way := ZMM()
	VPBROADCASTD(Mem{Base: own, Disp: 8}, way)
	VPMAXUW(Mem{Base: held}, way, way)
	VMOVDQU32(way, Mem{Base: held, Disp: 64})
	ADDQ(Imm(12), own)
	ADDQ(U32(128), held)
	again(left, "last")
}

// orOf sets all to what any of the numbers has.
func orOf(v [2]reg.VecVirtual, all reg.Register) {
	both, half, quarter, other := ZMM(), YMM(), XMM(), GP64()
	VPORQ(v[0], v[1], both)
	VEXTRACTI64X4(Imm(1), both, half)
	VPOR(half, both.AsY(), half)
	VEXTRACTI128(Imm(1), half, quarter)
	VPOR(quarter, half.AsX(), quarter)
	VMOVQ(quarter, all)
	VPEXTRQ(Imm(1), quarter, other)
	ORQ(other, all)
}

// hasBit returns which of sixteen numbers have a bit.
func hasBit(v [2]reg.VecVirtual, bit reg.Register) reg.OpmaskVirtual {
	one, mask, k := GP64(), ZMM(), [2]reg.OpmaskVirtual{K(), K()}
	MOVQ(U64(1), one)
	SHLXQ(bit, one, one)
	VPBROADCASTQ(one, mask)
	for i := range v {
		VPTESTMQ(v[i], mask, k[i])
	}
	KUNPCKBW(k[0], k[1], k[0])
	return k[0]
}

// voteChange does what voteBest does from what was gained before, less what the last pick takes.
func voteChange() (most, second, best reg.VecVirtual) {
	most, second, best = number(-1<<30), number(-1<<30), number(0)
	next, one, signs := number(0), number(1), number(1<<17-1)
	last, lowest := spread("last"), number(-1<<30)
	pairs, fours, left, held, line := param("pairs"), param("fours"), param("experts"), param("held"), param("lines")
	Label("expert")
	gain, other, some := ZMM(), number(0), GP64()
	VMOVDQU32(Mem{Base: line}, gain)
	MOVLQSX(Mem{Base: fours}, some)
	Label("four")
	for j := range 4 {
		at, v := GP64(), ZMM()
		MOVLQSX(Mem{Base: pairs, Disp: 8 * j}, at)
		VPBROADCASTD(Mem{Base: pairs, Disp: 8*j + 4}, v)
		VPMINUW(Mem{Base: held, Index: at, Scale: 1, Disp: 64}, v, v)
		VPSUBUSW(Mem{Base: held, Index: at, Scale: 1}, v, v)
		addProducts(signs, v, []reg.VecVirtual{gain, other}[j%2])
	}
	ADDQ(Imm(32), pairs)
	again(some, "four")
	VPADDD(other, gain, gain)
	is := K()
	VPCMPEQD(next, last, is)
	VMOVDQA32(lowest, is, gain)
	VMOVDQU32(gain, Mem{Base: line})
	better(gain, next, most, second, best)
	VPADDD(one, next, next)
	ADDQ(Imm(4), fours)
	ADDQ(Imm(64), line)
	again(left, "expert")
	return most, second, best
}

// transpose moves the gains of sixteen rows, whose places are in memory, to lines, one for each expert, or back:
// sixteen experts at a time.
func transpose(memory reg.Register, places int, label string, back bool) {
	gains, lines, left := param("gains"), param("lines"), param("experts")
	Label(label)
	row := func(i int) Mem {
		at := GP64()
		MOVLQSX(Mem{Base: memory, Disp: places + 4*i}, at)
		return Mem{Base: gains, Index: at, Scale: 4}
	}
	line := func(i int) Mem { return Mem{Base: lines, Disp: 64 * i} }
	from, to := row, line
	if back {
		from, to = line, row
	}
	v := vectors(16)
	for i := range v {
		VMOVDQU32(from(i), v[i])
	}
	pairs := func(apart int, low, high func(a, b reg.VecVirtual, to reg.VecVirtual)) {
		next := make([]reg.VecVirtual, 16)
		for i := range v {
			if i&apart == 0 {
				next[i], next[i+apart] = ZMM(), ZMM()
				low(v[i], v[i+apart], next[i])
				high(v[i], v[i+apart], next[i+apart])
			}
		}
		v = next
	}
	pairs(1, func(a, b, to reg.VecVirtual) { VPUNPCKLDQ(b, a, to) },
		func(a, b, to reg.VecVirtual) { VPUNPCKHDQ(b, a, to) })
	pairs(2, func(a, b, to reg.VecVirtual) { VPUNPCKLQDQ(b, a, to) },
		func(a, b, to reg.VecVirtual) { VPUNPCKHQDQ(b, a, to) })
	quarters := func(which uint64) func(a, b, to reg.VecVirtual) {
		return func(a, b, to reg.VecVirtual) { VSHUFI32X4(Imm(which), b, a, to) }
	}
	pairs(4, quarters(0x88), quarters(0xdd))
	pairs(8, quarters(0x88), quarters(0xdd))
	// After two steps within quarters, number i%4 of each has the experts 0, 2, 1 and 3 of every four; those across
	// quarters are in order.
	for i := range v {
		VMOVDQU32(v[i], to(i&^3|[]int{0, 2, 1, 3}[i&3]))
	}
	ADDQ(Imm(64), gains)
	ADDQ(U32(1024), lines)
	SUBQ(Imm(16), left)
	JG(LabelRef(label))
}

// voteLost returns what the best expert of each row lost in the first step.
func voteLost(ids, best reg.VecVirtual, valid reg.OpmaskVirtual) reg.VecVirtual {
	at, lane, k, lost := ZMM(), number(15), K(), number(0)
	VPSRLD(Imm(4), ids, at)
	experts, count := ZMM(), GP64()
	MOVQ(fixed("experts"), count)
	VPBROADCASTD(count.As32(), experts)
	VPMULLD(experts, at, at)
	VPADDD(best, at, at)
	VPSLLD(Imm(4), at, at)
	VPANDD(ids, lane, lane)
	VPADDD(lane, at, at)
	KMOVW(valid, k)
	VPGATHERDD(Mem{Base: param("all"), Index: at, Scale: 4}, k, lost)
	return lost
}
