package kernel

import "math/bits"

// OverlapPad is how many words must follow the last row that Overlaps reads.
const OverlapPad = 8

// Overlaps counts the bits that rows and a shifted template have in common: for i <
// columns and y < count,
//
//	out[i*stride+y] = sum over r of the number of ones of rows[y+r] & template[r]<<(shift+i).
//
// What out holds at the other y < stride may change. Stride must be at least count rounded up to
// a multiple of 8, and rows must hold OverlapPad words more than are read. The
// sums are taken modulo 2^16. It panics where a slice is too short.
func (p *Path) Overlaps(out []uint16, stride int, rows, template []uint64, shift, columns, count int) {
	if columns <= 0 || count <= 0 || len(template) == 0 {
		return
	}
	whole := (count + 7) &^ 7
	if stride < whole || shift < 0 || shift+columns > 64 {
		panic("kernel: overlaps outside their buffer or their word")
	}
	_ = out[(columns-1)*stride+whole-1]
	_ = rows[whole+len(template)-2]
	p.overlaps(out, stride, rows, template, shift, columns, count)
}

// overlapsPortable is Overlaps in plain Go.
func overlapsPortable(out []uint16, stride int, rows, template []uint64, shift, columns, count int) {
	var shifted [64]uint64
	for i := range columns {
		t := shifted[:0]
		for _, w := range template {
			t = append(t, w<<(shift+i))
		}
		to := out[i*stride:][:count]
		for y := range to {
			from := rows[y:][:len(t)]
			n := 0
			for r, w := range t {
				n += bits.OnesCount64(from[r] & w)
			}
			to[y] = uint16(n)
		}
	}
}
