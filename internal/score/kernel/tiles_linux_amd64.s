//go:build !purego

#include "textflag.h"

// Go's assembler has no names for the instructions on tiles: they are bytes, with the
// registers in the comments.

// func tilesPermitted() int
//
// arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA): 0, or an error.
TEXT ·tilesPermitted(SB), NOSPLIT, $0-8
	MOVQ $158, AX
	MOVQ $0x1023, DI
	MOVQ $18, SI
	SYSCALL
	MOVQ AX, ret+0(FP)
	RET

// func tiles(config, a *byte, chunks, depth int, b *byte, out *int32, vectors int)
TEXT ·tiles(SB), NOSPLIT, $0-56
	MOVQ config+0(FP), AX
	BYTE $0xc4; BYTE $0xe2; BYTE $0x78; BYTE $0x49; BYTE $0x00 // LDTILECFG (AX)
	MOVQ depth+24(FP), DX
	SHLQ $6, DX              // bytes of a row of a
	MOVQ $64, R9
	MOVQ vectors+48(FP), R12
	SHLQ $6, R12             // bytes of a plane of a row of out
	LEAQ (R12)(R12*2), R10   // of a row
	MOVQ chunks+16(FP), R15
	MOVQ out+40(FP), DI

chunk:
	MOVQ b+32(FP), BX
	MOVQ vectors+48(FP), R8

vector:
	BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x49; BYTE $0xc0 // TILEZERO TMM0
	BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x49; BYTE $0xc8 // TILEZERO TMM1
	BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x49; BYTE $0xd0 // TILEZERO TMM2
	MOVQ a+8(FP), SI
	MOVQ depth+24(FP), CX

deep:
	BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x4b; BYTE $0x34; BYTE $0x16 // TILELOADD (SI)(DX*1), TMM6
	BYTE $0xc4; BYTE $0xa2; BYTE $0x7b; BYTE $0x4b; BYTE $0x3c; BYTE $0x0b // TILELOADD (BX)(R9*1), TMM7
	BYTE $0xc4; BYTE $0xe2; BYTE $0x40; BYTE $0x5e; BYTE $0xc6             // TDPBUUD TMM7, TMM6, TMM0
	ADDQ $1024, BX
	BYTE $0xc4; BYTE $0xa2; BYTE $0x7b; BYTE $0x4b; BYTE $0x3c; BYTE $0x0b // TILELOADD (BX)(R9*1), TMM7
	BYTE $0xc4; BYTE $0xe2; BYTE $0x40; BYTE $0x5e; BYTE $0xce             // TDPBUUD TMM7, TMM6, TMM1
	ADDQ $1024, BX
	BYTE $0xc4; BYTE $0xa2; BYTE $0x7b; BYTE $0x4b; BYTE $0x3c; BYTE $0x0b // TILELOADD (BX)(R9*1), TMM7
	BYTE $0xc4; BYTE $0xe2; BYTE $0x40; BYTE $0x5e; BYTE $0xd6             // TDPBUUD TMM7, TMM6, TMM2
	ADDQ $1024, BX
	ADDQ $64, SI
	DECQ CX
	JNZ  deep
	LEAQ (DI)(R12*1), R11
	LEAQ (DI)(R12*2), R13
	BYTE $0xc4; BYTE $0xa2; BYTE $0x7a; BYTE $0x4b; BYTE $0x04; BYTE $0x17             // TILESTORED TMM0, (DI)(R10*1)
	BYTE $0xc4; BYTE $0x82; BYTE $0x7a; BYTE $0x4b; BYTE $0x0c; BYTE $0x13             // TILESTORED TMM1, (R11)(R10*1)
	BYTE $0xc4; BYTE $0x82; BYTE $0x7a; BYTE $0x4b; BYTE $0x54; BYTE $0x15; BYTE $0x00 // TILESTORED TMM2, (R13)(R10*1)
	ADDQ $64, DI
	DECQ R8
	JNZ  vector
	SUBQ R12, DI
	MOVQ R10, AX
	SHLQ $4, AX
	ADDQ AX, DI
	MOVQ DX, AX
	SHLQ $4, AX
	ADDQ AX, a+8(FP)
	DECQ R15
	JNZ  chunk
	BYTE $0xc4; BYTE $0xe2; BYTE $0x78; BYTE $0x49; BYTE $0xc0 // TILERELEASE
	RET
