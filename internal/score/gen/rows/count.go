package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Sixteen rows at a time, a lane of 32 bits each: in it are sixteen pixels, the upper half those that are free, the
// lower half those of them that are on.

// countData returns where the numbers from 0 to 15 are, of 32 bits each, those of the lower halves of 16 numbers of 64 bits, and of the upper ones,
// those that make numbers of 64 bits of 16 halves and 16 more, the first eight, and the others, and of 64 bits 0, 4, 1, 5 and so on.
func countData() Mem {
	data := GLOBL("sixteens", RODATA|NOPTR)
	for j, number := range []func(i int) int{
		func(i int) int { return i },
		func(i int) int { return 2 * i },
		func(i int) int { return 2*i + 1 },
		func(i int) int { return i/2 + i%2*16 },
		func(i int) int { return i/2 + i%2*16 + 8 },
		func(i int) int { return (i/4 + i/2%2*4) * (1 - i%2) },
	} {
		for i := range 16 {
			DATA(64*j+4*i, U32(uint32(number(i))))
		}
	}
	return data
}

// countStep writes CountStep; with few all classes are below 16, and first is the first step.
func countStep(few, first bool, numbers Mem) {
	name, besides := "countStep", ""
	if first {
		name, besides = "countFirst", ", x *uint64, all, whole *uint32, losses *int32"
	}
	if few {
		name += "Few"
	}
	TEXT(name, 0, "func(votes *uint32, stride, fours, chunks, rest int, pixels *uint64, list, to *int32, n int, weights, back uint32, least, enough int32, cost float64, classes *uint8, values *float64, step int32, ids, picks *int32, gains *float64, depth *int32, free *uint64, words int, scratch *uint64"+besides+") (left, taken int)")
	Doc(name + " implements RowLoops.CountStep for four times that many experts.")
	Pragma("noescape")
	depths, rows, moved, place, all, taken := AllocLocal(64), param("pixels"), param("pixels"), GP64(), GP64(), GP64()
	for _, r := range []reg.Register{place, all, taken} {
		XORQ(r, r)
	}
	Label("rows")

	if first {
		countBegin(rows, numbers)
	}
	most, second, expert := countBest(first, rows)
	enough := K()
	VPCMPGTD(spread("least"), most, enough)
	off, sums := countTake(few, rows, expert, enough)

	depth := spread("step")
	VPADDD(number(1), depth, enough, depth)
	// Or no other can gain enough, even rid of all its pixels that are off.
	VPMADDWD(spread("back"), off, off)
	VPADDD(second, off, off)
	more := K()
	VPCMPGTD(spread("enough"), off, enough, more)

	bits, going, got := below(upTo(16, fixed("n"))), GP64(), GP64()
	KMOVW(enough, got.As32())
	ANDQ(bits, got)
	send := taking(got, taken)
	ids := ZMM()
	VMOVDQU32(Mem{Base: param("list")}, ids)
	send.numbers(ids, "ids")
	send.numbers(expert, "picks")
	send.words(sums, "gains")

	KMOVW(more, going.As32())
	ANDQ(bits, going)
	CMPQ(fixed("words"), Imm(1))
	JNE(LabelRef("many"))
	free := countWords(rows, numbers)
	if first {
		countAll(depth, free)
	} else {
		send.words(free, "scratch")
	}
	JMP(LabelRef("kept"))
	Label("many")
	VMOVDQU32(depth, depths)
	XORQ(going, bits)
	countEnded(rows, bits, depths)
	Label("kept")
	POPCNTQ(got, got)
	ADDQ(got, taken)
	countMove(rows, moved, place, going, numbers)

	// The rows that are left move up.
	next, size := GP64(), param("chunks")
	POPCNTQ(going, going)
	ADDQ(going, all)
	SHLQ(Imm(6), size)
	ADDQ(size, rows)
	ADDQ(moved, size)
	ADDQ(going, place)
	LEAQ(Mem{Base: place, Disp: -16}, next)
	CMPQ(place, Imm(16))
	CMOVQGE(size, moved)
	CMOVQGE(next, place)
	ADDQ(Imm(64), fixed("list"))
	SUBQ(Imm(16), fixed("n"))
	JG(LabelRef("rows"))
	Store(all.As64(), ReturnIndex(0))
	Store(taken.As64(), ReturnIndex(1))
	if !first {
		countFree(taken)
	}
	VZEROUPPER()
	RET()
}

// sending appends what was found in the rows, of sixteen, that have taken an expert, to what was found in so many before.
type sending struct {
	k     [2]reg.OpmaskVirtual // of eight rows each; the first, of all
	at    reg.GPVirtual        // how many rows come before
	upper reg.GPVirtual        // and how many with the first eight
}

