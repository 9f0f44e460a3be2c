// Command gen writes the assembly of package roofline:
//
//	cd experiments/bench/roofline && go generate
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// width is a vector register file.
type width struct {
	name   string
	bytes  int
	reg    func() reg.VecVirtual
	lookup func(acc reg.VecVirtual, x operand.Op) // of as many entries as the instruction has
}

var widths = []width{
	{"YMM", 32, YMM, func(acc reg.VecVirtual, x operand.Op) { VPSHUFB(acc, x, acc) }}, // 16 entries
	{"ZMM", 64, ZMM, func(acc reg.VecVirtual, x operand.Op) { VPERMB(x, acc, acc) }},  // 64 entries
}

// chains of independent operations hide their latency: 4 cycles at 2 per cycle need 8.
const chains = 12

// additions of an iteration of addChain.
const additions = 16

// unroll is the number of loads of an iteration.
const unroll = 8

func main() {
	addChain()
	for _, w := range widths {
		arithmetic(w, "fma", 4, "%d fused multiply-adds of float32", func(acc reg.VecVirtual, x operand.Op) { VFMADD231PS(x, x, acc) })
		arithmetic(w, "add", 4, "%d additions of float32", func(acc reg.VecVirtual, x operand.Op) { VADDPS(x, acc, acc) })
		arithmetic(w, "words", 2, "%d additions of 16 bits", func(acc reg.VecVirtual, x operand.Op) { VPADDW(x, acc, acc) })
		arithmetic(w, "lookup", 1, "%d lookups of bytes in a register", w.lookup)
		stream(w, "load", "reads", func(m operand.Mem, acc reg.VecVirtual) { VMOVUPS(m, acc) })
		stream(w, "loadAdd", "reads and adds up, as float32,", func(m operand.Mem, acc reg.VecVirtual) { VADDPS(m, acc, acc) })
	}
	Generate()
}

// loop runs its body as often as the parameter n says, at least once.
func loop(label string, body func()) {
	n := Load(Param("n"), GP64())
	Label(label)
	body()
	DECQ(n)
	JNZ(operand.LabelRef(label))
}

// addChain adds register to register: processors rename away the addition of a
// constant.
func addChain() {
	TEXT("addChain", NOSPLIT, "func(n int64) int64")
	Doc(fmt.Sprintf("addChain does n times %d additions that wait for each other: a cycle each. n >= 1.", additions))
	x, one := GP64(), GP64()
	XORQ(x, x)
	MOVQ(operand.U32(1), one)
	loop("chain", func() {
		for range additions {
			ADDQ(one, x)
		}
	})
	Store(x, ReturnIndex(0))
	RET()
}

// arithmetic keeps the arithmetic units busy from registers alone.
func arithmetic(w width, name string, size int, doc string, op func(acc reg.VecVirtual, x operand.Op)) {
	TEXT(name+w.name, NOSPLIT, "func(n int64)")
	Doc(fmt.Sprintf("%s does n times "+doc+", independent of each other. n >= 1.", name+w.name, chains*w.bytes/size))
	x := w.reg()
	acc := accumulators(w, chains)
	zero(w, x)
	loop("arithmetic", func() {
		for _, a := range acc {
			op(a, x)
		}
	})
	VZEROUPPER()
	RET()
}

// stream reads a buffer from its beginning to its end, repeatedly.
func stream(w width, name, doc string, op func(m operand.Mem, acc reg.VecVirtual)) {
	TEXT(name+w.name, NOSPLIT, "func(p *byte, bytes, n int64)")
	Doc(fmt.Sprintf("%s %s the bytes at p, n times. bytes is a multiple of %d, n >= 1.", name+w.name, doc, unroll*w.bytes))
	start, bytes := Load(Param("p"), GP64()), Load(Param("bytes"), GP64())
	end := GP64()
	LEAQ(operand.Mem{Base: start, Index: bytes, Scale: 1}, end)
	acc := accumulators(w, unroll)
	loop("pass", func() {
		at := GP64()
		MOVQ(start, at)
		Label("read")
		for i, a := range acc {
			op(operand.Mem{Base: at, Disp: i * w.bytes}, a)
		}
		ADDQ(operand.U32(unroll*w.bytes), at)
		CMPQ(at, end)
		JB(operand.LabelRef("read"))
	})
	VZEROUPPER()
	RET()
}

func accumulators(w width, n int) []reg.VecVirtual {
	acc := make([]reg.VecVirtual, n)
	for i := range acc {
		acc[i] = w.reg()
		zero(w, acc[i])
	}
	return acc
}

// zero clears a register; the wide ones need the instruction of AVX-512F.
func zero(w width, r reg.VecVirtual) {
	if w.bytes == 64 {
		VPXORD(r, r, r)
		return
	}
	VPXOR(r, r, r)
}
