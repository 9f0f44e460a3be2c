// Command rows writes the vector code for rows of tables in package kernel:
//
//	cd internal/score/kernel && go generate
//
// Masks of pixels are read 16 bits at a time: as four groups of four pixels.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!purego")
	for _, width := range []int{4, 2} {
		addFours(width)
		strengthen(width)
	}
	exchange()
	Generate()
}

// start begins a function that needs no more stack than there is.
func start(name, signature, doc string) {
	TEXT(name, NOSPLIT, "func("+signature+")")
	Doc(doc)
	Pragma("noescape")
}

// leave ends a function.
func leave() {
	VZEROUPPER()
	RET()
}

// again goes back to a label until it has done so as often as left says.
func again(left Op, label string) {
	DECQ(left)
	JNZ(LabelRef(label))
}

func param(name string) reg.Register { return Load(Param(name), GP64()) }

// addFours writes AddFours for lanes of some vectors.
func addFours(width int) {
	name := fmt.Sprintf("addFours%dAVX2", lanes*width)
	start(name, "gains, table *int32, row int, x *uint64, quads int",
		fmt.Sprintf("%s implements RowLoops.AddFours for %d lanes of rows of that many bytes, 4*quads fours.", name,
			lanes*width))
	gains, table, row, x, quads := param("gains"), param("table"), param("row"), param("x"), param("quads")
	acc := load(gains, width)
	fours := GP64()
	MOVQ(row, fours)
	SHLQ(Imm(4), fours) // bytes of a table for four pixels
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
		for i := range acc {
			VPADDD(Mem{Base: p, Disp: 4 * lanes * i}, acc[i], acc[i])
		}
		ADDQ(fours, table)
	}
	ADDQ(Imm(2), x)
	again(quads, "quad")
	store(acc, gains)
	leave()
}

// strengthen writes Strengthen for lanes of some vectors.
func strengthen(width int) {
	name := fmt.Sprintf("strengthen%dAVX2", lanes*width)
	start(name, "gains, alone, value *int32, row int, units, after *int32, up, x *uint64, words int",
		fmt.Sprintf("%s implements RowLoops.Strengthen for %d lanes: value is alone at the lane of the expert, "+
			"and the new units go to after.", name, lanes*width))
	acc := load(param("gains"), width)
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
	unit, one := Mem{Base: units, Index: j, Scale: 4}, Mem{Base: value, Index: at, Scale: 1}
	a, b, low, high := YMM(), YMM(), YMM(), YMM()
	VPBROADCASTD(unit, a)
	VPBROADCASTD(one, b)
	MOVL(one, is)
	MOVL(is, Mem{Base: after, Index: j, Scale: 4})
	VPADDD(a, total, total)
	VPMINSD(a, b, low)
	VPMAXSD(a, b, high)
	for i := range acc {
		t := YMM()
		VPMAXSD(Mem{Base: alone, Index: at, Scale: 1, Disp: 4 * lanes * i}, low, t)
		VPMINSD(high, t, t)
		VPSUBD(t, acc[i], acc[i])
	}
	BLSRQ(m, m)
	JNZ(LabelRef("pixel"))
	Label("next")
	rows := GP64()
	MOVQ(row, rows)
	SHLQ(Imm(7), rows) // of 64 pixels
	ADDQ(rows, alone)
	ADDQ(rows, value)
	ADDQ(U32(256), units)
	ADDQ(U32(256), after)
	ADDQ(Imm(8), up)
	ADDQ(Imm(8), x)
	again(words, "word")
	for i := range acc {
		VPADDD(total, acc[i], acc[i])
	}
	store(acc, param("gains"))
	leave()
}

// exchange writes Exchange for multiples of the lanes of a vector.
func exchange() {
	start("exchangeAVX2", "gains, above0, below0, above1, below1 *int32, l0, l1 int32, n int",
		fmt.Sprintf("exchangeAVX2 implements RowLoops.Exchange for n times %d lanes.", lanes))
	gains, n := param("gains"), param("n")
	zero, at := YMM(), GP64()
	VPXOR(zero, zero, zero)
	XORQ(at, at)
	var above, below, l [2]reg.Register
	for i := range 2 {
		above[i], below[i] = param(fmt.Sprintf("above%d", i)), param(fmt.Sprintf("below%d", i))
		l[i] = broadcast(Load(Param(fmt.Sprintf("l%d", i)), GP32()))
	}
	Label("lanes")
	acc := YMM()
	VMOVDQU(Mem{Base: gains, Index: at, Scale: 1}, acc)
	for i, join := range []func(a, b, c Op){
		func(a, b, c Op) { VPSUBD(a, b, c) }, func(a, b, c Op) { VPADDD(a, b, c) }} {
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
	ADDQ(Imm(uint64(4*lanes)), at)
	again(n, "lanes")
	leave()
}
