package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Eight rows at a time, a lane each: a table for four pixels has 16 numbers,
// which are two vectors, and one instruction looks up the numbers for eight rows.

const (
	mostWords = 4  // of a row
	sumWords  = 16 // the same where only one table is summed: kernel.MostWords
	mostLanes = 32 // of a table
)

// aligned returns memory of this function's, at a multiple of 64 bytes.
func aligned(size int) reg.Register {
	at := GP64()
	LEAQ(AllocLocal(size+64), at)
	ADDQ(Imm(63), at)
	ANDQ(I32(-64), at)
	return at
}

// words loads the words of up to eight rows of the list into memory, a vector
// each.
func words(list, left, memory reg.Register) {
	bits, k, n := below(upTo(8, left)), K(), ZMM()
	KMOVB(bits.As32(), k)
	VPMOVSXDQ_Z(Mem{Base: list}, k, n)
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
	DECQ(count)
	JNZ(LabelRef("word"))
}

// quarter adds up what tables have for every fourth group, from the given one
// on, into sums. Table is where the first group is; row lies between groups.
func quarter(first int, label string, table, row, memory reg.Register, sums []reg.VecVirtual) {
	clear(sums)
	tab, left, from, met := GP64(), GP64(), GP64(), GP64()
	IMUL3Q(U8(first), row, tab)
	ADDQ(table, tab)
	MOVQ(fixed("groups"), left)
	MOVQ(memory, from)
	XORQ(met, met)
	values := ZMM()
	SUBQ(Imm(uint64(first)), left)
	JLE(LabelRef(label + "done"))
	Label(label + "word")
	VMOVDQU64(Mem{Base: from}, values)
	if first > 0 {
		VPSRLQ(Imm(uint64(4*first)), values, values)
	}
	ADDQ(Imm(64), from)
	Label(label + "group")
	for c, s := range sums {
		t := ZMM()
		VMOVUPD(Mem{Base: tab, Disp: 128 * c}, t)
		VPERMT2PD(Mem{Base: tab, Disp: 128*c + 64}, values, t)
		VADDPD(t, s, s)
	}
	SUBQ(Imm(4), left)
	JLE(LabelRef(label + "done"))
	LEAQ(Mem{Base: tab, Index: row, Scale: 4}, tab)
	INCQ(met)
	TESTQ(U32(3), met)
	JZ(LabelRef(label + "word"))
	VPSRLQ(Imm(16), values, values)
	JMP(LabelRef(label + "group"))
	Label(label + "done")
}

// clear sets vectors to 0. What is set to 0 by itself, the generator takes for
// in use before: that is one here, not all.
func clear(v []reg.VecVirtual) {
	zero := ZMM()
	VPXORQ(zero, zero, zero)
	for i := range v {
		VMOVAPD(zero, v[i])
	}
}

func vectors(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = ZMM()
	}
	return v
}

func addTo(a, b []reg.VecVirtual) {
	for i := range a {
		VADDPD(b[i], a[i], a[i])
	}
}

// inOrder adds up what tables have for all groups, in the order of score.Total.
func inOrder(width int, table, row, memory reg.Register) []reg.VecVirtual {
	s0, s1, s2 := vectors(width), vectors(width), vectors(width)
	quarter(0, "first", table, row, memory, s0)
	quarter(1, "second", table, row, memory, s1)
	addTo(s0, s1)
	quarter(2, "third", table, row, memory, s1)
	quarter(3, "fourth", table, row, memory, s2)
	addTo(s1, s2)
	addTo(s0, s1)
	return s0
}

// found is where in memory the lanes of eight rows, their numbers, and the lists
// they go to are.
const found = 64 * (mostWords + mostLanes)

// across writes Across for up to eight lanes, which stay in registers, or, with
// lanes 0, for multiples of eight.
func across(lanes int) {
	name := fmt.Sprintf("across%d", lanes)
	if lanes == 0 {
		name = "acrossMore"
	}
	// Its memory may need more stack than there is: it is not NOSPLIT.
	TEXT(name, 0, "func(table, costs *float64, numbers *int64, lanes, end int, need, tie float64, x *uint64, words int, list *int32, n, groups int, picks *int8, gains *float64, lists, counts *int32)")
	Doc(name + " implements RowLoops.Across.")
	Pragma("noescape")
	list, left := param("list"), param("n")
	memory := aligned(found + 3*64)
	row := GP64()
	MOVQ(fixed("lanes"), row)
	SHLQ(Imm(7), row)
	Label("rows")
	words(list, left, memory)
	var totals []reg.VecVirtual
	if lanes == 0 {
		allLanes(row, memory)
	} else {
		table, costs := param("table"), param("costs")
		totals = lessCosts(inOrder(lanes, table, row, memory), costs)
	}
	gain, choice, cost, least := ZMM(), ZMM(), ZMM(), ZMM()
	clear([]reg.VecVirtual{gain, choice, cost})
	if lanes == 0 {
		largestInMemory(least, memory)
		nearInMemory(gain, choice, cost, least, memory)
	} else {
		largest(least, totals)
		costs, numbers := param("costs"), param("numbers")
		near(gain, choice, cost, least, totals, numbers, costs)
	}
	decide(gain, choice, cost, memory)
	send(list, left, memory)
	nextEight(list, left)
}

