//go:build !linux || !amd64 || purego

package kernel

// multiplyTiles returns nil: only Linux and amd64 have tiles.
func multiplyTiles() func(a []byte, depth int, b []byte, out []int32, vectors int) { return nil }
