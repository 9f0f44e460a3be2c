package kernel

import "encoding/binary"

// portable is plain Go. It says what the vector paths compute.
var portable = &Path{Name: "portable", Entries: 64, Rows: 2, Columns: 3, Pixels: 2,
	sums: sumsPortable, gain: gainPortable, copies: copyPortable, stack: stackPortable, overlaps: overlapsPortable}

func sumsPortable(sums, tops []uint16, tables, codes []byte, lookups []Lookup) {
	at := func(l Lookup, tile int) (*[64]byte, *[Tile]byte) {
		return (*[64]byte)(tables[l.Table:]), (*[Tile]byte)(codes[int(l.Code)+tile*Tile:])
	}
	for t := range tops {
		var acc [Tile]uint16
		left := lookups
		for ; len(left) >= 4; left = left[4:] { // one look at acc for four tables
			t0, c0 := at(left[0], t)
			t1, c1 := at(left[1], t)
			t2, c2 := at(left[2], t)
			t3, c3 := at(left[3], t)
			for i := range acc {
				acc[i] += uint16(t0[c0[i]&63]) + uint16(t1[c1[i]&63]) + uint16(t2[c2[i]&63]) + uint16(t3[c3[i]&63])
			}
		}
		for _, l := range left {
			table, codes := at(l, t)
			for i, c := range codes {
				acc[i] += uint16(table[c&63])
			}
		}
		store((*[Tile]uint16)(sums[t*Tile:]), &tops[t], &acc)
	}
}

// store puts the sums of a tile where they belong.
func store(sums *[Tile]uint16, top *uint16, acc *[Tile]uint16) {
	*top = 0
	for i, a := range acc {
		sums[Position(i)&(Tile-1)] = a
		*top = max(*top, a)
	}
}

func gainPortable(terms []float32, at []int32, off, on []float32) float32 {
	var sums [2][Chunk]float32
	for i, a := range at {
		tOff, tOn := (*[Chunk]float32)(terms[2*Chunk*i:]), (*[Chunk]float32)(terms[2*Chunk*i+Chunk:])
		aOff, aOn := (*[Chunk]float32)(off[a:]), (*[Chunk]float32)(on[a:])
		sum := &sums[i&1]
		for j := range sum {
			d := float32(0)
			if t := tOn[j] - aOn[j]; t > 0 {
				d = t
			}
			if t := tOff[j] - aOff[j]; t > 0 {
				d -= t
			}
			sum[j] += d
		}
	}
	sum := &sums[0]
	for j, x := range sums[1] {
		sum[j] += x
	}
	for half := Chunk / 2; half > 0; half /= 2 {
		for j := range half {
			sum[j] += sum[j+half]
		}
	}
	return sum[0]
}

func copyPortable(to, from []byte, rows, width, pitch int) {
	for r := range rows {
		row := from[r*pitch:]
		for i := 0; i < width; i += 8 {
			binary.LittleEndian.PutUint64(to[r*width+i:], binary.LittleEndian.Uint64(row[i:]))
		}
	}
}