// lessCosts subtracts the costs of lanes.
func lessCosts(sums []reg.VecVirtual, costs reg.Register) []reg.VecVirtual {
	for c, s := range sums {
		cost := ZMM()
		VBROADCASTSD(Mem{Base: costs, Disp: 8 * c}, cost)
		VSUBPD(cost, s, s)
	}
	return sums
}

// allLanes leaves the totals of all lanes in memory.
func allLanes(row, memory reg.Register) {
	table, costs, to, lanes := GP64(), GP64(), GP64(), GP64()
	MOVQ(fixed("table"), table)
	MOVQ(fixed("costs"), costs)
	LEAQ(Mem{Base: memory, Disp: 64 * mostWords}, to)
	MOVQ(fixed("lanes"), lanes)
	Label("lanes")
	for c, s := range lessCosts(inOrder(8, table, row, memory), costs) {
		VMOVUPD(s, Mem{Base: to, Disp: 64 * c})
	}
	ADDQ(U32(8*128), table)
	ADDQ(Imm(64), costs)
	ADDQ(U32(512), to)
	SUBQ(Imm(8), lanes)
	JNZ(LabelRef("lanes"))
}

// largest sets least to the largest total less Tie.
func largest(least reg.VecVirtual, totals []reg.VecVirtual) {
	most := vectors(len(totals))
	for i := range most {
		VMOVAPD(totals[i], most[i])
	}
	for n := len(most); n > 1; n = (n + 1) / 2 {
		for i := range n / 2 {
			VMAXPD(most[i+(n+1)/2], most[i], most[i])
		}
	}
	VMOVAPD(most[0], least)
	tie := ZMM()
	VBROADCASTSD(fixed("tie"), tie)
	VSUBPD(tie, least, least)
}

func largestInMemory(least reg.VecVirtual, memory reg.Register) {
	at, lanes, most := GP64(), GP64(), ZMM()
	LEAQ(Mem{Base: memory, Disp: 64 * mostWords}, at)
	VMOVUPD(Mem{Base: at}, most)
	MOVQ(fixed("lanes"), lanes)
	Label("largest")
	for c := range 8 {
		VMAXPD(Mem{Base: at, Disp: 64 * c}, most, most)
	}
	ADDQ(U32(512), at)
	SUBQ(Imm(8), lanes)
	JNZ(LabelRef("largest"))
	tie := ZMM()
	VBROADCASTSD(fixed("tie"), tie)
	VSUBPD(tie, most, least)
}

// near goes from the last of some lanes to the first, and keeps those that are
// not below least: total, number and cost.
func near(gain, choice, cost, least reg.VecVirtual, totals []reg.VecVirtual, numbers, costs reg.Register) {
	for c := len(totals) - 1; c >= 0; c-- {
		k := K()
		VCMPPD(Imm(13), least, totals[c], k) // >=
		VMOVAPD(totals[c], k, gain)
		VPBROADCASTQ(Mem{Base: numbers, Disp: 8 * c}, k, choice)
		VBROADCASTSD(Mem{Base: costs, Disp: 8 * c}, k, cost)
	}
}

func nearInMemory(gain, choice, cost, least reg.VecVirtual, memory reg.Register) {
	at, numbers, costs, lanes := GP64(), GP64(), GP64(), GP64()
	MOVQ(fixed("lanes"), lanes)
	MOVQ(fixed("numbers"), numbers)
	LEAQ(Mem{Base: numbers, Index: lanes, Scale: 8}, numbers)
	MOVQ(fixed("costs"), costs)
	LEAQ(Mem{Base: costs, Index: lanes, Scale: 8}, costs)
	MOVQ(lanes, at)
	SHLQ(Imm(6), at)
	LEAQ(Mem{Base: at, Index: memory, Scale: 1, Disp: 64 * mostWords}, at)
	Label("near")
	SUBQ(U32(512), at)
	SUBQ(Imm(64), numbers)
	SUBQ(Imm(64), costs)
	totals := vectors(8)
	for c := range totals {
		VMOVUPD(Mem{Base: at, Disp: 64 * c}, totals[c])
	}
	near(gain, choice, cost, least, totals, numbers, costs)
	SUBQ(Imm(8), lanes)
	JNZ(LabelRef("near"))
}

