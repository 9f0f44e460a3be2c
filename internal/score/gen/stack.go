package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stack writes a function that adds up 32 neighbouring numbers from each of n
// places.
func stack(name, doc string, vector func() reg.VecVirtual, width int, clear,
	load func(operand.Op, operand.Op, operand.Op), store func(operand.Op, operand.Op)) {
	TEXT(name, NOSPLIT, "func(sums, from, at *int32, n int)")
	Doc(doc)
	Pragma("noescape")
	sums, from := Load(Param("sums"), GP64()), Load(Param("from"), GP64())
	at, n := Load(Param("at"), GP64()), Load(Param("n"), GP64())
	acc := make([]reg.VecVirtual, 128/width)
	for i := range acc {
		acc[i] = vector()
		clear(acc[i], acc[i], acc[i])
	}
	Label("next")
	place := GP64()
	MOVLQSX(operand.Mem{Base: at}, place)
	for i := range acc {
		load(operand.Mem{Base: from, Index: place, Scale: 4, Disp: width * i}, acc[i], acc[i])
	}
	ADDQ(operand.U32(4), at)
	DECQ(n)
	JNZ(operand.LabelRef("next"))
	for i := range acc {
		store(acc[i], operand.Mem{Base: sums, Disp: width * i})
	}
	VZEROUPPER()
	RET()
}

func stackAVX512() {
	stack("stackAVX512", "stackAVX512 implements Path.Stack for AVX-512; n > 0.", ZMM, 64, xor512,
		func(a, b, c operand.Op) { VPADDD(a, b, c) }, func(a, b operand.Op) { VMOVDQU32(a, b) })
}

func stackAVX2() {
	stack("stackAVX2", "stackAVX2 implements Path.Stack for AVX2; n > 0.", YMM, 32, xor256,
		func(a, b, c operand.Op) { VPADDD(a, b, c) }, func(a, b operand.Op) { VMOVDQU(a, b) })
}
