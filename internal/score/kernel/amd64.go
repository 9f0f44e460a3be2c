//go:build amd64 && !purego

package kernel

import "golang.org/x/sys/cpu"

//go:generate env GOWORK=off go -C ../gen run . -out ../kernel/kernels_amd64.s -stubs ../kernel/kernels_amd64.go -pkg kernel

// AVX-512 looks 64 entries up at once (VBMI), AVX2 only 16.
var (
	avx2 = &Path{Name: "avx2", Entries: 16, Rows: 2, Columns: 2, Pixels: 1,
		sums: sums(sumsAVX2), gain: gain, copies: copies, overlaps: overlapsPortable, stack: stack}
	avx512 = &Path{Name: "avx512", Entries: 64, Rows: 2, Columns: 3, Pixels: 2,
		sums: sums(sumsAVX512), gain: gain, copies: copies, overlaps: overlapsPortable, stack: stack}
)

// vector returns the paths of vector code that this machine has.
func vector() (paths []*Path) {
	if cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasBMI2 {
		avx512.overlaps = overlaps
	}
	if cpu.X86.HasAVX2 {
		paths = append(paths, avx2)
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VBMI {
		paths = append(paths, avx512)
	}
	return paths
}

// sums returns Path.sums by vector code, which takes bare addresses.
func sums(f func(sums, tops *uint16, tiles int, tables, codes *byte, lookups *int32, n int)) func(_, _ []uint16, _,
	_ []byte, _ []Lookup) {
	return func(sums, tops []uint16, tables, codes []byte, lookups []Lookup) {
		f(&sums[0], &tops[0], len(tops), &tables[0], &codes[0], &lookups[0].Table, len(lookups))
	}
}

// gain is Path.gain by vector code.
func gain(terms []float32, at []int32, off, on []float32) float32 {
	return gainAVX2(&terms[0], &at[0], len(at), &off[0], &on[0])
}

// copies is Path.copies by vector code.
func copies(to, from []byte, rows, width, pitch int) {
	copyAVX2(&to[0], &from[0], rows, width, pitch)
}

// stack is Path.stack by vector code.
func stack(sums, from, at []int32) { stackAVX2(&sums[0], &from[0], &at[0], len(at)) }

// overlaps is Path.overlaps by vector code.
func overlaps(out []uint16, stride int, rows, template []uint64, shift, columns, count int) {
	overlapsAVX512(&out[0], stride, &rows[0], &template[0], len(template), shift, columns, (count+7)&^7)
}