// decide leaves in memory which experts were found, their gains without costs, and
// the lists to go to.
func decide(gain, choice, cost reg.VecVirtual, memory reg.Register) {
	k, need, to := K(), ZMM(), ZMM()
	VBROADCASTSD(fixed("need"), need)
	VCMPPD(Imm(14), need, gain, k) // >
	VPBROADCASTQ(fixed("end"), to)
	VMOVDQA64(choice, k, to)
	VADDPD(cost, gain, gain)
	VMOVDQU64(choice, Mem{Base: memory, Disp: found})
	VMOVUPD(gain, Mem{Base: memory, Disp: found + 64})
	VMOVDQU64(to, Mem{Base: memory, Disp: found + 128})
}

// send writes down what was found in the rows, and appends them to lists.
func send(list, left, memory reg.Register) {
	some := upTo(8, left)
	i, n, c, end, value := GP64(), GP64(), GP64(), GP64(), XMM()
	picks, gains, lists, counts := param("picks"), param("gains"), param("lists"), param("counts")
	XORQ(i, i)
	Label("send")
	MOVLQSX(Mem{Base: list, Index: i, Scale: 4}, n)
	MOVQ(Mem{Base: memory, Index: i, Scale: 8, Disp: found + 128}, c)
	MOVLQSX(Mem{Base: counts, Index: c, Scale: 4}, end)
	INCL(Mem{Base: counts, Index: c, Scale: 4})
	SHLQ(Imm(block), c)
	ADDQ(c, end)
	MOVL(n.As32(), Mem{Base: lists, Index: end, Scale: 4})
	MOVQ(Mem{Base: memory, Index: i, Scale: 8, Disp: found}, c)
	VMOVSD(Mem{Base: memory, Index: i, Scale: 8, Disp: found + 64}, value)
	SHLQ(Imm(3), n)
	MOVB(c.As8(), Mem{Base: picks, Index: n, Scale: 1})
	VMOVSD(value, Mem{Base: gains, Index: n, Scale: 8})
	INCQ(i)
	CMPQ(i, some)
	JLT(LabelRef("send"))
}

func nextEight(list, left reg.Register) {
	ADDQ(Imm(32), list)
	SUBQ(Imm(8), left)
	JG(LabelRef("rows"))
	VZEROUPPER()
	RET()
}

// rowSumsAcross writes Sums.
func rowSumsAcross() {
	// Its memory is too large for a function that does not ask for stack.
	TEXT("rowSumsAcross", 0, "func(table *float64, x *uint64, words int, list *int32, n, groups int, out *float64)")
	Doc("rowSumsAcross implements RowLoops.Sums.")
	Pragma("noescape")
	list, left, out, row := param("list"), param("n"), param("out"), GP64()
	MOVQ(U64(128), row)
	sumRows(list, left, row, sumWords, nil, func(n reg.Register, value reg.VecVirtual) {
		VMOVSD(value, Mem{Base: out, Index: n, Scale: 8})
	})
}

// told writes Told.
func told() {
	TEXT("told", 0, "func(table *float64, stride int, cost float64, x *uint64, words int, list *int32, n, groups int, pick int, picks *int8, gains *float64)")
	Doc("told implements RowLoops.Told.")
	Pragma("noescape")
	list, left, row := param("list"), param("n"), GP64()
	MOVQ(fixed("stride"), row)
	SHLQ(Imm(3), row)
	sumRows(list, left, row, mostWords, func(sums reg.VecVirtual) {
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

// sumRows adds up what a table has for rows of a list, of at most room words, and does something with the sum of each.
func sumRows(list, left, row reg.Register, room int, change func(sums reg.VecVirtual), send func(n reg.Register, value reg.VecVirtual)) {
	table, memory := param("table"), aligned(64*(room+1))
	Label("rows")
	words(list, left, memory)
	sums := inOrder(1, table, row, memory)[0]
	if change != nil {
		change(sums)
	}
	VMOVUPD(sums, Mem{Base: memory, Disp: 64 * room})
	i, n, value, some := GP64(), GP64(), XMM(), upTo(8, left)
	XORQ(i, i)
	Label("send")
	MOVLQSX(Mem{Base: list, Index: i, Scale: 4}, n)
	VMOVSD(Mem{Base: memory, Index: i, Scale: 8, Disp: 64 * room}, value)
	send(n, value)
	INCQ(i)
	CMPQ(i, some)
	JLT(LabelRef("send"))
	nextEight(list, left)
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
	DECQ(n)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
