package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What the loops share: lanes.

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
