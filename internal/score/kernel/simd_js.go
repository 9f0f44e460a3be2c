//go:build js && wasmsimd

package kernel

// In a browser the host brings the vector code: Go writes none of it for WebAssembly.
// studio/static has the module, and says that a program needs it.
var simd = &Path{Name: "simd", Entries: 64, Rows: 2, Columns: 3, Pixels: 2,
	sums: sumsPortable, gain: gainPortable, copies: copyPortable, overlaps: overlapsPortable,
	stack: func(sums, from, at []int32) {
		stackSIMD(&sums[0], &from[0], &at[0], int32(len(at)))
	}}

// stackSIMD is Path.stack of bare addresses; n > 0.
//
//go:wasmimport patchwork stack
//go:noescape
func stackSIMD(sums, from, at *int32, n int32)

// vector returns the paths of vector code that this machine has.
func vector() []*Path { return []*Path{simd} }
