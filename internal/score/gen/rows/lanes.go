package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What the loops share: arguments, constants, lanes and masks of them.

// lanes is how many numbers of 32 bits AVX2 adds up at once.
const lanes = 8

// load loads some vectors of AVX2 from memory into registers.
func load(at reg.Register, width int) []reg.VecVirtual {
	acc := make([]reg.VecVirtual, width)
	for i := range acc {
		acc[i] = YMM()
		VMOVDQU(Mem{Base: at, Disp: 4 * lanes * i}, acc[i])
	}
	return acc
}

func store(acc []reg.VecVirtual, at reg.Register) {
	for i := range acc {
		VMOVDQU(acc[i], Mem{Base: at, Disp: 4 * lanes * i})
	}
}

// broadcast returns a number in all lanes of a vector of AVX2.
func broadcast(number reg.Register) reg.VecVirtual {
	x, out := XMM(), YMM()
	VMOVD(number, x)
	VPBROADCASTD(x, out)
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
