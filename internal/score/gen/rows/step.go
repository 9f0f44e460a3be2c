package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stepSignature has need and tie in nats, row in bytes, n rows in the list.
const stepSignature = "table, costs *float64, need, tie float64, x *uint64, row int, list *int32, n, groups int, picks *int8, gains " +
	"*float64, lists, counts *int32"

// block is kernel.Block, in bits.
const block = 12

// groupsOf goes through the groups of four pixels of row n of x. For each, in
// turn for sums 0 to 3, it calls add with where the group's entries begin in
// table and how far behind the one for the values of its pixels is; an entry has
// 1<<shift bytes, the entries of a group have bytes.
func groupsOf(n, x, table reg.Register, groups Op, label string, shift, bytes int, add func(sum int, entry Mem)) {
	at, tab, left, b, p := GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(n, at)
	IMULQ(fixed("row"), at)
	ADDQ(x, at)
	MOVQ(table, tab)
	MOVQ(groups, left)
	next := func(sum int) {
		MOVQ(b, p)
		ANDQ(U32(15<<shift), p)
		SHRQ(Imm(4), b)
		add(sum, Mem{Base: tab, Index: p, Scale: 1, Disp: bytes * sum})
	}
	read := func() {
		MOVWQZX(Mem{Base: at}, b)
		SHLQ(U8(shift), b)
	}
	SUBQ(Imm(4), left)
	JL(LabelRef(label + "rest"))
	Label(label + "quad")
	read()
	for sum := range 4 {
		next(sum)
	}
	ADDQ(U32(4*bytes), tab)
	ADDQ(Imm(2), at)
	SUBQ(Imm(4), left)
	JGE(LabelRef(label + "quad"))
	Label(label + "rest")
	ADDQ(Imm(4), left)
	JZ(LabelRef(label + "done"))
	read()
	for sum := range 3 {
		next(sum)
		DECQ(left)
		JZ(LabelRef(label + "done"))
	}
	Label(label + "done")
}

// sendFound writes down what up to eight rows before list prefer, and appends
// them to lists. Numbers of lanes, and their totals, are in memory.
func sendFound(list, rows reg.Register, found Mem, width int) {
	i, n, c, to, at, out, value := GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), XMM()
	MOVQ(rows, i)
	NEGQ(i)
	LEAQ(found, at)
	LEAQ(Mem{Base: at, Index: rows, Scale: 8}, at)
	Label("send")
	MOVLQSX(Mem{Base: list, Index: i, Scale: 4}, n)
	MOVQ(Mem{Base: at, Index: i, Scale: 8}, c)
	VMOVSD(Mem{Base: at, Index: i, Scale: 8, Disp: 64}, value)
	MOVQ(U64(8*width), to)
	VUCOMISD(fixed("need"), value)
	CMOVQHI(c, to)
	MOVQ(fixed("costs"), out)
	VADDSD(Mem{Base: out, Index: c, Scale: 8}, value, value)
	MOVQ(fixed("picks"), out)
	MOVB(c.As8(), Mem{Base: out, Index: n, Scale: 8})
	MOVQ(n, c)
	SHLQ(Imm(3), c)
	MOVQ(fixed("gains"), out)
	VMOVSD(value, Mem{Base: out, Index: c, Scale: 8})
	MOVQ(fixed("counts"), out)
	MOVLQSX(Mem{Base: out, Index: to, Scale: 4}, c)
	INCL(Mem{Base: out, Index: to, Scale: 4})
	SHLQ(Imm(block), to)
	ADDQ(to, c)
	MOVQ(fixed("lists"), out)
	MOVL(n.As32(), Mem{Base: out, Index: c, Scale: 4})
	INCQ(i)
	JNZ(LabelRef("send"))
}