// taking prepares for the rows of these bits.
func taking(got, taken reg.GPVirtual) *sending {
	s := &sending{k: [2]reg.OpmaskVirtual{K(), K()}, at: taken, upper: GP64()}
	KMOVW(got.As32(), s.k[0])
	KSHIFTRW(Imm(8), s.k[0], s.k[1])
	MOVBQZX(got.As8(), s.upper)
	POPCNTQ(s.upper, s.upper)
	ADDQ(taken, s.upper)
	return s
}

// numbers appends numbers of 32 bits.
func (s *sending) numbers(v reg.VecVirtual, to string) {
	VPCOMPRESSD_Z(v, s.k[0], v)
	VMOVDQU32(v, Mem{Base: param(to), Index: s.at, Scale: 4})
}

// words appends numbers of 64 bits.
func (s *sending) words(v [2]reg.VecVirtual, to string) {
	out := param(to)
	for half, at := range []reg.GPVirtual{s.at, s.upper} {
		VPCOMPRESSQ_Z(v[half], s.k[half], v[half])
		VMOVDQU64(v[half], Mem{Base: out, Index: at, Scale: 8})
	}
}

// countFree writes down how many picks the rows have that have taken an expert, and their free pixels, a word each.
func countFree(taken reg.Register) {
	CMPQ(fixed("words"), Imm(1))
	JNE(LabelRef("done"))
	TESTQ(taken, taken)
	JZ(LabelRef("done"))
	depth, scratch, depths, free, value := GP32(), param("scratch"), param("depth"), param("free"), GP64()
	MOVL(fixed("step"), depth)
	INCL(depth)
	eachRow(param("ids"), taken, "free", func(i, n reg.Register) {
		MOVL(depth, Mem{Base: depths, Index: n, Scale: 4})
		MOVQ(Mem{Base: scratch, Index: i, Scale: 8}, value)
		MOVQ(value, Mem{Base: free, Index: n, Scale: 8})
	})
	Label("done")
}

// countBegin brings up to sixteen rows together: all pixels are free. To scratch it writes which are on, 32 of them at a time.
func countBegin(rows reg.Register, numbers Mem) {
	x, chunks, all, scratch, to := param("x"), param("chunks"), param("all"), param("scratch"), GP64()
	MOVQ(rows, to)
	bits, masks := below(upTo(16, fixed("n"))), [2]reg.OpmaskVirtual{K(), K()}
	KMOVB(bits.As32(), masks[0])
	SHRQ(Imm(8), bits)
	KMOVB(bits.As32(), masks[1])
	at, words, next := ZMM(), param("words"), GP64()
	VPBROADCASTQ(words, at)
	apart := ZMM()
	VPMOVZXDQ(numbers, apart)
	VPMULUDQ(apart, at, at)
	SHLQ(Imm(6), words)
	MOVQ(x, next)
	ADDQ(words, next)
	SHLQ(Imm(1), words)
	ADDQ(words, fixed("x"))
	low := number(0xffff)
	Label("word")
	rowsOn := [2]reg.VecVirtual{number(0), number(0)}
	CMPQ(fixed("words"), Imm(1))
	JNE(LabelRef("apart"))
	VMOVDQU64(Mem{Base: x}, masks[0], rowsOn[0])
	VMOVDQU64(Mem{Base: next}, masks[1], rowsOn[1])
	JMP(LabelRef("together"))
	Label("apart")
	for i, base := range []reg.Register{x, next} {
		k := K()
		KMOVB(masks[i], k)
		VPGATHERQQ(Mem{Base: base, Index: at, Scale: 8}, k, rowsOn[i])
		ADDQ(Imm(8), base)
	}
	Label("together")
	for half := range 2 {
		on, part := ZMM(), ZMM()
		VMOVDQU32(numbers.Offset(64*(1+half)), on)
		VPERMI2D(rowsOn[1], rowsOn[0], on)
		VMOVDQU32(on, Mem{Base: scratch})
		ADDQ(Imm(64), scratch)
		for i := range 2 {
			if i == 0 {
				VPANDD(low, on, part)
			} else {
				VPSRLD(Imm(16), on, part)
			}
			VPORD_BCST(Mem{Base: all}, part, part)
			VMOVDQU32(part, Mem{Base: to})
			ADDQ(Imm(4), all)
			ADDQ(Imm(64), to)
			DECQ(chunks)
			JZ(LabelRef("begun"))
		}
	}
	JMP(LabelRef("word"))
	Label("begun")
}

