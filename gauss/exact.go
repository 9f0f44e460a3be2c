package gauss

import (
	"math/big"
	"math/bits"
)

// int128 is a two's complement integer of 128 bits. Sums of products of
// coordinates fit with room to spare (see the bounds at [Moments]), so that
// adding never overflows, in whatever order.
type int128 struct {
	hi int64
	lo uint64
}

func (a int128) plus(b int128) int128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(uint64(a.hi), uint64(b.hi), carry)
	return int128{int64(hi), lo}
}

// product is x*y, exactly.
func product(x, y int64) int128 {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	// Read as unsigned, a negative factor is 2^64 too large.
	if x < 0 {
		hi -= uint64(y)
	}
	if y < 0 {
		hi -= uint64(x)
	}
	return int128{int64(hi), lo}
}

// big is the same number without a limit.
func (a int128) big() *big.Int {
	x := big.NewInt(a.hi)
	x.Lsh(x, 64)
	return x.Add(x, new(big.Int).SetUint64(a.lo))
}
