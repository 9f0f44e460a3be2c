package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Eight rows at a time, a lane each: a table for four pixels has 16 numbers,
// which are two vectors, and one instruction looks up the numbers for eight rows.

const (
	mostWords = 4  // of a row
	mostLanes = 32 // experts
)

// words loads the words of up to eight rows of the list, or without one of those that follow, into memory, a vector
// each.
func words(list, left, memory reg.Register) {
	bits, k, n := below(upTo(8, left)), K(), ZMM()
	KMOVB(bits.As32(), k)
	if list == nil {
		CMPQ(fixed("words"), Imm(1))
		JNE(LabelRef("apart"))
		x, one := param("x"), ZMM()
		VMOVDQU64_Z(Mem{Base: x}, k, one)
		VMOVDQU64(one, Mem{Base: memory})
		JMP(LabelRef("loaded"))
		Label("apart")
		VPMOVZXDQ(NewDataAddr(NewStaticSymbol("sixteens"), 0), n)
	} else {
		VPMOVSXDQ_Z(Mem{Base: list}, k, n)
	}
	at, words := ZMM(), ZMM()
	VPBROADCASTQ(fixed("words"), words)
	VPMULUDQ(words, n, at)
	base, to, count := GP64(), GP64(), GP64()
	MOVQ(fixed("x"), base)
	MOVQ(memory, to)
	MOVQ(fixed("words"), count)
	Label("word")
	word, kk := ZMM(), K()
	VPXORQ(word, word, word)
	KMOVB(k, kk)
	VPGATHERQQ(Mem{Base: base, Index: at, Scale: 8}, kk, word)
	VMOVDQU64(word, Mem{Base: to})
	ADDQ(Imm(8), base)
	ADDQ(Imm(64), to)
	again(count, "word")
	if list == nil {
		Label("loaded")
	}
}

// quarter adds up what a table has for every fourth group, from the given one on. The groups of the table follow
// one another, or, where there are places, each begins at one, counted in numbers.
func quarter(first int, label string, table, places, memory reg.Register, sum reg.VecVirtual) {
	clear([]reg.VecVirtual{sum})
	at, left, from, met := GP64(), GP64(), GP64(), GP64()
	if places == nil {
		LEAQ(Mem{Base: table, Disp: 128 * first}, at)
	} else {
		LEAQ(Mem{Base: places, Disp: 4 * first}, at)
	}
	MOVQ(fixed("groups"), left)
	MOVQ(memory, from)
	XORQ(met, met)
	values, t := ZMM(), ZMM()
	SUBQ(Imm(uint64(first)), left)
	JLE(LabelRef(label + "done"))
	Label(label + "word")
	VMOVDQU64(Mem{Base: from}, values)
	if first > 0 {
		VPSRLQ(Imm(uint64(4*first)), values, values)
	}
	ADDQ(Imm(64), from)
	Label(label + "group")
	group, next := Mem{Base: at}, uint64(4*128)
	if places != nil {
		place := GP64()
		MOVLQSX(Mem{Base: at}, place)
		group, next = Mem{Base: table, Index: place, Scale: 8}, 4*4
	}
	VMOVUPD(group, t)
	VPERMT2PD(group.Offset(64), values, t)
	VADDPD(t, sum, sum)
	SUBQ(Imm(4), left)
	JLE(LabelRef(label + "done"))
	ADDQ(U32(next), at)
	INCQ(met)
	TESTQ(U32(3), met)
	JZ(LabelRef(label + "word"))
	VPSRLQ(Imm(16), values, values)
	JMP(LabelRef(label + "group"))
	Label(label + "done")
}

// inOrder adds up what a table has for all groups, in the order of score.Total.
func inOrder(table, places, memory reg.Register) reg.VecVirtual {
	s0, s1, s2 := ZMM(), ZMM(), ZMM()
	quarter(0, "first", table, places, memory, s0)
	quarter(1, "second", table, places, memory, s1)
	VADDPD(s1, s0, s0)
	quarter(2, "third", table, places, memory, s1)
	quarter(3, "fourth", table, places, memory, s2)
	VADDPD(s2, s1, s1)
	VADDPD(s1, s0, s0)
	return s0
}

func nextEight(left reg.Register) {
	SUBQ(Imm(8), left)
	JG(LabelRef("rows"))
	leave()
}

