package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stackAVX2 adds up 32 neighbouring numbers from each of n places.
func stackAVX2() {
	const width = 32
	TEXT("stackAVX2", NOSPLIT, "func(sums, from, at *int32, n int)")
	Doc("stackAVX2 implements Path.Stack for AVX2; n > 0.")
	Pragma("noescape")
	sums, from := Load(Param("sums"), GP64()), Load(Param("from"), GP64())
	at, n := Load(Param("at"), GP64()), Load(Param("n"), GP64())
	acc := make([]reg.VecVirtual, 128/width)
	for i := range acc {
		acc[i] = YMM()
		VPXOR(acc[i], acc[i], acc[i])
	}
	Label("next")
	place := GP64()
	MOVLQSX(operand.Mem{Base: at}, place)
	for i := range acc {
		VPADDD(operand.Mem{Base: from, Index: place, Scale: 4, Disp: width * i}, acc[i], acc[i])
	}
	ADDQ(operand.U32(4), at)
	DECQ(n)
	JNZ(operand.LabelRef("next"))
	for i := range acc {
		VMOVDQU(acc[i], operand.Mem{Base: sums, Disp: width * i})
	}
	VZEROUPPER()
	RET()
}
