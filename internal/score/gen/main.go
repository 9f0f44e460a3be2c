// Command gen writes the vector code of package kernel:
//
//	cd internal/score/kernel && go generate
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!purego")
	sumsAVX2()
	sumsAVX512()
	gainAVX2()
	copyAVX2()
	stackAVX2()
	overlapsAVX512()
	Generate()
}

const tile = 64 // candidates, see kernel.Tile

// sum is a running sum of 8-bit numbers in 16-bit words without widening each:
// both adds up the words as they are, which is the even bytes plus 256 times
// the odd ones, and odd only the odd ones. In the end even = both - odd<<8,
// modulo 2^16.
type sum struct{ both, odd reg.VecVirtual }

func newSum(vector func() reg.VecVirtual) sum { return sum{vector(), vector()} }

func (s sum) clear(xor func(operand.Op, operand.Op, operand.Op)) {
	xor(s.both, s.both, s.both)
	xor(s.odd, s.odd, s.odd)
}

// add adds the bytes of x, which is lost.
func (s sum) add(x reg.VecVirtual) {
	VPADDW(x, s.both, s.both)
	VPSRLW(operand.Imm(8), x, x)
	VPADDW(x, s.odd, s.odd)
}

// finish makes both the sums of the even bytes.
func (s sum) finish(t reg.VecVirtual) {
	VPSLLW(operand.Imm(8), s.odd, t)
	VPSUBW(t, s.both, s.both)
}

// table is what the sums functions walk over.
type table struct {
	sums, tops, tables, codes, lookups reg.Register
	tiles, n                           reg.Register
}

func sumsParams(name, doc string) table {
	TEXT(name, NOSPLIT, "func(sums, tops *uint16, tiles int, tables, codes *byte, lookups *int32, n int)")
	Doc(doc)
	Pragma("noescape")
	return table{
		sums: Load(Param("sums"), GP64()), tops: Load(Param("tops"), GP64()), tiles: Load(Param("tiles"), GP64()),
		tables: Load(Param("tables"), GP64()), codes: Load(Param("codes"), GP64()),
		lookups: Load(Param("lookups"), GP64()), n: Load(Param("n"), GP64()),
	}
}

// eachTile repeats the body for groups of so many tiles while there are that
// many left, and moves on.
func (t table) eachTile(label string, group int, body func()) {
	Label(label)
	CMPQ(t.tiles, operand.U32(group))
	JL(operand.LabelRef(label + "_end"))
	body()
	ADDQ(operand.U32(2*tile*group), t.sums)
	ADDQ(operand.U32(2*group), t.tops)
	ADDQ(operand.U32(tile*group), t.codes)
	SUBQ(operand.U32(group), t.tiles)
	JMP(operand.LabelRef(label))
	Label(label + "_end")
}

// eachLookup repeats the body with the addresses of a lookup's table and codes.
func (t table) eachLookup(label string, body func(tab, codes reg.GPVirtual)) {
	at, left := GP64(), GP64()
	MOVQ(t.lookups, at)
	MOVQ(t.n, left)
	Label(label + "_lookup")
	tab, codes := GP64(), GP64()
	MOVLQSX(operand.Mem{Base: at}, tab)
	MOVLQSX(operand.Mem{Base: at, Disp: 4}, codes)
	ADDQ(t.tables, tab)
	ADDQ(t.codes, codes)
	body(tab, codes)
	ADDQ(operand.U32(8), at)
	DECQ(left)
	JNZ(operand.LabelRef(label + "_lookup"))
}

func xor512(a, b, c operand.Op) { VPXORQ(a, b, c) }
func xor256(a, b, c operand.Op) { VPXOR(a, b, c) }

func sumsAVX512() {
	t := sumsParams("sumsAVX512", "sumsAVX512 implements Path.Sums for AVX-512 with VBMI; n > 0.")
	for _, group := range []int{4, 1} {
		label := map[int]string{4: "four", 1: "one"}[group]
		t.eachTile(label, group, func() {
			acc := make([]sum, group)
			for i := range acc {
				acc[i] = newSum(ZMM)
				acc[i].clear(xor512)
			}
			t.eachLookup(label, func(tab, codes reg.GPVirtual) {
				entries := ZMM()
				VMOVDQU64(operand.Mem{Base: tab}, entries)
				for i := range acc {
					x := ZMM()
					VMOVDQU64(operand.Mem{Base: codes, Disp: tile * i}, x)
					VPERMB(entries, x, x)
					acc[i].add(x)
				}
			})
			for i, s := range acc {
				s.finish(ZMM())
				VMOVDQU64(s.both, operand.Mem{Base: t.sums, Disp: 2 * tile * i})
				VMOVDQU64(s.odd, operand.Mem{Base: t.sums, Disp: 2*tile*i + tile})
				top, half := ZMM(), YMM()
				VPMAXUW(s.both, s.odd, top)
				VEXTRACTI64X4(operand.Imm(1), top, half)
				VPMAXUW(half, top.AsY(), half)
				t.top(half, i)
			}
		})
	}
	VZEROUPPER()
	RET()
}