// rowSumsAcross writes Sums.
func rowSumsAcross() {
	declare("rowSumsAcross", 0, "func(table *float64, x *uint64, words int, list *int32, n, groups int, out *float64)",
		"rowSumsAcross implements RowLoops.Sums.")
	list, left, out := param("list"), param("n"), param("out")
	sumRows(list, left, nil, nil, func(n reg.Register, value reg.VecVirtual) {
		VMOVSD(value, Mem{Base: out, Index: n, Scale: 8})
	})
}

// allSums writes Sums of rows that follow one another.
func allSums() {
	declare("allSums", 0, "func(table *float64, x *uint64, words, n, groups int, out *float64)",
		"allSums implements RowLoops.Sums of all rows.")
	table, left, out, memory := param("table"), param("n"), param("out"), aligned(64*mostWords)
	Label("rows")
	words(nil, left, memory)
	sums := inOrder(table, nil, memory)
	bits, k, row := below(upTo(8, left)), K(), param("words")
	KMOVB(bits.As32(), k)
	VMOVUPD(sums, k, Mem{Base: out})
	SHLQ(Imm(6), row)
	ADDQ(row, fixed("x"))
	ADDQ(Imm(64), out)
	nextEight(left)
}

// told writes Told.
func told() {
	declare("told", 0, "func(table *float64, places *int32, cost float64, x *uint64, words int, list *int32, n, groups "+
		"int, pick int, picks *int8, gains *float64)",
		"told implements RowLoops.Told.")
	sumRows(param("list"), param("n"), param("places"), func(sums reg.VecVirtual) {
		cost := ZMM()
		VBROADCASTSD(fixed("cost"), cost)
		VSUBPD(cost, sums, sums)
		VADDPD(cost, sums, sums)
	}, func(n reg.Register, value reg.VecVirtual) {
		picks, gains, pick := param("picks"), param("gains"), param("pick")
		SHLQ(Imm(3), n)
		MOVB(pick.(reg.GP).As8(), Mem{Base: picks, Index: n, Scale: 1})
		VMOVSD(value, Mem{Base: gains, Index: n, Scale: 8})
	})
}

// sumRows adds up what a table has for rows of a list and does something with the sum of each.
func sumRows(list, left, places reg.Register, change func(sums reg.VecVirtual),
	send func(n reg.Register, value reg.VecVirtual)) {
	table, memory := param("table"), aligned(64*(mostWords+1))
	Label("rows")
	words(list, left, memory)
	sums := inOrder(table, places, memory)
	if change != nil {
		change(sums)
	}
	VMOVUPD(sums, Mem{Base: memory, Disp: 64 * mostWords})
	value := XMM()
	eachRow(list, upTo(8, left), "send", func(i, n reg.Register) {
		VMOVSD(Mem{Base: memory, Index: i, Scale: 8, Disp: 64 * mostWords}, value)
		send(n, value)
	})
	ADDQ(Imm(32), list)
	nextEight(left)
}

// eachRow does something for so many rows of a list: the i-th, whose number is n, which it may overwrite.
func eachRow(list, some reg.Register, label string, do func(i, n reg.Register)) {
	i, n := GP64(), GP64()
	XORQ(i, i)
	Label(label)
	MOVLQSX(Mem{Base: list, Index: i, Scale: 4}, n)
	do(i, n)
	INCQ(i)
	CMPQ(i, some)
	JLT(LabelRef(label))
}

