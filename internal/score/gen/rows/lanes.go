package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What the loops share: arguments, constants, lanes and masks of them.

// vector is what a machine adds up at once.
type vector struct {
	lanes  int // of 32 bits
	suffix string
	new    func() reg.VecVirtual
	xor    func(a, b, c Op)
	move   func(from, to Op)
}

var (
	zmm = &vector{16, "", ZMM, func(a, b, c Op) { VPXORD(a, b, c) }, func(a, b Op) { VMOVDQU32(a, b) }}
	ymm = &vector{8, "AVX2", YMM, func(a, b, c Op) { VPXOR(a, b, c) }, func(a, b Op) { VMOVDQU(a, b) }}
)

// name returns the name of a function for some vectors; its format takes how many lanes they have.
func (v *vector) name(format string, width int) string {
	if width > 0 {
		format = fmt.Sprintf(format, v.lanes*width)
	}
	return format + v.suffix
}

// load loads some vectors from memory into registers.
func (v *vector) load(at reg.Register, width int) []reg.VecVirtual {
	acc := make([]reg.VecVirtual, width)
	for i := range acc {
		acc[i] = v.new()
		v.move(Mem{Base: at, Disp: 4 * v.lanes * i}, acc[i])
	}
	return acc
}

func (v *vector) store(acc []reg.VecVirtual, at reg.Register) {
	for i := range acc {
		v.move(acc[i], Mem{Base: at, Disp: 4 * v.lanes * i})
	}
}

// broadcast returns a number in all lanes.
func (v *vector) broadcast(number reg.Register) reg.VecVirtual {
	out := v.new()
	if v != zmm { // it has no way from a number to a vector
		x := XMM()
		VMOVD(number, x)
		number = x
	}
	VPBROADCASTD(number, out)
	return out
}

// fixed returns a parameter on the stack: it is read too seldom for a register.
func fixed(name string) Mem {
	at, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return at.Addr
}

// aligned returns memory of this function's, at a multiple of 64 bytes.
func aligned(size int) reg.Register {
	at := GP64()
	LEAQ(AllocLocal(size+64), at)
	ADDQ(Imm(63), at)
	ANDQ(I32(-64), at)
	return at
}

// clear sets vectors to 0.
func clear(v []reg.VecVirtual) {
	for i := range v {
		zero(v[i])
	}
}

func vectors(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = ZMM()
	}
	return v
}

// spread returns an argument of 32 bits in all lanes. (For go vet, VPBROADCASTD reads 64 bits.)
func spread(name string) reg.VecVirtual {
	v := ZMM()
	VBROADCASTSS(fixed(name), v)
	return v
}

// zero makes v zero. Of VPXORD, avo does not know that it reads nothing then.
func zero(v reg.VecVirtual) {
	Instruction(&ir.Instruction{Opcode: "VPXORD", Operands: []Op{v, v, v}, Outputs: []Op{v}, ISA: []string{"AVX512F"}})
}

// number returns a number in all lanes of 32 bits.
func number(n int32) reg.VecVirtual {
	v := ZMM()
	if n == 0 {
		zero(v)
		return v
	}
	if _, ok := constants[n]; !ok {
		constants[n] = ConstData(fmt.Sprintf("number%d", len(constants)), U32(uint32(n)))
	}
	VPBROADCASTD(constants[n], v)
	return v
}

var constants = map[int32]Mem{}

// below returns a mask of so many lanes, the first ones, as bits.
func below(n reg.Register) reg.GPVirtual {
	bits := GP64()
	MOVQ(U64(1), bits)
	SHLXQ(n, bits, bits)
	DECQ(bits)
	return bits
}

// upTo returns the smaller of two numbers.
func upTo(most uint64, n Op) reg.GPVirtual {
	some, m := GP64(), GP64()
	MOVQ(U64(most), m)
	MOVQ(n, some)
	CMPQ(some, m)
	CMOVQGT(m, some)
	return some
}
