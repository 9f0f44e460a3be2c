package tables

import "math"

// numpyRand draws what NumPy's legacy generator draws after np.random.seed: the Mersenne
// twister MT19937 (Matsumoto and Nishimura 1998), with the seeding of 2002.
type numpyRand struct {
	state [624]uint32
	next  int
}

func newNumPyRand(seed uint32) *numpyRand {
	r := &numpyRand{next: 624}
	for i := range r.state {
		r.state[i] = seed
		seed = 1812433253*(seed^seed>>30) + uint32(i) + 1
	}
	return r
}

func (r *numpyRand) uint32() uint32 {
	if r.next == len(r.state) {
		for i := range r.state {
			y := r.state[i]&0x80000000 | r.state[(i+1)%624]&0x7fffffff
			r.state[i] = r.state[(i+397)%624] ^ y>>1 ^ y&1*0x9908b0df
		}
		r.next = 0
	}
	y := r.state[r.next]
	r.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// float64 draws a number of 53 bits below 1.
func (r *numpyRand) float64() float64 {
	a, b := r.uint32()>>5, r.uint32()>>6
	return (float64(a)*(1<<26) + float64(b)) / (1 << 53)
}

// bits draws a matrix of bits that are 1 with probability p <= 1/2: binomial(1, p, (n, d)),
// which inverts the distribution.
func (r *numpyRand) bits(p float64, n, d int) [][]bool {
	zero := math.Exp(math.Log(1 - p)) // the probability of a 0
	out := make([][]bool, n)
	for i := range out {
		out[i] = make([]bool, d)
		for j := range out[i] {
			out[i][j] = r.float64() > zero
		}
	}
	return out
}
