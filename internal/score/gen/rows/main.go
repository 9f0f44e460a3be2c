// Command rows writes the vector code for rows of tables in package kernel:
//
//	cd internal/score/kernel && go generate
//
// Masks of pixels are read 16 bits at a time: as four groups of four pixels.
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!purego")
	for _, width := range []int{4, 2, 1} {
		addFours(zmm, width)
		strengthen(zmm, width)
	}
	bits := bitsData()
	tell()
	propose()
	choose()
	numbers := sixteens()
	for _, first := range []bool{false, true} {
		voteStep(first, numbers, bits)
	}
	rowSumsAcross()
	allSums()
	told()
	gather()
	for _, width := range []int{4, 2} {
		addFours(ymm, width)
		strengthen(ymm, width)
	}
	for _, width := range []int{1, 2, 3, 4} {
		stepAVX2(width)
	}
	rowSumsAVX2()
	exchange(ymm)
	groupsData()
	begin()
	beginUnits()
	nearLanes()
	voteGain(false)
	voteGain(true)
	sum()
	voters()
	count()
	greater()
	exchange(zmm)
	Generate()
}

// start begins a function that needs no more stack than there is.
func start(name, signature, doc string) { declare(name, NOSPLIT, "func("+signature+")", doc) }

func declare(name string, attributes attr.Attribute, signature, doc string) {
	TEXT(name, attributes, signature)
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
func addFours(v *vector, width int) {
	name := v.name("addFours%d", width)
	start(name, "gains, table *int32, row int, x *uint64, quads int",
		fmt.Sprintf("%s implements RowLoops.AddFours for %d lanes of rows of that many bytes, 4*quads fours.", name,
			v.lanes*width))
	gains, table, row, x, quads := param("gains"), param("table"), param("row"), param("x"), param("quads")
	acc := v.load(gains, width)
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
			VPADDD(Mem{Base: p, Disp: 4 * v.lanes * i}, acc[i], acc[i])
		}
		ADDQ(fours, table)
	}
	ADDQ(Imm(2), x)
	again(quads, "quad")
	v.store(acc, gains)
	leave()
}