func stepAVX2(width int) {
	name := fmt.Sprintf("step%dAVX2", 8*width)
	start(name, stepSignature, fmt.Sprintf("%s implements RowLoops.Step for %d lanes.", name, 8*width))
	table, x, list, left := param("table"), param("x"), param("list"), param("n")
	// What rows prefer is written down for eight together: reading tables does not
	// go well with writing here and there.
	totals, found, rows := Mem{Base: aligned(64 * width)}, AllocLocal(128), GP64()
	Label("some")
	XORQ(rows, rows)
	Label("row")
	n, most := GP64(), YMM()
	MOVLQSX(Mem{Base: list}, n)
	for v := range width {
		stepLanes(v, width, n, x, table, totals, most)
	}
	half, other := XMM(), XMM()
	VEXTRACTF128(Imm(1), most, half)
	VMAXPD(half, most.AsX(), half)
	VPERMILPD(Imm(1), half, other)
	VMAXSD(other, half, half)
	VSUBSD(fixed("tie"), half, half)
	least, near, c := YMM(), GP64(), GP64()
	VBROADCASTSD(half, least)
	XORQ(near, near)
	for v := 2*width - 1; v >= 0; v-- {
		t, bits := YMM(), GP32()
		VMOVUPD(totals.Offset(32*v), t)
		VCMPPD(Imm(13), least, t, t)
		VMOVMSKPD(t, bits)
		SHLQ(Imm(4), near)
		ORQ(bits.As64(), near)
	}
	TZCNTQ(near, c)
	value := XMM()
	VMOVSD(totals.Idx(c, 8), value)
	MOVQ(c, found.Idx(rows, 8))
	VMOVSD(value, found.Offset(64).Idx(rows, 8))
	INCQ(rows)
	ADDQ(Imm(4), list)
	DECQ(left)
	JZ(LabelRef("found"))
	CMPQ(rows, Imm(8))
	JLT(LabelRef("row"))
	Label("found")
	sendFound(list, rows, found, width)
	CMPQ(left, Imm(0))
	JG(LabelRef("some"))
	leave()
}

// stepLanes adds up eight lanes and keeps the largest numbers in most.
func stepLanes(v, width int, n, x, table reg.Register, totals Mem, most reg.VecVirtual) {
	var acc [4][2]reg.VecVirtual
	for s := range acc {
		for h := range acc[s] {
			acc[s][h] = YMM()
			VXORPD(acc[s][h], acc[s][h], acc[s][h])
		}
	}
	groupsOf(n, x, table, fixed("groups"), fmt.Sprintf("lanes%d", v), 6, 1024*width, func(s int, entry Mem) {
		for h := range acc[s] {
			VADDPD(entry.Offset(1024*v+32*h), acc[s][h], acc[s][h])
		}
	})
	costs := param("costs")
	for h := range 2 {
		VADDPD(acc[1][h], acc[0][h], acc[0][h])
		VADDPD(acc[3][h], acc[2][h], acc[2][h])
		VADDPD(acc[2][h], acc[0][h], acc[0][h])
		VSUBPD(Mem{Base: costs, Disp: 64*v + 32*h}, acc[0][h], acc[0][h])
		VMOVUPD(acc[0][h], totals.Offset(64*v+32*h))
		if v == 0 && h == 0 {
			VMOVAPD(acc[0][h], most)
		} else {
			VMAXPD(acc[0][h], most, most)
		}
	}
}

// rowSumsAVX2 writes Sums, a table of one lane. AVX2 has all it needs.
func rowSumsAVX2() {
	start("rowSumsAVX2", "table *float64, x *uint64, row int, list *int32, n, groups int, out *float64",
		"rowSumsAVX2 implements RowLoops.Sums.")
	table, x, list, left, groups, out := param("table"), param("x"), param("list"), param("n"), param("groups"),
		param("out")
	next := GP64() // of all rows, where there is no list
	XORQ(next, next)
	Label("row")
	n, acc := GP64(), [4]reg.VecVirtual{}
	MOVQ(next, n)
	INCQ(next)
	TESTQ(list, list)
	JZ(LabelRef("all"))
	MOVLQSX(Mem{Base: list}, n)
	ADDQ(Imm(4), list)
	Label("all")
	for s := range acc {
		acc[s] = XMM()
		VXORPD(acc[s], acc[s], acc[s])
	}
	groupsOf(n, x, table, groups, "", 3, 128, func(s int, entry Mem) { VADDSD(entry, acc[s], acc[s]) })
	VADDSD(acc[1], acc[0], acc[0])
	VADDSD(acc[3], acc[2], acc[2])
	VADDSD(acc[2], acc[0], acc[0])
	VMOVSD(acc[0], Mem{Base: out, Index: n, Scale: 8})
	again(left, "row")
	leave()
}