// countBest finds the first expert that gains most, its gain, and the largest of the others, of those that vote for a free pixel.
func countBest(first bool, rows reg.Register) (most, second, which reg.VecVirtual) {
	most, second, which = number(-1<<30), number(-1<<30), number(0)
	next, one, weights := number(0), number(1), spread("weights")
	var votes, losses reg.Register
	if first {
		votes, losses = param("whole"), param("losses")
	} else {
		votes = param("votes")
	}
	fours, stride := param("fours"), param("stride")
	SHLQ(Imm(2), stride)
	Label("experts")
	counts := vectors(4)
	clear(counts)
	at, from, left := GP64(), GP64(), GP64()
	MOVQ(votes, from)
	MOVQ(fixed("chunks"), left)
	if first {
		MOVQ(fixed("scratch"), at)
		INCQ(left)
		SHRQ(Imm(1), left)
	} else {
		MOVQ(rows, at)
	}
	Label("chunks")
	pixels := ZMM()
	VMOVDQU32(Mem{Base: at}, pixels)
	for i, c := range counts {
		t := ZMM()
		VPANDD_BCST(Mem{Base: from, Disp: 4 * i}, pixels, t)
		if first {
			VPOPCNTD(t, t)
			VPADDD(t, c, c)
		} else {
			popCount16(t, t)
			VPADDW(t, c, c)
		}
	}
	ADDQ(Imm(64), at)
	ADDQ(stride, from)
	DECQ(left)
	JNZ(LabelRef("chunks"))
	for i, c := range counts {
		gain := ZMM()
		VPMADDWD(weights, c, gain)
		if first {
			VPSUBD_BCST(Mem{Base: losses, Disp: 4 * i}, gain, gain)
			better(gain, next, most, second, which)
		} else {
			any, more, lower := K(), K(), ZMM()
			VPTESTMD(c, c, any)
			VPCMPGTD(most, gain, any, more)
			VPMINSD(gain, most, lower)
			VPMAXSD(lower, second, any, second)
			VPMAXSD(gain, most, any, most)
			VMOVDQA32(next, more, which)
		}
		VPADDD(one, next, next)
	}
	if first {
		ADDQ(Imm(16), losses)
	}
	ADDQ(Imm(16), votes)
	DECQ(fours)
	JNZ(LabelRef("experts"))
	return most, second, which
}

