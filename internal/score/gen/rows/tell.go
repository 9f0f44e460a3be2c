package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const mostPicks = 16 // kernel.MostPicks

// tell writes Tell: eight groups of four pixels are the lanes. All picks of a row are told for half a word at a
// time, so that what is known of its pixels stays in registers. Scratch has the four sums of each pick, and
// where its expert is.
func tell() {
	start("tell", "x *uint64, n, width int, depth *int32, picks *uint8, experts *float64, abstention int, gains, start, "+
		"logLik, scratch *float64, masks *uint8",
		"tell implements RowLoops.Tell.")
	const where = 32 * mostPicks
	Label("row")
	spreadRow()
	scratch, size, picks, left, i := GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(fixed("scratch"), scratch)
	MOVQ(fixed("width"), size)
	SHLQ(Imm(10), size)
	MOVQ(fixed("picks"), picks)
	MOVQ(fixed("depth"), left)
	MOVLQSX(Mem{Base: left}, left)
	zero := YMM()
	VXORPD(zero, zero, zero)
	XORQ(i, i)
	JMP(LabelRef("any"))
	Label("prepare")
	c, sums := GP64(), GP64()
	MOVBQZX(Mem{Base: picks, Index: i, Scale: 1}, c)
	IMULQ(size, c)
	ADDQ(fixed("experts"), c)
	MOVQ(c, Mem{Base: scratch, Index: i, Scale: 8, Disp: where})
	MOVQ(i, sums)
	SHLQ(Imm(5), sums)
	VMOVUPD(zero, Mem{Base: scratch, Index: sums, Scale: 1})
	INCQ(i)
	Label("any")
	CMPQ(i, left)
	JL(LabelRef("prepare"))

	base, masks, words, at := GP64(), GP64(), GP64(), GP64()
	MOVQ(fixed("abstention"), base)
	IMULQ(size, base)
	ADDQ(fixed("experts"), base)
	MOVQ(fixed("masks"), masks)
	MOVQ(fixed("width"), words)
	XORQ(at, at)
	before, after := YMM(), YMM()
	VXORPD(before, before, before)
	VXORPD(after, after, after)
	Label("word")
	for half := range 2 {
		var on [4]reg.OpmaskVirtual
		var l [4]reg.VecVirtual
		for j := range l {
			on[j] = K()
			KMOVB(Mem{Base: masks, Disp: 2*j + half}, on[j])
			l[j] = opinion(base, half, j, on[j])
		}
		addHalf(l, before)
		first, next := fmt.Sprintf("pick%d", half), fmt.Sprintf("joined%d", half)
		i, sums := GP64(), GP64()
		XORQ(i, i)
		MOVQ(scratch, sums)
		CMPQ(i, left)
		JGE(LabelRef(next))
		Label(first)
		expert, four := GP64(), YMM()
		MOVQ(Mem{Base: scratch, Index: i, Scale: 8, Disp: where}, expert)
		ADDQ(at, expert)
		var terms [4]reg.VecVirtual
		for j := range l {
			terms[j] = ZMM()
			off := opinionAt(expert, half, j)
			VMINPD(off, l[j], terms[j])
			VMAXPD(off.Offset(64), l[j], on[j], terms[j])
			old := ZMM()
			VMOVAPD(l[j], old)
			VMOVAPD(terms[j], l[j])
			VSUBPD(old, terms[j], terms[j])
		}
		VMOVUPD(Mem{Base: sums}, four)
		addHalf(terms, four)
		VMOVUPD(four, Mem{Base: sums})
		ADDQ(Imm(32), sums)
		INCQ(i)
		CMPQ(i, left)
		JL(LabelRef(first))
		Label(next)
		addHalf(l, after)
	}
	ADDQ(U32(1024), base)
	ADDQ(U32(1024), at)
	ADDQ(Imm(8), masks)
	again(words, "word")

	to := GP64()
	MOVQ(fixed("start"), to)
	VMOVSD(sumOf(before), Mem{Base: to})
	MOVQ(fixed("logLik"), to)
	VMOVSD(sumOf(after), Mem{Base: to})
	MOVQ(fixed("gains"), to)
	JMP(LabelRef("more"))
	Label("gain")
	four := YMM()
	VMOVUPD(Mem{Base: scratch}, four)
	VMOVSD(sumOf(four), Mem{Base: to})
	ADDQ(Imm(8), to)
	ADDQ(Imm(32), scratch)
	DECQ(left)
	Label("more")
	TESTQ(left, left)
	JNZ(LabelRef("gain"))
	MOVQ(to, fixed("gains"))
	ADDQ(Imm(8), fixed("start"))
	ADDQ(Imm(8), fixed("logLik"))
	ADDQ(Imm(4), fixed("depth"))
	ADDQ(Imm(mostPicks), fixed("picks"))
	row := GP64()
	MOVQ(fixed("width"), row)
	SHLQ(Imm(3), row)
	ADDQ(row, fixed("x"))
	DECQ(fixed("n"))
	JNZ(LabelRef("row"))
	leave()
}

// spreadRow writes the masks of a row: byte 2*j+h of a word has pixels 4*l+j of its half h.
func spreadRow() {
	x, to, words := param("x"), param("masks"), param("width")
	pick := make([]reg.GPVirtual, 4)
	for j := range pick {
		pick[j] = GP64()
		MOVQ(U64(0x1111111111111111<<j), pick[j])
	}
	Label("spread")
	word := GP64()
	MOVQ(Mem{Base: x}, word)
	for j := range pick {
		bits := GP64()
		PEXTQ(pick[j], word, bits)
		MOVW(bits.As16(), Mem{Base: to, Disp: 2 * j})
	}
	ADDQ(Imm(8), x)
	ADDQ(Imm(8), to)
	again(words, "spread")
}

// opinion loads the log-likelihoods of eight pixels, some of which are on.
func opinion(expert reg.Register, half, j int, on reg.OpmaskVirtual) reg.VecVirtual {
	v, off := ZMM(), opinionAt(expert, half, j)
	VMOVUPD(off, v)
	VMOVUPD(off.Offset(64), on, v)
	return v
}

// opinionAt returns where the log-likelihoods of eight pixels are that are off; those of pixels that are on are behind
// them.
func opinionAt(expert reg.Register, half, j int) Mem {
	return Mem{Base: expert, Disp: 128 * (4*half + j)}
}

// addHalf adds eight groups of four terms to the four sums.
func addHalf(terms [4]reg.VecVirtual, sums reg.VecVirtual) {
	part, high := ZMM(), YMM()
	VADDPD(terms[1], terms[0], part)
	VADDPD(terms[2], part, part)
	VADDPD(terms[3], part, part)
	VADDPD(part.AsY(), sums, sums)
	VEXTRACTF64X4(Imm(1), part, high)
	VADDPD(high, sums, sums)
}

// sumOf returns the sum of the four sums, in pairs.
func sumOf(sums reg.VecVirtual) reg.VecVirtual {
	half, low := XMM(), XMM()
	VEXTRACTF128(Imm(1), sums, half)
	VHADDPD(half, sums.AsX(), low)
	VPERMILPD(Imm(1), low, half)
	VADDSD(half, low, low)
	return low
}