// strengthen writes Strengthen for lanes of some vectors.
func strengthen(v *vector, width int) {
	name := v.name("strengthen%d", width)
	start(name, "gains, alone, value *int32, row int, units, after *int32, up, x *uint64, words int",
		fmt.Sprintf("%s implements RowLoops.Strengthen for %d lanes: value is alone at the lane of the expert, "+
			"and the new units go to after.", name, v.lanes*width))
	acc := v.load(param("gains"), width)
	alone, value, row := param("alone"), param("value"), param("row")
	units, after, up, x := param("units"), param("after"), param("up"), param("x")
	words, left := AllocLocal(8), param("words")
	MOVQ(left, words)
	total := v.new()
	v.xor(total, total, total)
	Label("word")
	m, ink := GP64(), GP64()
	MOVQ(Mem{Base: up}, m)
	MOVQ(Mem{Base: x}, ink)
	TESTQ(m, m)
	JZ(LabelRef("next"))
	Label("pixel")
	j, at, was, is := GP64(), GP64(), GP32(), GP32()
	TZCNTQ(m, j)
	LEAQ(Mem{Base: j, Index: j, Scale: 1}, at)
	BTQ(j, ink)
	ADCQ(Imm(0), at)
	IMULQ(row, at)
	unit, one := Mem{Base: units, Index: j, Scale: 4}, Mem{Base: value, Index: at, Scale: 1}
	a, b, low, high := v.new(), v.new(), v.new(), v.new()
	if v == zmm {
		MOVL(unit, was)
		MOVL(one, is)
		MOVL(is, Mem{Base: after, Index: j, Scale: 4})
		VPBROADCASTD(was, a)
		VPBROADCASTD(is, b)
	} else { // which has no way from a number to a vector
		VPBROADCASTD(unit, a)
		VPBROADCASTD(one, b)
		MOVL(one, is)
		MOVL(is, Mem{Base: after, Index: j, Scale: 4})
	}
	VPADDD(a, total, total)
	VPMINSD(a, b, low)
	VPMAXSD(a, b, high)
	for i := range acc {
		t := v.new()
		VPMAXSD(Mem{Base: alone, Index: at, Scale: 1, Disp: 4 * v.lanes * i}, low, t)
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
	v.store(acc, param("gains"))
	leave()
}

// byteMasks reads the masks of 16 pixels at an address into two of 8.
func byteMasks(at Mem) (low, high reg.OpmaskVirtual) {
	low, high = K(), K()
	KMOVW(at, low)
	KSHIFTRW(Imm(8), low, high)
	return low, high
}

// blend loads off where mask, and on where also ink.
func blend(off, on Mem, mask, ink reg.OpmaskVirtual) reg.VecVirtual {
	v, both := ZMM(), K()
	KANDW(mask, ink, both)
	VMOVUPD_Z(off, mask, v)
	VMOVUPD(on, both, v)
	return v
}

func begin() {
	start("begin", "l, off, on *float64, x, known *uint64, quads int",
		"begin implements RowLoops.Begin.")
	l, off, on, x, known, quads := param("l"), param("off"), param("on"), param("x"), param("known"), param("quads")
	Label("quad")
	ink0, ink1 := byteMasks(Mem{Base: x})
	mask0, mask1 := byteMasks(Mem{Base: known})
	VMOVUPD(blend(Mem{Base: off}, Mem{Base: on}, mask0, ink0), Mem{Base: l})
	VMOVUPD(blend(Mem{Base: off, Disp: 64}, Mem{Base: on, Disp: 64}, mask1, ink1), Mem{Base: l, Disp: 64})
	nextQuad([]reg.Register{l, off, on}, []reg.Register{x, known}, quads)
	leave()
}

// nextQuad goes on by 16 numbers and 16 bits, while there are quads.
func nextQuad(numbers, masks []reg.Register, quads reg.Register) {
	for _, at := range numbers {
		ADDQ(U32(128), at)
	}
	for _, at := range masks {
		ADDQ(Imm(2), at)
	}
	again(quads, "quad")
}

func beginUnits() {
	start("beginUnits", "units, off, on *int32, x *uint64, quads int",
		"beginUnits implements RowLoops.BeginUnits.")
	units, off, on, x, quads := param("units"), param("off"), param("on"), param("x"), param("quads")
	Label("quad")
	ink, v := K(), ZMM()
	KMOVW(Mem{Base: x}, ink)
	VMOVDQU32(Mem{Base: off}, v)
	VMOVDQU32(Mem{Base: on}, ink, v)
	VMOVDQU32(v, Mem{Base: units})
	for _, at := range []reg.Register{units, off, on} {
		ADDQ(Imm(64), at)
	}
	nextQuad(nil, []reg.Register{x}, quads)
	leave()
}

func nearLanes() {
	declare("near", NOSPLIT, "func(gains *int32, slack, least int32, mask *uint64, n int) int32",
		"near implements RowLoops.Near for n times 16 lanes.")
	gains, mask, n := param("gains"), param("mask"), param("n")
	slack, bound := Load(Param("slack"), GP32()), Load(Param("least"), GP32())
	at, left, most := GP64(), GP64(), ZMM()
	MOVQ(gains, at)
	MOVQ(n, left)
	VMOVDQU32(Mem{Base: at}, most)
	Label("lanes")
	VPMAXSD(Mem{Base: at}, most, most)
	ADDQ(Imm(64), at)
	again(left, "lanes")
	largest, least := GP32(), GP32()
	maximum(most, largest)
	MOVL(largest, least)
	SUBL(slack, least)
	CMPL(least, bound)
	CMOVLLT(bound, least)
	v := ZMM()
	VPBROADCASTD(least, v)
	Label("compare")
	k := K()
	VPCMPD(Imm(2), Mem{Base: gains}, v, k) // least <= gain
	KMOVW(k, Mem{Base: mask})
	ADDQ(Imm(64), gains)
	ADDQ(Imm(2), mask)
	again(n, "compare")
	Store(largest, ReturnIndex(0))
	leave()
}

// transposer is the index vectors that turn 16 numbers into the first, second,
// third and fourth of each group.
type transposer struct{ odd, even reg.VecVirtual }

func newTransposer() transposer {
	t := transposer{ZMM(), ZMM()}
	VMOVDQU64(groups, t.odd)
	VMOVDQU64(groups.Offset(64), t.even)
	return t
}

var groups Mem

func groupsData() {
	groups = GLOBL("groups", RODATA|NOPTR)
	for i, v := range []uint64{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15} {
		DATA(8*i, U64(v))
	}
}

// add adds 16 numbers in a and b, which are lost, to the four sums.
func (t transposer) add(a, b, sums reg.VecVirtual) {
	first, third, half := ZMM(), ZMM(), YMM()
	VMOVDQA64(t.odd, first)
	VMOVDQA64(t.even, third)
	VPERMI2PD(b, a, first)
	VPERMI2PD(b, a, third)
	part := YMM()
	VEXTRACTF64X4(Imm(1), first, half)
	VADDPD(half, first.AsY(), part)
	VADDPD(third.AsY(), part, part)
	VEXTRACTF64X4(Imm(1), third, half)
	VADDPD(half, part, part)
	VADDPD(part, sums, sums)
}

// finish returns the sum of the four sums, in pairs.
func finish(sums reg.VecVirtual) {
	Store(sumOf(sums).AsX(), ReturnIndex(0))
	leave()
}

// voteGain writes Gain, with settled Settle.
func voteGain(settled bool) {
	name := map[bool]string{false: "voteGain", true: "settle"}[settled]
	declare(name, NOSPLIT, "func(l, off, on *float64, up, x *uint64, quads int) float64",
		fmt.Sprintf("%s implements RowLoops.%s.", name, map[bool]string{false: "Gain", true: "Settle"}[settled]))
	l, off, on, up, x, quads := param("l"), param("off"), param("on"), param("up"), param("x"), param("quads")
	t, sums := newTransposer(), YMM()
	VXORPD(sums, sums, sums)
	Label("quad")
	some := GP64()
	MOVWQZX(Mem{Base: up}, some)
	TESTQ(some, some)
	JZ(LabelRef("next"))
	mask0, mask1 := byteMasks(Mem{Base: up})
	ink0, ink1 := byteMasks(Mem{Base: x})
	var change [2]reg.VecVirtual
	for i, masks := range [2][2]reg.OpmaskVirtual{{mask0, ink0}, {mask1, ink1}} {
		at := Mem{Base: l, Disp: 64 * i}
		after := blend(Mem{Base: off, Disp: 64 * i}, Mem{Base: on, Disp: 64 * i}, masks[0], masks[1])
		change[i] = ZMM()
		VSUBPD_Z(at, after, masks[0], change[i])
		if settled {
			VMOVUPD(after, masks[0], at)
		}
	}
	t.add(change[0], change[1], sums)
	Label("next")
	nextQuad([]reg.Register{l, off, on}, []reg.Register{up, x}, quads)
	finish(sums)
}

// exchange writes Exchange for multiples of the lanes of a vector.
func exchange(v *vector) {
	name := v.name("exchange", 0)
	start(name, "gains, above0, below0, above1, below1 *int32, l0, l1 int32, n int",
		fmt.Sprintf("%s implements RowLoops.Exchange for n times %d lanes.", name, v.lanes))
	gains, n := param("gains"), param("n")
	zero, at := v.new(), GP64()
	v.xor(zero, zero, zero)
	XORQ(at, at)
	var above, below, l [2]reg.Register
	for i := range 2 {
		above[i], below[i] = param(fmt.Sprintf("above%d", i)), param(fmt.Sprintf("below%d", i))
		l[i] = v.broadcast(Load(Param(fmt.Sprintf("l%d", i)), GP32()))
	}
	Label("lanes")
	acc := v.new()
	v.move(Mem{Base: gains, Index: at, Scale: 1}, acc)
	for i, join := range []func(a, b, c Op){
		func(a, b, c Op) { VPSUBD(a, b, c) }, func(a, b, c Op) { VPADDD(a, b, c) }} {
		up, down := v.new(), v.new()
		v.move(Mem{Base: above[i], Index: at, Scale: 1}, up)
		VPSUBD(l[i], up, up)
		VPMAXSD(zero, up, up)
		join(up, acc, acc)
		v.move(Mem{Base: below[i], Index: at, Scale: 1}, down)
		VPSUBD(l[i], down, down)
		VPMINSD(zero, down, down)
		join(down, acc, acc)
	}
	v.move(acc, Mem{Base: gains, Index: at, Scale: 1})
	ADDQ(Imm(uint64(4*v.lanes)), at)
	again(n, "lanes")
	leave()
}

func greater() {
	start("greater", "mask *uint64, a, b *float64, quads int",
		"greater implements RowLoops.Greater.")
	mask, a, b, quads := param("mask"), param("a"), param("b"), param("quads")
	Label("quad")
	for i := range 2 {
		v, k := ZMM(), K()
		VMOVUPD(Mem{Base: a, Disp: 64 * i}, v)
		VCMPPD(Imm(30), Mem{Base: b, Disp: 64 * i}, v, k) // a > b
		KMOVB(k, Mem{Base: mask, Disp: i})
	}
	nextQuad([]reg.Register{a, b}, []reg.Register{mask}, quads)
	leave()
}

func count() {
	start("count", "seen, on *uint64, mask, x *uint64, weight uint64, words int",
		"count implements RowLoops.Count.")
	seen, on, mask, x, words := param("seen"), param("on"), param("mask"), param("x"), param("words")
	weight := ZMM()
	VPBROADCASTB(param("weight").(reg.GPVirtual).As32(), weight)
	Label("word")
	m, o := GP64(), GP64()
	MOVQ(Mem{Base: mask}, m)
	TESTQ(m, m)
	JZ(LabelRef("next"))
	MOVQ(Mem{Base: x}, o)
	ANDQ(m, o)
	k, kon, a, b := K(), K(), ZMM(), ZMM()
	KMOVQ(m, k)
	KMOVQ(o, kon)
	VMOVDQU8(Mem{Base: seen}, a)
	VPADDB(weight, a, k, a)
	VMOVDQU8(a, Mem{Base: seen})
	VMOVDQU8(Mem{Base: on}, b)
	VPADDB(weight, b, kon, b)
	VMOVDQU8(b, Mem{Base: on})
	Label("next")
	ADDQ(Imm(64), seen)
	ADDQ(Imm(64), on)
	ADDQ(Imm(8), mask)
	ADDQ(Imm(8), x)
	again(words, "word")
	leave()
}

func sum() {
	declare("sum", NOSPLIT, "func(terms *float64, quads int) float64",
		"sum implements RowLoops.Sum of 16*quads terms.")
	terms, quads := param("terms"), param("quads")
	t, sums := newTransposer(), YMM()
	VXORPD(sums, sums, sums)
	Label("quad")
	a, b := ZMM(), ZMM()
	VMOVUPD(Mem{Base: terms}, a)
	VMOVUPD(Mem{Base: terms, Disp: 64}, b)
	t.add(a, b, sums)
	nextQuad([]reg.Register{terms}, nil, quads)
	finish(sums)
}

func voters() {
	start("voters", "mask, known, order *uint64, picks *int32, n, words int",
		"voters implements RowLoops.Voters.")
	mask, known, order, picks, n, words := param("mask"), param("known"), param("order"), param("picks"), param("n"),
		param("words")
	row := GP64()
	MOVQ(words, row)
	SHLQ(Imm(3), row)
	Label("eight")
	k, left, some := K(), GP64(), GP64()
	MOVQ(U64(255), left)
	CMPQ(words, Imm(8))
	JGE(LabelRef("all"))
	MOVQ(words, some)
	MOVQ(U64(1), left)
	SHLXQ(some, left, left)
	DECQ(left)
	Label("all")
	KMOVB(left.As32(), k)
	acc := ZMM()
	VMOVDQU64_Z(Mem{Base: known}, k, acc)
	VPANDQ_Z(Mem{Base: order}, acc, k, acc)
	at, i := GP64(), GP64()
	XORQ(i, i)
	Label("pick")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	MOVLQSX(Mem{Base: picks, Index: i, Scale: 4}, at)
	INCQ(at)
	IMULQ(row, at)
	VPANDQ_Z(Mem{Base: order, Index: at, Scale: 1}, acc, k, acc)
	INCQ(i)
	JMP(LabelRef("pick"))
	Label("done")
	VMOVDQU64(acc, k, Mem{Base: mask})
	ADDQ(Imm(64), mask)
	ADDQ(Imm(64), known)
	ADDQ(Imm(64), order)
	SUBQ(Imm(8), words)
	JG(LabelRef("eight"))
	leave()
}

// maximum returns the largest of 16 numbers.
func maximum(most reg.VecVirtual, largest reg.Register) {
	half, quarter, other := YMM(), XMM(), XMM()
	VEXTRACTI64X4(Imm(1), most, half)
	VPMAXSD(half, most.AsY(), half)
	VEXTRACTI32X4(Imm(1), half, quarter)
	VPMAXSD(quarter, half.AsX(), quarter)
	VPSHUFD(Imm(0x4e), quarter, other)
	VPMAXSD(other, quarter, quarter)
	VPSHUFD(Imm(0xb1), quarter, other)
	VPMAXSD(other, quarter, quarter)
	VMOVD(quarter, largest)
}
