package synth

import "math/rand/v2"

// A purpose separates the random streams of one seed: two draws with different
// purposes are independent even if their numbers agree. The values determine
// the output of a seed; append, never renumber.
type purpose uint64

const (
	forQuadrants purpose = 1 + iota
	forBars
	forScene
	forNoise
	forWriter       // habits of a writer, all characters
	forWriterLetter // habits of a writer in one character
	forSample       // one drawing
	forDigit        // separates digit glyphs from letters of the same seed
	forSheet        // places and noise of a sheet
	forSymbol       // one symbol
)

// stream returns the generator for (seed, p, path...): the numbers are folded
// into 64 bits one after the other, as in SplitMix64.
func stream(seed uint64, p purpose, path ...int) *rand.Rand {
	h := scramble(seed) + uint64(p)
	h = scramble(h)
	for _, v := range path {
		h = scramble(h + uint64(v))
	}
	return rand.New(rand.NewPCG(h, scramble(h)))
}

// scramble performs one step of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a
// bijection of 64-bit words that sends neighbours far apart.
func scramble(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// chance returns true with probability p. It always takes one draw, so changing
// p does not change later draws.
func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }
