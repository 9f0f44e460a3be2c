package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Thirty-two rows at a time, a lane of 16 bits each: a table for five pixels has 32 numbers, which are one
// vector, and one instruction looks up the numbers for all rows.

const wordFives = 13 // fives of a word: the last one has four pixels

// wordsData returns where the numbers are that bring word k of eight times 64 bits, of two vectors, together.
func wordsData() Mem {
	data := GLOBL("wordsOf", RODATA|NOPTR)
	for k := range 4 {
		for lane := range 32 {
			at := 0
			if lane < 16 {
				at = lane/8*32 + lane%8*4 + k
			}
			DATA(64*k+2*lane, U16(uint16(at)))
		}
	}
	return data
}

// propose writes Propose.
func propose() {
	inWords := wordsData()
	// Its memory may need more stack than there is: it is not NOSPLIT.
	declare("propose", 0, "func(table *int16, places *int32, start *int16, numbers *int64, lanes int, x *uint64, words "+
		"int, list *int32, n, fives int, lists, counts *int32, slack, low, high, end int)",
		"propose implements RowLoops.Propose.")
	memory := aligned(64 * wordFives * mostWords)
	Label("rows")
	valid, rows := thirtyTwo()
	codes(rows, inWords, memory)

	table, places, start, lanes := param("table"), param("places"), param("start"), param("lanes")
	most, second, which, number, one := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	c := GP32()
	MOVL(U32(0x8000), c)
	VPBROADCASTW(c, most)
	VPBROADCASTW(c, second)
	MOVL(U32(1), c)
	VPBROADCASTW(c, one)
	VPXORQ(which, which, which)
	VPXORQ(number, number, number)
	Label("lanes")
	var gains [4]reg.VecVirtual
	for i := range gains {
		gains[i] = ZMM()
		VPBROADCASTW(Mem{Base: start, Disp: 2 * i}, gains[i])
	}
	from, left := GP64(), GP64()
	MOVQ(memory, from)
	MOVQ(fixed("fives"), left)
	Label("five")
	code := ZMM()
	VMOVDQU64(Mem{Base: from}, code)
	for i, g := range gains {
		place, t := GP64(), ZMM()
		MOVLQSX(Mem{Base: places, Disp: 4 * i}, place)
		VPERMW(Mem{Base: table, Index: place, Scale: 2}, code, t)
		VPADDW(t, g, g)
	}
	ADDQ(Imm(16), places)
	ADDQ(Imm(64), from)
	again(left, "five")
	for _, g := range gains {
		k, t := K(), ZMM()
		VPCMPGTW(most, g, k)
		VPMINSW(most, g, t)
		VPMAXSW(t, second, second)
		VPMAXSW(most, g, most)
		VMOVDQU16(number, k, which)
		VPADDW(one, number, number)
	}
	ADDQ(Imm(8), start)
	SUBQ(Imm(4), lanes)
	JNZ(LabelRef("lanes"))

	bound := func(name string) reg.VecVirtual {
		v, b := ZMM(), GP64()
		MOVQ(fixed(name), b)
		VPBROADCASTW(b.As32(), v)
		return v
	}
	const atMost = 2
	ended, unsure, other := K(), K(), K()
	VPCMPW(Imm(atMost), bound("low"), most, ended)
	VPCMPW(Imm(atMost), bound("high"), most, unsure)
	VPSUBSW(second, most, second)
	VPCMPW(Imm(atMost), bound("slack"), second, other)
	KORD(other, unsure, unsure)
	KANDD(valid, ended, ended)
	KANDND(unsure, ended, unsure)
	KANDD(valid, unsure, unsure)
	KORD(ended, unsure, other)
	KANDND(valid, other, valid) // sure

	lists, counts := param("lists"), param("counts")
	numbers := param("numbers")
	MOVQ(fixed("lanes"), lanes)
	VPXORQ(number, number, number)
	Label("send")
	k, m, c64 := K(), GP32(), GP64()
	VPCMPEQW(number, which, valid, k)
	KMOVD(k, m)
	MOVQ(Mem{Base: numbers}, c64)
	appendRows(rows, m, c64, lists, counts)
	VPADDW(one, number, number)
	ADDQ(Imm(8), numbers)
	again(lanes, "send")
	KMOVD(ended, m)
	MOVQ(fixed("end"), c64)
	appendRows(rows, m, c64, lists, counts)
	KMOVD(unsure, m)
	MOVQ(fixed("end"), c64)
	INCQ(c64)
	appendRows(rows, m, c64, lists, counts)

	ADDQ(U32(128), fixed("list"))
	SUBQ(Imm(32), fixed("n"))
	JG(LabelRef("rows"))
	leave()
}

// thirtyTwo loads the numbers of up to 32 rows of the list, and says which there are.
func thirtyTwo() (valid reg.OpmaskVirtual, rows [2]reg.VecVirtual) {
	list, bits := param("list"), below(upTo(32, fixed("n")))
	valid = K()
	KMOVD(bits.As32(), valid)
	for i := range rows {
		k := K()
		KMOVW(bits.As32(), k)
		rows[i] = ZMM()
		VMOVDQU32_Z(Mem{Base: list, Disp: 64 * i}, k, rows[i])
		SHRQ(Imm(16), bits)
	}
	return valid, rows
}

// codes writes to memory the values of five pixels at a time, a vector each, in the lower bits of the lanes.
func codes(rows [2]reg.VecVirtual, inWords Mem, memory reg.Register) {
	words, base, to, left, all := ZMM(), param("x"), GP64(), param("words"), GP32()
	MOVL(U32(255), all)
	VPBROADCASTQ(left, words)
	MOVQ(memory, to)
	var at [4]reg.VecVirtual
	for i := range at {
		half := YMM()
		VEXTRACTI64X4(Imm(uint64(i%2)), rows[i/2], half)
		at[i] = ZMM()
		VPMOVSXDQ(half, at[i])
		VPMULUDQ(words, at[i], at[i])
	}
	Label("word")
	var q [4]reg.VecVirtual
	for i := range q {
		k := K()
		KMOVB(all, k)
		q[i] = ZMM()
		VPXORQ(q[i], q[i], q[i])
		VPGATHERQQ(Mem{Base: base, Index: at[i], Scale: 8}, k, q[i])
	}
	var planes [4]reg.VecVirtual // 16 bits of each row
	for k := range planes {
		planes[k] = ZMM()
		upper := ZMM()
		VMOVDQU64(inWords.Offset(64*k), planes[k])
		VMOVDQA64(planes[k], upper)
		VPERMI2W(q[1], q[0], planes[k])
		VPERMI2W(q[3], q[2], upper)
		VINSERTI64X4(Imm(1), upper.AsY(), planes[k], planes[k])
	}
	for g := range wordFives {
		k, shift, v := 5*g/16, 5*g%16, planes[5*g/16]
		if shift > 0 {
			v = ZMM()
			VPSRLW(Imm(uint64(shift)), planes[k], v)
		}
		if shift > 11 && k < 3 {
			t := ZMM()
			VPSLLW(Imm(uint64(16-shift)), planes[k+1], t)
			VPORQ(t, v, v)
		}
		VMOVDQU64(v, Mem{Base: to, Disp: 64 * g})
	}
	ADDQ(Imm(8), base)
	ADDQ(U32(64*wordFives), to)
	again(left, "word")
}

// appendRows appends those of 32 rows that m has to list c.
func appendRows(rows [2]reg.VecVirtual, m, c, lists, counts reg.Register) {
	count, at, n, ones := GP64(), GP64(), GP32(), GP32()
	LEAQ(Mem{Base: counts, Index: c, Scale: 4}, count)
	MOVLQSX(Mem{Base: count}, at)
	SHLQ(Imm(block), c)
	ADDQ(c, at)
	LEAQ(Mem{Base: lists, Index: at, Scale: 4}, at)
	POPCNTL(m, n)
	ADDL(n, Mem{Base: count})
	MOVL(U32(0xffffffff), ones)
	for i, r := range rows {
		k, some, t := K(), GP32(), ZMM()
		KMOVW(m, k)
		VPCOMPRESSD_Z(r, k, t)
		MOVWLZX(m.(reg.GP).As16(), n)
		POPCNTL(n, n)
		BZHIL(n, ones, some)
		KMOVW(some, k)
		VMOVDQU32(t, k, Mem{Base: at})
		if i == 0 {
			LEAQ(Mem{Base: at, Index: n.As64(), Scale: 4}, at)
			SHRL(Imm(16), m)
		}
	}
}
