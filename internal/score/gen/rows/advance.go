package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const mostPicks = 16 // kernel.MostPicks

// advance writes Advance for 16*width lanes, which stay in registers for a row.
func advance(width int) {
	shift := map[int]uint64{1: 6, 2: 7, 4: 8}[width] // of a row's bytes
	name := fmt.Sprintf("advance%d", 16*width)
	start(name, "groups *int, fours int, table *int16, votes *uint64, signed *int32, x *uint64, list *int32, n int, gains *int32, "+
		"picked *uint64, picks *uint8, next, counts *int32, scratch *uint64, changes, always, raises *int32, lane, step, width, stride, slack, low, high, end int",
		fmt.Sprintf("%s implements RowLoops.Advance for %d lanes.", name, 16*width))
	number, cursor, left := AllocLocal(8), AllocLocal(8), AllocLocal(8)
	rewind := func() {
		list, n := GP64(), GP64()
		MOVQ(fixed("list"), list)
		MOVQ(list, cursor)
		MOVQ(fixed("n"), n)
		MOVQ(n, left)
	}
	begin := func() (n, gains reg.Register) {
		n, gains = GP64(), GP64()
		MOVQ(cursor, n)
		MOVLQSX(Mem{Base: n}, n)
		MOVQ(n, number)
		MOVQ(n, gains)
		SHLQ(Imm(shift), gains)
		ADDQ(fixed("gains"), gains)
		return n, gains
	}
	again := func(label string) {
		ADDQ(Imm(4), cursor)
		DECQ(left)
		JNZ(LabelRef(label))
	}
	rewind()
	Label("row")
	n, gains := begin()
	x := GP64()
	MOVQ(n, x)
	IMULQ(fixed("width"), x)
	SHLQ(Imm(3), x)
	ADDQ(fixed("x"), x)
	acc := loadLanes(gains, width)
	addGroups(acc, x, shift)
	addChanges(acc, width)
	lane, at := GP64(), GP64()
	MOVQ(number, n)
	MOVQ(fixed("lane"), lane)
	TESTQ(lane, lane)
	JGE(LabelRef("hold"))
	MOVQ(fixed("picked"), at)
	MOVQ(I32(0), Mem{Base: at, Index: n, Scale: 8})
	JMP(LabelRef("held"))
	Label("hold")
	hold(acc, x, number, shift)
	Label("held")
	exclude(acc, number)
	MOVQ(number, gains)
	SHLQ(Imm(shift), gains)
	ADDQ(fixed("gains"), gains)
	storeLanes(acc, gains)
	again("row")
	// Nothing has to be guessed in a loop of its own, so that rows overlap.
	rewind()
	Label("choose")
	_, gains = begin()
	choose(loadLanes(gains, width), number, width)
	again("choose")
	VZEROUPPER()
	RET()
}

// addGroups adds to the gains what the table has for each group.
func addGroups(acc []reg.VecVirtual, x reg.Register, shift uint64) {
	group, table, left := GP64(), GP64(), GP64()
	MOVQ(fixed("groups"), group)
	MOVQ(fixed("table"), table)
	MOVQ(fixed("fours"), left)
	TESTQ(left, left)
	JZ(LabelRef("added"))
	Label("group")
	p := GP64()
	MOVQ(Mem{Base: group}, p)
	MOVQ(Mem{Base: x, Index: p, Scale: 8}, p)
	PEXTQ(Mem{Base: group, Disp: 8}, p, p)
	SHLQ(Imm(shift-1), p)
	for v := range acc {
		t := ZMM()
		VPMOVSXWD(Mem{Base: table, Index: p, Scale: 1, Disp: 32 * v}, t)
		VPADDD(t, acc[v], acc[v])
	}
	ADDQ(U32(16<<(shift-1)), table)
	ADDQ(Imm(16), group)
	DECQ(left)
	JNZ(LabelRef("group"))
	Label("added")
}