// countTake adds up what the experts gain, and takes their votes from the rows that gain enough. It returns the counts of the pixels that they have, as
// rows have pixels, and the sums. Votes and values of four pixels, a byte, stand for one of 32 classes, which 64 bytes look up
// together, and a class for a number.
func countTake(few bool, rows reg.Register, expert reg.VecVirtual, enough reg.OpmaskVirtual) (count reg.VecVirtual, gains [2]reg.VecVirtual) {
	pairs := 2
	if few {
		pairs = 1
	}
	classes, values := make([]reg.VecVirtual, 4), make([]reg.VecVirtual, 2*pairs)
	from, numbers := param("classes"), param("values")
	for i := range classes {
		classes[i] = ZMM()
		VMOVDQU64(Mem{Base: from, Disp: 64 * i}, classes[i])
	}
	for i := range values {
		values[i] = ZMM()
		VMOVUPD(Mem{Base: numbers, Disp: 64 * i}, values[i])
	}
	count = ZMM()
	sums := [2][]reg.VecVirtual{vectors(4), vectors(4)}
	clear(append(sums[0], sums[1]...))
	zero(count)
	block := ZMM() // which 32 experts
	VPSRLD(Imm(5), expert, block)
	one, lower, upper := number(1), number(0x0000f0f0), number(0x0f0f0000)
	var sixteen reg.VecVirtual
	if !few {
		sixteen = number(16)
	}
	votes, stride, at, left := param("votes"), param("stride"), GP64(), param("chunks")
	MOVQ(rows, at)
	Label("chunk")
	v, next, blocks := ZMM(), number(0), GP64()
	some, k, first := ZMM(), K(), ZMM()
	VMOVDQU32(Mem{Base: votes}, first)
	VMOVDQA32(expert, v)
	VPERMI2D(Mem{Base: votes, Disp: 64}, first, v)
	ADDQ(U32(128), votes)
	CMPQ(stride, U32(32))
	JEQ(LabelRef("found"))
	MOVQ(stride, blocks)
	SUBQ(U32(32), blocks)
	Label("block")
	VPADDD(one, next, next)
	VMOVDQU32(Mem{Base: votes}, first)
	VMOVDQA32(expert, some)
	VPERMI2D(Mem{Base: votes, Disp: 64}, first, some)
	VPCMPEQD(next, block, k)
	VMOVDQA32(some, k, v)
	ADDQ(U32(128), votes)
	SUBQ(U32(32), blocks)
	JNZ(LabelRef("block"))
	Label("found")

	pixels, without, t := ZMM(), ZMM(), ZMM()
	VMOVDQU32(Mem{Base: at}, pixels)
	VMOVDQA32(pixels, without)
	VPANDND(pixels, v, enough, without)
	VMOVDQU32(without, Mem{Base: at})
	VPANDD(pixels, v, v)
	popCount16(v, t)
	VPADDW(t, count, count)
	// Bytes of four pixels each: groups 0, 2, 1 and 3.
	down, up := ZMM(), ZMM()
	VPSRLD(Imm(12), v, down)
	VPSLLD(Imm(12), v, up)
	bitSelect(lower, down, v)
	bitSelect(upper, up, v)
	low, high, second := ZMM(), ZMM(), K()
	VPMOVB2M(v, second)
	VMOVDQA64(v, low)
	VMOVDQA64(v, high)
	VPERMI2B(classes[1], classes[0], low)
	VPERMI2B(classes[3], classes[2], high)
	VMOVDQU8(high, second, low)
	halves := [2]reg.VecVirtual{ZMM(), ZMM()}
	VPMOVZXDQ(low.AsY(), halves[0])
	VEXTRACTI64X4(Imm(1), low, high.AsY())
	VPMOVZXDQ(high.AsY(), halves[1])
	groups := GP64()
	MOVQ(U64(4), groups)
	CMPQ(left, Imm(1))
	CMOVQEQ(fixed("rest"), groups)
	for group, place := range []int{0, 2, 1, 3} {
		if group > 0 {
			CMPQ(groups, Imm(uint64(group)))
			JEQ(LabelRef("added"))
		}
		for half, eight := range halves {
			class := ZMM()
			if place == 0 {
				VMOVDQA64(eight, class)
			} else {
				VPSRLQ(Imm(uint64(8*place)), eight, class)
			}
			if !few {
				other, k := ZMM(), K()
				VPTESTMQ(sixteen, class, k)
				VMOVDQA64(class, other)
				VPERMI2PD(values[3], values[2], other)
				VPERMI2PD(values[1], values[0], class)
				VMOVAPD(other, k, class)
			} else {
				VPERMI2PD(values[1], values[0], class)
			}
			VADDPD(class, sums[half][group], sums[half][group])
		}
	}
	Label("added")
	ADDQ(Imm(64), at)
	DECQ(left)
	JNZ(LabelRef("chunk"))
	cost := ZMM()
	VBROADCASTSD(fixed("cost"), cost)
	for half, s := range sums {
		VADDPD(s[1], s[0], s[0])
		VADDPD(s[3], s[2], s[2])
		VADDPD(s[2], s[0], s[0])
		VSUBPD(cost, s[0], s[0])
		VADDPD(cost, s[0], s[0])
		gains[half] = s[0]
	}
	return count, gains
}

// countPlace writes CountPlace.
func countPlace() {
	start("countPlace", "rows *int32, n int, from *int, picks *int32, gains *float64, outPicks *int32, outGains *float64", "countPlace implements RowLoops.CountPlace.")
	from, picks, gains, outPicks, outGains, value, gain := param("from"), param("picks"), param("gains"), param("outPicks"), param("outGains"), GP32(), GP64()
	eachRow(param("rows"), param("n"), "place", func(i, n reg.Register) {
		MOVL(Mem{Base: picks, Index: i, Scale: 4}, value)
		MOVQ(Mem{Base: gains, Index: i, Scale: 8}, gain)
		MOVQ(Mem{Base: from, Index: n, Scale: 8}, n)
		MOVL(value, Mem{Base: outPicks, Index: n, Scale: 4})
		MOVQ(gain, Mem{Base: outGains, Index: n, Scale: 8})
	})
	RET()
}

// countWords returns the free pixels of sixteen rows of one word each.
func countWords(rows reg.Register, numbers Mem) [2]reg.VecVirtual {
	halves, upper := [2]reg.VecVirtual{ZMM(), number(0)}, number(-1<<16)
	at := ZMM()
	VMOVDQU32(Mem{Base: rows}, at)
	VPSRLD(Imm(16), at, halves[0])
	for chunk := 1; chunk < 4; chunk++ {
		CMPQ(fixed("chunks"), Imm(uint64(chunk)))
		JEQ(LabelRef("halves"))
		half := halves[chunk/2]
		VMOVDQU32(Mem{Base: rows, Disp: 64 * chunk}, at)
		if chunk%2 == 0 {
			VPSRLD(Imm(16), at, half)
		} else {
			VPTERNLOGD(Imm(0xf8), at, upper, half) // half, or both others
		}
	}
	Label("halves")
	words := [2]reg.VecVirtual{ZMM(), ZMM()}
	for i, w := range words {
		VMOVDQU32(numbers.Offset(64*(3+i)), w)
		VPERMI2D(halves[1], halves[0], w)
	}
	return words
}