// choose writes Choose.
func choose() {
	TEXT("chooseLane", 0,
		"func(table *float64, places *int32, costs *float64, numbers *int64, lanes, end int, need, tie float64, x *uint64, "+
			"words int, list *int32, n, groups int, picks *int8, gains *float64, lists, counts *int32)")
	Doc("chooseLane implements RowLoops.Choose.")
	Pragma("noescape")
	const gained, number, to = 64 * mostWords, 64 * (mostWords + 1), 64 * (mostWords + 2)
	list, left, table, memory := param("list"), param("n"), param("table"), aligned(64*(mostWords+3))
	totals := aligned(64 * mostLanes)
	Label("rows")
	words(list, left, memory)
	most, places, costs, at, lanes := ZMM(), param("places"), param("costs"), GP64(), param("lanes")
	MOVQ(totals, at)
	below := GP64()
	MOVQ(U64(math.Float64bits(math.Inf(-1))), below)
	VPBROADCASTQ(below, most)
	Label("lane")
	sum, step := inOrder(table, places, memory), GP64()
	VSUBPD_BCST(Mem{Base: costs}, sum, sum)
	VMOVUPD(sum, Mem{Base: at})
	VMAXPD(sum, most, most)
	MOVQ(fixed("groups"), step)
	LEAQ(Mem{Base: places, Index: step, Scale: 4}, places)
	ADDQ(Imm(8), costs)
	ADDQ(Imm(64), at)
	again(lanes, "lane")
	// Backwards, so that the first that is near the largest stays.
	numbers, least, tie := param("numbers"), ZMM(), ZMM()
	VBROADCASTSD(fixed("tie"), tie)
	VSUBPD(tie, most, least)
	which, total, told := ZMM(), ZMM(), ZMM()
	VMOVAPD(least, total)
	VMOVAPD(least, told)
	VMOVDQA64(least, which)
	MOVQ(fixed("lanes"), lanes)
	LEAQ(Mem{Base: numbers, Index: lanes, Scale: 8, Disp: -8}, numbers)
	Label("near")
	t, with, k := ZMM(), ZMM(), K()
	SUBQ(Imm(8), costs)
	SUBQ(Imm(64), at)
	VMOVUPD(Mem{Base: at}, t)
	VCMPPD(Imm(29), least, t, k) // t >= least
	VADDPD_BCST(Mem{Base: costs}, t, with)
	VMOVAPD(t, k, total)
	VMOVAPD(with, k, told)
	VPBROADCASTQ(Mem{Base: numbers}, k, which)
	SUBQ(Imm(8), numbers)
	again(lanes, "near")
	need, enough, lane := ZMM(), K(), ZMM()
	VBROADCASTSD(fixed("need"), need)
	VCMPPD(Imm(30), need, total, enough) // total > need
	VPBROADCASTQ(fixed("end"), lane)
	VMOVDQA64(which, enough, lane)
	VMOVUPD(told, Mem{Base: memory, Disp: gained})
	VMOVDQU64(which, Mem{Base: memory, Disp: number})
	VMOVDQU64(lane, Mem{Base: memory, Disp: to})

	picks, gains, lists, counts := param("picks"), param("gains"), param("lists"), param("counts")
	c, count, value := GP64(), GP64(), XMM()
	eachRow(list, upTo(8, left), "send", func(i, n reg.Register) {
		MOVQ(Mem{Base: memory, Index: i, Scale: 8, Disp: to}, c)
		MOVLQSX(Mem{Base: counts, Index: c, Scale: 4}, count)
		INCL(Mem{Base: counts, Index: c, Scale: 4})
		SHLQ(Imm(block), c)
		ADDQ(c, count)
		MOVL(n.(reg.GP).As32(), Mem{Base: lists, Index: count, Scale: 4})
		MOVQ(Mem{Base: memory, Index: i, Scale: 8, Disp: number}, c)
		VMOVSD(Mem{Base: memory, Index: i, Scale: 8, Disp: gained}, value)
		SHLQ(Imm(3), n)
		MOVB(c.As8(), Mem{Base: picks, Index: n, Scale: 1})
		VMOVSD(value, Mem{Base: gains, Index: n, Scale: 8})
	})
	ADDQ(Imm(32), list)
	nextEight(left)
}

// gather copies what was found in rows, eight numbers each, behind one another.
func gather() {
	start("gather", "from *int, depth *int32, n int, picks *int8, gains *float64, outPicks *int32, outGains *float64",
		"gather implements RowLoops.Gather.")
	from, depth, n, picks, gains := param("from"), param("depth"), param("n"), param("picks"), param("gains")
	outPicks, outGains := param("outPicks"), param("outGains")
	at, d, e, g := GP64(), GP64(), YMM(), ZMM()
	MOVQ(Mem{Base: from}, at)
	Label("row")
	MOVLQSX(Mem{Base: depth}, d)
	VPMOVSXBD(Mem{Base: picks}, e)
	VMOVUPD(Mem{Base: gains}, g)
	VMOVDQU(e, Mem{Base: outPicks, Index: at, Scale: 4})
	VMOVUPD(g, Mem{Base: outGains, Index: at, Scale: 8})
	ADDQ(d, at)
	MOVQ(at, Mem{Base: from, Disp: 8})
	ADDQ(Imm(8), from)
	ADDQ(Imm(4), depth)
	ADDQ(Imm(8), picks)
	ADDQ(Imm(64), gains)
	again(n, "row")
	leave()
}