// addChanges adds the changes of the row.
func addChanges(acc []reg.VecVirtual, width int) {
	at, always, sign := GP64(), GP64(), GP64()
	MOVQ(fixed("changes"), at)
	TESTQ(at, at)
	JZ(LabelRef("changed"))
	MOVQ(fixed("always"), always)
	MOVQ(fixed("lane"), sign)
	SARQ(Imm(63), sign)
	NOTQ(sign) // all bits if an expert
	turn := ZMM()
	VPBROADCASTD(sign.As32(), turn)
	for v := range acc {
		sum, t := ZMM(), ZMM()
		VMOVDQU32(Mem{Base: at, Disp: 64 * v}, sum)
		for p := 1; p < 3; p++ {
			VMOVDQU32(Mem{Base: at, Disp: 64 * (width*p + v)}, t)
			VPSLLD(Imm(uint64(8*p)), t, t)
			VPADDD(t, sum, sum)
		}
		VPXORD(turn, sum, sum)
		VPSUBD(turn, sum, sum)
		VPADDD(Mem{Base: always, Disp: 64 * v}, sum, sum)
		VPADDD(sum, acc[v], acc[v])
	}
	ADDQ(U32(uint32(3*64*width)), at)
	MOVQ(at, fixed("changes"))
	Label("changed")
}

// spreadBytes writes Spread.
func spreadBytes() {
	start("spreadBytes", "a *uint8, stride int, groups *int, count int, x *uint64, width int, list *int32, n int",
		"spreadBytes implements RowLoops.Spread.")
	a, list, width, left, ones := param("a"), param("list"), param("width"), param("n"), GP64()
	MOVQ(U64(0x0101010101010101), ones)
	Label("row")
	x, group, to, some := GP64(), GP64(), GP64(), GP64()
	MOVLQSX(Mem{Base: list}, x)
	IMULQ(width, x)
	SHLQ(Imm(3), x)
	ADDQ(fixed("x"), x)
	MOVQ(fixed("groups"), group)
	MOVQ(fixed("count"), some)
	MOVQ(a, to)
	Label("group")
	bits := GP64()
	MOVQ(Mem{Base: group}, bits)
	MOVQ(Mem{Base: x, Index: bits, Scale: 8}, bits)
	PEXTQ(Mem{Base: group, Disp: 8}, bits, bits)
	PDEPQ(ones, bits, bits)
	MOVQ(bits, Mem{Base: to})
	count := GP64()
	POPCNTQ(Mem{Base: group, Disp: 8}, count)
	ADDQ(Imm(16), group)
	ADDQ(count, to)
	DECQ(some)
	JNZ(LabelRef("group"))
	ADDQ(fixed("stride"), a)
	ADDQ(Imm(4), list)
	DECQ(left)
	JNZ(LabelRef("row"))
	RET()
}

// hold makes the expert a pick of the row.
func hold(acc []reg.VecVirtual, x reg.Register, number Mem, shift uint64) {
	n, c, at := GP64(), GP64(), GP64()
	MOVQ(number, n)
	MOVQ(fixed("lane"), c)
	MOVQ(fixed("picked"), at)
	bits := GP64()
	MOVQ(Mem{Base: at, Index: n, Scale: 8}, bits)
	BTSQ(c, bits)
	MOVQ(bits, Mem{Base: at, Index: n, Scale: 8})
	MOVQ(fixed("picks"), at)
	SHLQ(Imm(4), n) // mostPicks
	ADDQ(n, at)
	ADDQ(fixed("step"), at)
	MOVB(c.As8(), Mem{Base: at})
	CMPQ(fixed("step"), Imm(0))
	JEQ(LabelRef("held"))
	meet(at)

	// The words in which picks meet, and where the rows of their pixels begin, go to two lists,
	// so that nothing has to be guessed when they are gone through.
	word, left, over, base, on, off := GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(fixed("scratch"), over)
	MOVQ(fixed("width"), left)
	LEAQ(Mem{Base: over, Index: left, Scale: 8, Disp: 64}, on)
	MOVQ(left, off)
	SHLQ(Imm(4), off)
	LEAQ(Mem{Base: off, Index: on, Scale: 1, Disp: 32}, off)
	MOVQ(x, word)
	MOVQ(fixed("signed"), base)
	Label("word")
	for i, list := range []reg.GPVirtual{off, on} {
		m, some := GP64(), GP64()
		MOVQ(Mem{Base: word}, m)
		if i == 0 {
			ANDNQ(Mem{Base: over}, m, m)
		} else {
			ANDQ(Mem{Base: over}, m)
		}
		MOVQ(m, Mem{Base: list})
		MOVQ(base, Mem{Base: list, Disp: 8})
		XORQ(some, some)
		TESTQ(m, m)
		SETNE(some.As8())
		SHLQ(Imm(4), some)
		ADDQ(some, list)
		ADDQ(U32(1<<shift), base)
	}
	ADDQ(U32(126<<shift), base)
	ADDQ(Imm(8), word)
	ADDQ(Imm(8), over)
	DECQ(left)
	JNZ(LabelRef("word"))
	zero := GP64()
	XORQ(zero, zero)
	MOVQ(zero, Mem{Base: on}) // the ends
	MOVQ(zero, Mem{Base: off})
	giveBack("off", acc, number, shift)
	giveBack("on", acc, number, shift)
}