// countAll writes down how many picks sixteen rows that follow one another would have if they have ended, and their free pixels.
func countAll(depth reg.VecVirtual, words [2]reg.VecVirtual) {
	bits, k, list, n := below(upTo(16, fixed("n"))), K(), param("list"), GP64()
	MOVLQSX(Mem{Base: list}, n)
	depths, free := param("depth"), param("free")
	KMOVW(bits.As32(), k)
	VMOVDQU32(depth, k, Mem{Base: depths, Index: n, Scale: 4})
	VMOVDQU64(words[0], k, Mem{Base: free, Index: n, Scale: 8})
	KSHIFTRW(Imm(8), k, k)
	VMOVDQU64(words[1], k, Mem{Base: free, Index: n, Scale: 8, Disp: 64})
}

// countEnded writes down how many picks rows have that have ended, one bit each, and their free pixels.
func countEnded(rows reg.Register, ended reg.GPVirtual, depths Mem) {
	list, from, to, value := param("list"), GP64(), GP64(), GP64()
	TESTQ(ended, ended)
	JZ(LabelRef("none"))
	Label("end")
	TZCNTQ(ended, from)
	MOVLQSX(Mem{Base: list, Index: from, Scale: 4}, to)
	depth := param("depth")
	MOVL(depths.Idx(from, 4), value.As32())
	MOVL(value.As32(), Mem{Base: depth, Index: to, Scale: 4})
	free, left := param("free"), param("chunks")
	IMULQ(fixed("words"), to)
	LEAQ(Mem{Base: free, Index: to, Scale: 8}, to)
	LEAQ(Mem{Base: rows, Index: from, Scale: 4, Disp: 2}, from)
	Label("pixels")
	MOVWLZX(Mem{Base: from}, value.As32())
	MOVW(value.As16(), Mem{Base: to})
	ADDQ(Imm(64), from)
	ADDQ(Imm(2), to)
	DECQ(left)
	JNZ(LabelRef("pixels"))
	LEAQ(Mem{Base: ended, Disp: -1}, value)
	ANDQ(value, ended)
	JNZ(LabelRef("end"))
	Label("none")
}

// countMove appends the rows that go on to those before: the next has its place among the sixteen rows at to.
func countMove(rows, to, place reg.Register, going reg.GPVirtual, lanesOf Mem) {
	k, numbers, list, back, p := K(), ZMM(), param("list"), ZMM(), ZMM()
	KMOVW(going.As32(), k)
	VMOVDQU32(lanesOf, numbers)
	VPBROADCASTD(place.(reg.GP).As32(), p)
	VPSUBD(p, numbers, back)
	VPCOMPRESSD_Z(numbers, k, numbers)
	ids, counted := ZMM(), GP64()
	VMOVDQU32(Mem{Base: list}, ids)
	VPERMD(ids, numbers, ids)
	// Lanes of the first sixteen rows, and of the next.
	POPCNTQ(going, counted)
	lanes := below(counted)
	here, there, first := K(), K(), K()
	KMOVW(lanes.As32(), first)
	at := GP64()
	MOVQ(fixed("to"), at)
	VMOVDQU32(ids, first, Mem{Base: at})
	LEAQ(Mem{Base: at, Index: counted, Scale: 4}, at)
	MOVQ(at, fixed("to"))
	SHLXQ(place, lanes, lanes)
	KMOVW(lanes.As32(), here)
	SHRQ(Imm(16), lanes)
	KMOVW(lanes.As32(), there)
	VPERMD(numbers, back, numbers)
	from, dst, next, left, pixels := GP64(), GP64(), GP64(), param("chunks"), ZMM()
	MOVQ(rows, from)
	MOVQ(to, dst)
	MOVQ(left, next)
	SHLQ(Imm(6), next)
	ADDQ(dst, next)
	Label("move")
	VMOVDQU32(Mem{Base: from}, pixels)
	VPERMD(pixels, numbers, pixels)
	VMOVDQU32(pixels, here, Mem{Base: dst})
	VMOVDQU32(pixels, there, Mem{Base: next})
	for _, r := range []reg.Register{from, dst, next} {
		ADDQ(Imm(64), r)
	}
	DECQ(left)
	JNZ(LabelRef("move"))
}