// top stores the largest of 16 words as the top of tile i: the minimum of the
// complements, for which there is an instruction.
func (t table) top(words reg.VecVirtual, i int) {
	quarter, ones, largest := XMM(), XMM(), GP32()
	VEXTRACTI128(operand.Imm(1), words, quarter)
	VPMAXUW(quarter, words.AsX(), quarter)
	VPCMPEQD(ones, ones, ones)
	VPXOR(ones, quarter, quarter)
	VPHMINPOSUW(quarter, quarter)
	VMOVD(quarter, largest)
	NOTL(largest)
	MOVW(largest.As16(), operand.Mem{Base: t.tops, Disp: 2 * i})
}

func sumsAVX2() {
	t := sumsParams("sumsAVX2", "sumsAVX2 implements Path.Sums for AVX2; n > 0.")
	for _, group := range []int{2, 1} {
		label := map[int]string{2: "two", 1: "one"}[group]
		t.eachTile(label, group, func() {
			acc := make([]sum, 2*group) // two halves of 32 candidates per tile
			for i := range acc {
				acc[i] = newSum(YMM)
				acc[i].clear(xor256)
			}
			t.eachLookup(label, func(tab, codes reg.GPVirtual) {
				entries := YMM()
				VBROADCASTI128(operand.Mem{Base: tab}, entries)
				for i := range acc {
					x := YMM()
					VPSHUFB(operand.Mem{Base: codes, Disp: tile / 2 * i}, entries, x)
					acc[i].add(x)
				}
			})
			x := YMM()
			for i, s := range acc {
				s.finish(x)
				at := 2*tile*(i/2) + tile/2*(i%2)
				VMOVDQU(s.both, operand.Mem{Base: t.sums, Disp: at})
				VMOVDQU(s.odd, operand.Mem{Base: t.sums, Disp: at + tile})
			}
			for i := range group {
				VPMAXUW(acc[2*i].both, acc[2*i].odd, acc[2*i].both)
				VPMAXUW(acc[2*i+1].both, acc[2*i+1].odd, acc[2*i+1].both)
				VPMAXUW(acc[2*i].both, acc[2*i+1].both, acc[2*i].both)
				t.top(acc[2*i].both, i)
			}
		})
	}
	VZEROUPPER()
	RET()
}

// chunk is what gainAVX2 walks over, 16 pixels at a time.
type chunk struct{ terms, at, n, off, on reg.Register }

// loop repeats the body for each chunk, with which of two sums it belongs to,
// where its terms are and its offset in pixels: two sums, as one would have to
// wait for itself.
func (c chunk) loop(body func(sum int, terms operand.Mem, pixel reg.GPVirtual)) {
	one := func(sum int) {
		pixel := GP64()
		MOVLQSX(operand.Mem{Base: c.at, Disp: 4 * sum}, pixel)
		body(sum, operand.Mem{Base: c.terms, Disp: 128 * sum}, pixel)
	}
	Label("two")
	CMPQ(c.n, operand.U32(2))
	JL(operand.LabelRef("last"))
	one(0)
	one(1)
	ADDQ(operand.U32(256), c.terms)
	ADDQ(operand.U32(8), c.at)
	SUBQ(operand.U32(2), c.n)
	JMP(operand.LabelRef("two"))
	Label("last")
	TESTQ(c.n, c.n)
	JZ(operand.LabelRef("done"))
	one(0)
	Label("done")
}

// part adds, for the pixels from byte offset at of the chunk, what the template
// gains where it is on less what it loses where it is off.
func (c chunk) part(terms operand.Mem, pixel reg.GPVirtual, at int, zero, acc reg.VecVirtual) {
	win, lose := YMM(), YMM()
	VMOVUPS(terms.Offset(64+at), win)
	VSUBPS(operand.Mem{Base: c.on, Index: pixel, Scale: 4, Disp: at}, win, win)
	VMAXPS(zero, win, win)
	VMOVUPS(terms.Offset(at), lose)
	VSUBPS(operand.Mem{Base: c.off, Index: pixel, Scale: 4, Disp: at}, lose, lose)
	VMAXPS(zero, lose, lose)
	VSUBPS(lose, win, win)
	VADDPS(win, acc, acc)
}

// fold returns the sum of 8 numbers as a tree of halves.
func fold(words reg.VecVirtual) {
	x, y := words.AsX(), XMM()
	VEXTRACTF128(operand.Imm(1), words, y)
	VADDPS(y, x, x)
	VPERMILPS(operand.Imm(0x0e), x, y)
	VADDPS(y, x, x)
	VPERMILPS(operand.Imm(0x01), x, y)
	VADDSS(y, x, x)
	VZEROUPPER()
	Store(x, ReturnIndex(0))
	RET()
}