// meet writes to scratch where the votes of the pick at an address meet those of picks before.
func meet(at reg.Register) {
	votes, to, row, left := GP64(), GP64(), GP64(), GP64()
	MOVQ(fixed("votes"), votes)
	MOVQ(fixed("scratch"), to)
	MOVQ(fixed("width"), left)
	MOVQ(left, row)
	SHLQ(Imm(3), row)
	Label("eight")
	k, all, some := K(), GP64(), GP64()
	MOVQ(U64(255), all)
	CMPQ(left, Imm(8))
	JGE(LabelRef("all"))
	MOVQ(left, some)
	MOVQ(U64(1), all)
	SHLXQ(some, all, all)
	DECQ(all)
	Label("all")
	KMOVB(all.As32(), k)
	held, i, c := ZMM(), GP64(), GP64()
	VPXORQ(held, held, held)
	MOVQ(fixed("step"), i)
	NEGQ(i)
	Label("earlier")
	MOVBQZX(Mem{Base: at, Index: i, Scale: 1}, c)
	IMULQ(row, c)
	VPORQ(Mem{Base: votes, Index: c, Scale: 1}, held, k, held)
	INCQ(i)
	JNZ(LabelRef("earlier"))
	MOVBQZX(Mem{Base: at}, c)
	IMULQ(row, c)
	VPANDQ_Z(Mem{Base: votes, Index: c, Scale: 1}, held, k, held)
	VMOVDQU64(held, Mem{Base: to}) // whole, so that its words can be read at once
	ADDQ(Imm(64), votes)
	ADDQ(Imm(64), to)
	SUBQ(Imm(8), left)
	JG(LabelRef("eight"))
}

// giveBack goes through the pixels of the list of those that are on, or off.
func giveBack(name string, acc []reg.VecVirtual, number Mem, shift uint64) {
	met, m, picks, row, lane := GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(fixed("scratch"), met)
	MOVQ(fixed("width"), m)
	LEAQ(Mem{Base: met, Index: m, Scale: 8, Disp: 64}, met)
	if name == "off" {
		SHLQ(Imm(4), m)
		LEAQ(Mem{Base: m, Index: met, Scale: 1, Disp: 32}, met)
	}
	MOVQ(Mem{Base: met}, m)
	TESTQ(m, m)
	JZ(LabelRef(name + "done"))
	MOVQ(number, picks)
	SHLQ(Imm(4), picks)
	ADDQ(fixed("picks"), picks)
	ADDQ(fixed("step"), picks)
	MOVQ(fixed("lane"), lane)
	Label(name + "pixel")
	TZCNTQ(m, row)
	SHLQ(Imm(shift+1), row)
	ADDQ(Mem{Base: met, Disp: 8}, row)
	most, way, at, i := GP32(), GP32(), GP64(), GP64()
	XORL(most, most)
	MOVQ(fixed("step"), i)
	NEGQ(i)
	Label(name + "before")
	MOVBQZX(Mem{Base: picks, Index: i, Scale: 1}, at)
	MOVL(Mem{Base: row, Index: at, Scale: 4}, way)
	CMPL(way, most)
	if name == "on" {
		CMOVLGT(way, most)
	} else {
		CMOVLLT(way, most)
	}
	INCQ(i)
	JNZ(LabelRef(name + "before"))
	MOVL(Mem{Base: row, Index: lane, Scale: 4}, way)
	CMPL(way, most)
	if name == "on" {
		CMOVLLT(way, most)
	} else {
		CMOVLGT(way, most)
	}
	bound := ZMM()
	VPBROADCASTD(most, bound)
	for v := range acc {
		t, from := ZMM(), Mem{Base: row, Disp: 64 * v}
		if name == "on" {
			VPMINSD(from, bound, t)
		} else {
			VPMAXSD(from, bound, t)
		}
		VPADDD(t, acc[v], acc[v])
	}
	next, some := GP64(), GP64()
	MOVQ(Mem{Base: met, Disp: 16}, next)
	XORQ(some, some)
	BLSRQ(m, m)
	CMOVQEQ(next, m)
	SETEQ(some.As8())
	SHLQ(Imm(4), some)
	ADDQ(some, met)
	TESTQ(m, m)
	JNZ(LabelRef(name + "pixel"))
	Label(name + "done")
}

