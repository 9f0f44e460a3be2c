package main

import "bytes"

// simdModule returns the vector code that the studio calls for internal/score/kernel, as a
// module of WebAssembly that shares the studio's memory:
//
//	stack(sums, from, at *int32, n int32): sums[l] = the sum over i < n of from[at[i]+l], for l < 32
//
// which is Path.Stack; n > 0.
func simdModule() []byte {
	const i32, v128 = 0x7f, 0x7b
	section := func(id byte, content ...[]byte) []byte { return append([]byte{id}, sized(bytes.Join(content, nil))...) }
	return bytes.Join([][]byte{
		[]byte("\x00asm\x01\x00\x00\x00"),
		section(1, []byte{1, 0x60, 4, i32, i32, i32, i32, 0}),                // type 0: four numbers, nothing
		section(2, []byte{1}, name("go"), name("mem"), []byte{2, 0, 1}),      // the memory of Go
		section(3, []byte{1, 0}),                                             // a function of type 0
		section(7, []byte{1}, name("stack"), []byte{0, 0}),                   // which has this name
		section(10, []byte{1}, sized(stackCode([]byte{1, lanes / 4, v128}))), // and this code
	}, nil)
}

// lanes is kernel.Lanes, four to a vector.
const lanes = 32

// stackCode returns the code of stack, whose parameters are locals 0 to 3; the sums are
// locals 4 to 11.
func stackCode(locals []byte) []byte {
	const (
		loop, brIf, end   = 0x03, 0x0d, 0x0b
		get, set, tee     = 0x20, 0x21, 0x22
		load, number      = 0x28, 0x41
		add, sub, shl     = 0x6a, 0x6b, 0x74
		vector            = 0xfd
		none              = 0x40
		sums, from, at, n = 0, 1, 2, 3
		vectorSize        = 16
	)
	code := append([]byte{}, locals...)
	code = append(code, loop, none)
	for i := range byte(lanes / 4) { // sum i += 4 numbers at from + 4*at[0] + 16*i
		code = append(code, get, 4+i, get, from, get, at, load, 2, 0, number, 2, shl, add, vector, 0, 2, vectorSize*i, vector,
			0xae, 1, set, 4+i)
	}
	code = append(code, get, at, number, 4, add, set, at) // at++
	code = append(code, get, n, number, 1, sub, tee, n, brIf, 0, end)
	for i := range byte(lanes / 4) {
		code = append(code, get, sums, get, 4+i, vector, 11, 2, vectorSize*i)
	}
	return append(code, end)
}

// sized returns content after its length, and name a name likewise; both are short.
func sized(content []byte) []byte {
	n := len(content)
	return append([]byte{byte(n&0x7f | 0x80), byte(n >> 7)}, content...)
}

func name(text string) []byte { return append([]byte{byte(len(text))}, text...) }