func gainAVX2() {
	TEXT("gainAVX2", NOSPLIT, "func(terms *float32, at *int32, n int, off, on *float32) float32")
	Doc("gainAVX2 implements Path.Gain for AVX2; n > 0.")
	Pragma("noescape")
	c := chunk{Load(Param("terms"), GP64()), Load(Param("at"), GP64()), Load(Param("n"), GP64()),
		Load(Param("off"), GP64()), Load(Param("on"), GP64())}
	zero, low, high := YMM(), []reg.VecVirtual{YMM(), YMM()}, []reg.VecVirtual{YMM(), YMM()}
	for _, r := range []reg.VecVirtual{zero, low[0], low[1], high[0], high[1]} {
		VPXOR(r, r, r)
	}
	c.loop(func(sum int, terms operand.Mem, pixel reg.GPVirtual) {
		c.part(terms, pixel, 0, zero, low[sum])
		c.part(terms, pixel, 32, zero, high[sum])
	})
	VADDPS(low[1], low[0], low[0])
	VADDPS(high[1], high[0], high[0])
	VADDPS(high[0], low[0], low[0])
	fold(low[0])
}

// copyAVX2 copies each row 32 bytes at a time; the next row is written over what
// goes beyond.
func copyAVX2() {
	TEXT("copyAVX2", NOSPLIT, "func(to, from *byte, rows, width, pitch int)")
	Doc("copyAVX2 implements Path.Copy for AVX2; rows > 0.")
	Pragma("noescape")
	to, from := Load(Param("to"), GP64()), Load(Param("from"), GP64())
	rows, width, pitch := Load(Param("rows"), GP64()), Load(Param("width"), GP64()), Load(Param("pitch"), GP64())
	Label("row")
	i := GP64()
	XORQ(i, i)
	Label("part")
	x := YMM()
	VMOVDQU(operand.Mem{Base: from, Index: i, Scale: 1}, x)
	VMOVDQU(x, operand.Mem{Base: to, Index: i, Scale: 1})
	ADDQ(operand.U32(32), i)
	CMPQ(i, width)
	JL(operand.LabelRef("part"))
	ADDQ(width, to)
	ADDQ(pitch, from)
	DECQ(rows)
	JNZ(operand.LabelRef("row"))
	VZEROUPPER()
	RET()
}

// overlapsAVX512 counts common ones of 8 places in the 8 words of a register, and of
// up to 32 places for each row of the template.
func overlapsAVX512() {
	TEXT("overlapsAVX512", NOSPLIT,
		"func(out *uint16, stride int, rows *uint64, template *uint64, height int, shift, columns, count int)")
	Doc("overlapsAVX512 implements Path.Overlaps; count is a multiple of 8.")
	Pragma("noescape")
	out, stride := Load(Param("out"), GP64()), Load(Param("stride"), GP64())
	rows, template := Load(Param("rows"), GP64()), Load(Param("template"), GP64())
	height, shift := Load(Param("height"), GP64()), Load(Param("shift"), GP64())
	columns, count := Load(Param("columns"), GP64()), Load(Param("count"), GP64())
	SHLQ(operand.Imm(1), stride)

	Label("overlaps_column")
	to, from, left := GP64(), GP64(), GP64()
	MOVQ(out, to)
	MOVQ(rows, from)
	MOVQ(count, left)
	for _, group := range []int{4, 2, 1} {
		name := map[int]string{4: "four", 2: "two", 1: "one"}[group]
		Label("overlaps_" + name)
		CMPQ(left, operand.U32(8*group))
		JL(operand.LabelRef("overlaps_" + name + "_end"))
		sums := make([]reg.VecVirtual, group)
		for i := range sums {
			sums[i] = ZMM()
			VPXORQ(sums[i], sums[i], sums[i])
		}
		row, word, n := GP64(), GP64(), GP64()
		MOVQ(from, row)
		MOVQ(template, word)
		MOVQ(height, n)
		Label("overlaps_" + name + "_row")
		bits, t := GP64(), ZMM()
		SHLXQ(shift, operand.Mem{Base: word}, bits)
		VPBROADCASTQ(bits, t)
		for i, sum := range sums {
			both := ZMM()
			VPANDQ(operand.Mem{Base: row, Disp: 64 * i}, t, both)
			VPOPCNTQ(both, both)
			VPADDQ(both, sum, sum)
		}
		ADDQ(operand.U32(8), row)
		ADDQ(operand.U32(8), word)
		DECQ(n)
		JNZ(operand.LabelRef("overlaps_" + name + "_row"))
		for i, sum := range sums {
			VPMOVQW(sum, operand.Mem{Base: to, Disp: 16 * i})
		}
		ADDQ(operand.U32(16*group), to)
		ADDQ(operand.U32(64*group), from)
		SUBQ(operand.U32(8*group), left)
		JMP(operand.LabelRef("overlaps_" + name))
		Label("overlaps_" + name + "_end")
	}
	ADDQ(stride, out)
	INCQ(shift)
	DECQ(columns)
	JNZ(operand.LabelRef("overlaps_column"))
	VZEROUPPER()
	RET()
}