// exclude lowers the gains of the picks of the row.
func exclude(acc []reg.VecVirtual, number Mem) {
	n, at, excluded := GP64(), GP64(), ZMM()
	MOVQ(number, n)
	MOVQ(fixed("picked"), at)
	value := GP32()
	MOVL(U32(0xc0000000), value) // Excluded
	VPBROADCASTD(value, excluded)
	for v := range acc {
		k := K()
		KMOVW(Mem{Base: at, Index: n, Scale: 8, Disp: 2 * v}, k)
		VMOVDQA32(excluded, k, acc[v])
	}
}

// choose sends the row to the list of its next pick.
func choose(acc []reg.VecVirtual, number Mem, width int) {
	n := GP64()
	MOVQ(number, n)
	most := ZMM()
	VMOVDQA32(acc[0], most)
	for _, a := range acc[1:] {
		VPMAXSD(a, most, most)
	}
	largest, bound := GP32(), GP64()
	maximum(most, largest)
	MOVL(largest, bound.As32())
	SUBQ(fixed("slack"), bound)
	least := ZMM()
	VPBROADCASTD(bound.As32(), least)
	near, part := GP64(), GP64()
	for v := len(acc) - 1; v >= 0; v-- {
		k := K()
		VPCMPD(Imm(2), acc[v], least, k)
		if v == len(acc)-1 {
			KMOVW(k, near.As32())
		} else {
			KMOVW(k, part.As32())
			SHLQ(Imm(16), near)
			ORQ(part, near)
		}
	}
	c, ended, unsure := GP64(), GP64(), GP64()
	MOVQ(U64(uint64(16*width)), ended)
	LEAQ(Mem{Base: ended, Disp: 1}, unsure)
	TZCNTQ(near, c)
	BLSRQ(near, near)
	CMOVQNE(unsure, c)
	MOVQ(fixed("high"), bound)
	CMPL(largest, bound.As32())
	CMOVQLE(unsure, c)
	MOVQ(fixed("low"), bound)
	CMPL(largest, bound.As32())
	CMOVQLE(ended, c)
	ends(acc, c, ended, n, width)
	counts, next, end := GP64(), GP64(), GP64()
	MOVQ(fixed("counts"), counts)
	MOVLQSX(Mem{Base: counts, Index: c, Scale: 4}, end)
	INCL(Mem{Base: counts, Index: c, Scale: 4})
	IMULQ(fixed("stride"), c)
	ADDQ(c, end)
	MOVQ(fixed("next"), next)
	MOVL(n.As32(), Mem{Base: next, Index: end, Scale: 4})
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

// ends sends the row to another list if its next pick is its last. Where it has none, nothing changes.
func ends(acc []reg.VecVirtual, c, ended, n reg.GPVirtual, width int) {
	raise, bits, most, zero := GP64(), GP64(), ZMM(), GP64()
	XORQ(zero, zero)
	MOVQ(c, raise)
	CMPQ(c, ended)
	CMOVQGE(zero, raise)
	XORQ(bits, bits)
	BTSQ(raise, bits)
	SHLQ(Imm(map[int]uint64{1: 6, 2: 7, 4: 8}[width]), raise)
	ADDQ(fixed("raises"), raise)
	value, excluded := GP32(), ZMM()
	MOVL(U32(0xc0000000), value)
	VPBROADCASTD(value, excluded)
	for v := range acc {
		k, sum := K(), ZMM()
		VPADDD(Mem{Base: raise, Disp: 64 * v}, acc[v], sum)
		KMOVW(bits.As32(), k)
		VMOVDQA32(excluded, k, sum)
		if v == 0 {
			VMOVDQA32(sum, most)
		} else {
			VPMAXSD(sum, most, most)
		}
		if v < width-1 {
			SHRQ(Imm(16), bits)
		}
	}
	largest, bound, pick, spare, last := GP32(), GP64(), GP64(), GP64(), GP64()
	maximum(most, largest)
	MOVQ(n, pick)
	SHLQ(Imm(4), pick) // mostPicks
	ADDQ(fixed("picks"), pick)
	ADDQ(fixed("step"), pick)
	INCQ(pick)
	MOVQ(fixed("scratch"), spare)
	CMPQ(c, ended)
	CMOVQGE(spare, pick)
	MOVB(c.As8(), Mem{Base: pick}) // written even if it is the last
	LEAQ(Mem{Base: ended, Disp: 2}, last)
	MOVQ(fixed("end"), bound)
	CMPL(largest, bound.As32())
	CMOVQGT(c, last)
	CMPQ(c, ended)
	CMOVQLT(last, c)
}
