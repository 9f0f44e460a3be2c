//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

//go:noescape
func tiles(config, a *byte, chunks, depth int, b *byte, out *int32, vectors int)

func tilesPermitted() int

// tileConfig says that all eight tiles are 16 rows of 64 bytes.
var tileConfig = func() (c [64]byte) {
	c[0] = 1
	for i := range 8 {
		c[16+2*i], c[48+i] = 64, 16
	}
	return c
}()

// multiplyTiles returns RowLoops.Multiply where the machine has tiles and the system lets
// this process use them, or nil. Each call begins with its configuration and gives the tiles back at its
// end, so that no more than that is kept for a thread that is interrupted elsewhere.
func multiplyTiles() func(a []byte, depth int, b []byte, out []int32, vectors int) {
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXInt8 || tilesPermitted() != 0 {
		return nil
	}
	return func(a []byte, depth int, b []byte, out []int32, vectors int) {
		rows := len(a) / (64 * depth)
		if rows == 0 || rows%16 != 0 {
			panic("kernel: Multiply takes 16 rows at a time")
		}
		_, _ = b[3*1024*depth*vectors-1], out[3*16*vectors*rows-1]
		tiles(&tileConfig[0], &a[0], rows/16, depth, &b[0], &out[0], vectors)
	}
}
