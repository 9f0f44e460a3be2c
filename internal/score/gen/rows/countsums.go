package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// countSums writes CountSums. Rows follow one another, so their words are prepared many at a time: a byte for each group of four pixels.
func countSums(order Mem) {
	TEXT("countSums", 0, "func(table, last *float64, x, free *uint64, n, words, groups int, out *float64)")
	Doc("countSums implements RowLoops.CountSums.")
	Pragma("noescape")
	bytes, end, at := aligned(16*preparedWords), GP64(), GP64()
	LEAQ(Mem{Base: bytes, Disp: 16 * preparedWords}, end)
	MOVQ(end, at)
	table, last, out, rows := param("table"), param("last"), param("out"), param("n")
	all := GP64() // words that are not prepared
	MOVQ(rows, all)
	IMULQ(fixed("words"), all)
	DECQ(fixed("groups"))
	Label("rows")
	var sums [4]reg.VecVirtual
	for j := range sums {
		sums[j] = XMM()
		VXORPD(sums[j], sums[j], sums[j])
	}
	left, quads := GP64(), GP64()
	MOVQ(fixed("groups"), left)
	Label("word")
	CMPQ(at, end)
	JNE(LabelRef("prepared"))
	MOVQ(bytes, at)
	Label("prepare")
	countBytes(at, all, order)
	ADDQ(U32(128), at)
	TESTQ(all, all)
	JLE(LabelRef("begin"))
	CMPQ(at, end)
	JNE(LabelRef("prepare"))
	Label("begin")
	MOVQ(bytes, at)
	Label("prepared")
	add := func(table reg.Register, j int) {
		code := GP64()
		MOVBQZX(Mem{Base: at, Disp: j}, code)
		VADDSD(Mem{Base: table, Index: code, Scale: 8}, sums[j], sums[j])
	}
	group := func() {
		for j := range sums {
			add(table, j)
		}
		ADDQ(Imm(4), at)
	}
	CMPQ(left, Imm(16))
	JLT(LabelRef("rest"))
	for range 4 {
		group()
	}
	SUBQ(Imm(16), left)
	JMP(LabelRef("word"))
	Label("rest")
	MOVQ(left, quads)
	SHRQ(Imm(2), quads)
	JZ(LabelRef("few"))
	Label("quad")
	group()
	DECQ(quads)
	JNZ(LabelRef("quad"))
	Label("few")
	ANDQ(Imm(3), left)
	for j := range 3 {
		CMPQ(left, Imm(uint64(j)))
		JEQ(LabelRef(fmt.Sprintf("last%d", j)))
		add(table, j)
	}
	for j := 3; j >= 0; j-- {
		if j < 3 {
			Label(fmt.Sprintf("last%d", j))
		}
		add(last, j)
		JMP(LabelRef("sum"))
	}
	Label("sum")
	ADDQ(Imm(16), at) // The next row begins with the next word.
	ANDQ(I32(-16), at)
	VADDSD(sums[1], sums[0], sums[0])
	VADDSD(sums[3], sums[2], sums[2])
	VADDSD(sums[2], sums[0], sums[0])
	VMOVSD(sums[0], Mem{Base: out})
	ADDQ(Imm(8), out)
	DECQ(rows)
	JNZ(LabelRef("rows"))
	VZEROUPPER()
	RET()
}

// preparedWords are enough for what is written to be in the cache when it is read.
const preparedWords = 64

// countBytes writes the codes of the groups of the next eight words, if there are so many: the values lower, and which are not free.
func countBytes(to, all reg.Register, order Mem) {
	bits, k, places, nibbles := below(upTo(8, all)), K(), ZMM(), GP64()
	SUBQ(Imm(8), all)
	KMOVB(bits.As32(), k)
	VMOVDQU64(order, places)
	words := [2]reg.VecVirtual{ZMM(), ZMM()}
	for i, name := range []string{"x", "free"} {
		from := param(name)
		VMOVDQU64_Z(Mem{Base: from}, k, words[i])
		VPERMQ(words[i], places, words[i])
		ADDQ(Imm(64), fixed(name))
	}
	low, high := ZMM(), ZMM()
	MOVQ(U64(0x0f0f0f0f0f0f0f0f), nibbles)
	VPBROADCASTQ(nibbles, low)
	VPSLLQ(Imm(4), low, high)
	even, odd, taken := ZMM(), ZMM(), ZMM()
	VPANDQ(low, words[0], even)
	VPANDNQ(low, words[1], taken)
	VPSLLQ(Imm(4), taken, taken)
	VPORQ(taken, even, even)
	VPSRLQ(Imm(4), words[0], odd)
	VPANDQ(low, odd, odd)
	VPANDNQ(high, words[1], taken)
	VPORQ(taken, odd, odd)
	VPUNPCKLBW(odd, even, low)
	VPUNPCKHBW(odd, even, high)
	VMOVDQU64(low, Mem{Base: to})
	VMOVDQU64(high, Mem{Base: to, Disp: 64})
}
