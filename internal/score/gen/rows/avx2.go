package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The loops that save most, for machines with AVX2 only: half the lanes per
// vector, otherwise as in main.go.

func loadLanes2(at reg.Register, width int) []reg.VecVirtual {
	acc := make([]reg.VecVirtual, width)
	for v := range acc {
		acc[v] = YMM()
		VMOVDQU(Mem{Base: at, Disp: 32 * v}, acc[v])
	}
	return acc
}

func storeLanes2(acc []reg.VecVirtual, at reg.Register) {
	for v := range acc {
		VMOVDQU(acc[v], Mem{Base: at, Disp: 32 * v})
	}
}

func addFoursAVX2(width int) {
	name := fmt.Sprintf("addFours%dAVX2", 8*width)
	start(name, "gains, table *int32, row int, x *uint64, quads int",
		fmt.Sprintf("%s implements RowLoops.AddFours for %d lanes of rows of that many bytes, 4*quads fours.", name, 8*width))
	gains, table, row, x, quads := param("gains"), param("table"), param("row"), param("x"), param("quads")
	acc := loadLanes2(gains, width)
	fours := GP64()
	MOVQ(row, fours)
	SHLQ(Imm(4), fours)
	Label("quad")
	b := GP64()
	MOVWQZX(Mem{Base: x}, b)
	for range 4 {
		p := GP64()
		MOVQ(b, p)
		ANDQ(Imm(15), p)
		SHRQ(Imm(4), b)
		IMULQ(row, p)
		ADDQ(table, p)
		for v := range acc {
			VPADDD(Mem{Base: p, Disp: 32 * v}, acc[v], acc[v])
		}
		ADDQ(fours, table)
	}
	ADDQ(Imm(2), x)
	DECQ(quads)
	JNZ(LabelRef("quad"))
	storeLanes2(acc, gains)
	VZEROUPPER()
	RET()
}

func strengthenAVX2(width int) {
	name := fmt.Sprintf("strengthen%dAVX2", 8*width)
	start(name, "gains, alone, value *int32, row int, units, after *int32, up, x *uint64, words int",
		fmt.Sprintf("%s implements RowLoops.Strengthen for %d lanes: value is alone at the lane of the expert, and the new "+
			"units go to after.", name, 8*width))
	acc := loadLanes2(param("gains"), width)
	alone, value, row := param("alone"), param("value"), param("row")
	units, after, up, x := param("units"), param("after"), param("up"), param("x")
	words, left := AllocLocal(8), param("words")
	MOVQ(left, words)
	total := YMM()
	VPXOR(total, total, total)
	Label("word")
	m, ink := GP64(), GP64()
	MOVQ(Mem{Base: up}, m)
	MOVQ(Mem{Base: x}, ink)
	TESTQ(m, m)
	JZ(LabelRef("next"))
	Label("pixel")
	j, at, is := GP64(), GP64(), GP32()
	TZCNTQ(m, j)
	LEAQ(Mem{Base: j, Index: j, Scale: 1}, at)
	BTQ(j, ink)
	ADCQ(Imm(0), at)
	IMULQ(row, at)
	was, now, low, high := YMM(), YMM(), YMM(), YMM()
	VPBROADCASTD(Mem{Base: units, Index: j, Scale: 4}, was)
	VPBROADCASTD(Mem{Base: value, Index: at, Scale: 1}, now)
	MOVL(Mem{Base: value, Index: at, Scale: 1}, is)
	MOVL(is, Mem{Base: after, Index: j, Scale: 4})
	VPADDD(was, total, total)
	VPMINSD(was, now, low)
	VPMAXSD(was, now, high)
	for v := range acc {
		t := YMM()
		VPMAXSD(Mem{Base: alone, Index: at, Scale: 1, Disp: 32 * v}, low, t)
		VPMINSD(high, t, t)
		VPSUBD(t, acc[v], acc[v])
	}
	BLSRQ(m, m)
	JNZ(LabelRef("pixel"))
	Label("next")
	rows := GP64()
	MOVQ(row, rows)
	SHLQ(Imm(7), rows)
	ADDQ(rows, alone)
	ADDQ(rows, value)
	ADDQ(U32(256), units)
	ADDQ(U32(256), after)
	ADDQ(Imm(8), up)
	ADDQ(Imm(8), x)
	DECQ(words)
	JNZ(LabelRef("word"))
	for v := range acc {
		VPADDD(total, acc[v], acc[v])
	}
	storeLanes2(acc, param("gains"))
	VZEROUPPER()
	RET()
}

// exchangeAVX2 writes Exchange for multiples of eight lanes.
func exchangeAVX2() {
	start("exchangeAVX2", "gains, above0, below0, above1, below1 *int32, l0, l1 int32, n int",
		"exchangeAVX2 implements RowLoops.Exchange for n times 8 lanes.")
	gains, n := param("gains"), param("n")
	zero, at := YMM(), GP64()
	VPXOR(zero, zero, zero)
	XORQ(at, at)
	var above, below [2]reg.Register
	var l [2]reg.VecVirtual
	for i := range 2 {
		above[i], below[i] = param(fmt.Sprintf("above%d", i)), param(fmt.Sprintf("below%d", i))
		l[i] = YMM()
		v := XMM()
		VMOVD(Load(Param(fmt.Sprintf("l%d", i)), GP32()), v)
		VPBROADCASTD(v, l[i])
	}
	Label("lanes")
	acc := YMM()
	VMOVDQU(Mem{Base: gains, Index: at, Scale: 1}, acc)
	for i, join := range []func(a, b, c Op){subtract, add} {
		up, down := YMM(), YMM()
		VMOVDQU(Mem{Base: above[i], Index: at, Scale: 1}, up)
		VPSUBD(l[i], up, up)
		VPMAXSD(zero, up, up)
		join(up, acc, acc)
		VMOVDQU(Mem{Base: below[i], Index: at, Scale: 1}, down)
		VPSUBD(l[i], down, down)
		VPMINSD(zero, down, down)
		join(down, acc, acc)
	}
	VMOVDQU(acc, Mem{Base: gains, Index: at, Scale: 1})
	ADDQ(Imm(32), at)
	DECQ(n)
	JNZ(LabelRef("lanes"))
	VZEROUPPER()
	RET()
}

func subtract(a, b, c Op) { VPSUBD(a, b, c) }
func add(a, b, c Op)      { VPADDD(a, b, c) }
