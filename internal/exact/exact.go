// Package exact adds integers of 128 bits, so that sums of counts, of
// fixed-point numbers and of products do not depend on the order of their terms.
package exact

import (
	"math"
	"math/big"
	"math/bits"
)

// NatsUnit is the number of units per nat in fixed-point sums of log-likelihoods.
const NatsUnit = 1 << 20

// Int128 is a two's complement integer of 128 bits: Hi * 2^64 + Lo. The zero
// value is 0.
type Int128 struct {
	Hi int64
	Lo uint64
}

// Add returns a + b, modulo 2^128.
func (a Int128) Add(b Int128) Int128 {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(uint64(a.Hi), uint64(b.Hi), carry)
	return Int128{int64(hi), lo}
}

// Product returns x * y, which always fits in 128 bits.
func Product(x, y int64) Int128 {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	// Read as unsigned, a negative factor is 2^64 too large.
	if x < 0 {
		hi -= uint64(y)
	}
	if y < 0 {
		hi -= uint64(x)
	}
	return Int128{int64(hi), lo}
}

// Float returns the nearest float64, up to one rounding of each half.
func (a Int128) Float() float64 {
	if a.Hi < 0 { // round the absolute value; otherwise small numbers would cancel
		lo, borrow := bits.Sub64(0, a.Lo, 0)
		return -Int128{-a.Hi - int64(borrow), lo}.Float()
	}
	return math.Ldexp(float64(a.Hi), 64) + float64(a.Lo)
}

// Big returns the number as a big.Int.
func (a Int128) Big() *big.Int {
	x := big.NewInt(a.Hi)
	x.Lsh(x, 64)
	return x.Add(x, new(big.Int).SetUint64(a.Lo))
}
