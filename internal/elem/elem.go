// Package elem computes elementary functions with the same result on every machine.
//
// Those of package math have no such promise: Exp and Log are assembly on some
// processors, and a compiler may fuse a multiplication with an addition (on arm64, and on
// amd64 with GOAMD64=v3), which rounds once instead of twice. Here every product is
// rounded by an explicit conversion before it is added, which the language
// specification says no compiler may leave out, and only +, -, *, / and [math.Sqrt]
// are used, which IEEE 754 rounds correctly. Functions of math that are exact (Abs, Floor,
// Round, Mod, Frexp, Ldexp, FMA and the like) are not needed here.
//
// The errors stated are the largest that the tests find, in units in the last place
// (ULP), compared with numbers of 300 bits; a correctly rounded result has at most 0.5.
//
// Log, Log1p and Erfc are those of FreeBSD's msun, Sincos and Atan2 those of the Cephes
// library, all as the Go authors wrote them in Go; see the file LICENSE. Exp uses the
// table-driven method of Tang (ACM Transactions on Mathematical Software 15, 1989).
package elem

import "math"

const (
	ln2Hi = 6.93147180369123816490e-01 // 0x3fe62e42fee00000: products with 21-bit integers are exact
	ln2Lo = 1.90821492927058770002e-10 // 0x3dea39ef35793c76
)

// power is 2^(i/32): the bits of the nearest float64, and how much is missing, relatively.
type power struct {
	bits uint64
	tail float64
}

// powers are the 32 numbers 2^(i/32).
var powers = [32]power{
	{0x3ff0000000000000, 0.0},
	{0x3ff059b0d3158574, 4.9997448722726326e-17},
	{0x3ff0b5586cf9890f, 8.189317638195515e-17},
	{0x3ff11301d0125b51, -7.402825309426177e-17},
	{0x3ff172b83c7d517b, -2.7939114859515733e-17},
	{0x3ff1d4873168b9aa, 9.341710609905046e-17},
	{0x3ff2387a6e756238, 7.826573258636076e-17},
	{0x3ff29e9df51fdee1, 3.2904726646008416e-17},
	{0x3ff306fe0a31b715, 3.3484623336251524e-17},
	{0x3ff371a7373aa9cb, -6.346552106729483e-17},
	{0x3ff3dea64c123422, 3.750854201303127e-17},
	{0x3ff44e086061892d, 2.1023049675215714e-18},
	{0x3ff4bfdad5362a27, 1.9572585293112036e-17},
	{0x3ff5342b569d4f82, -2.1571477251208752e-17},
	{0x3ff5ab07dd485429, 5.68648095791174e-17},
	{0x3ff6247eb03a5585, -4.8923067513522756e-17},
	{0x3ff6a09e667f3bcd, -6.835808657661922e-17},
	{0x3ff71f75e8ec5f74, -2.092304381843353e-17},
	{0x3ff7a11473eb0187, -2.3591094770850053e-17},
	{0x3ff82589994cce13, -6.735219232374683e-17},
	{0x3ff8ace5422aa0db, 5.1548301170786783e-17},
	{0x3ff93737b0cdc5e5, -6.432131775424189e-18},
	{0x3ff9c49182a3f090, 1.5341410053603723e-17},
	{0x3ffa5503b23e255d, -6.152602891550265e-17},
	{0x3ffae89f995ad3ad, 4.875160526227062e-17},
	{0x3ffb7f76f2fb5e47, -1.0772487078934056e-17},
	{0x3ffc199bdd85529c, 1.685487290628973e-17},
	{0x3ffcb720dcef9069, 1.01562190116415e-17},
	{0x3ffd5818dcfba487, 1.790126907604513e-17},
	{0x3ffdfc97337b9b5f, -3.266924100901318e-17},
	{0x3ffea4afa2a490da, -5.545065618639427e-17},
	{0x3fff50765b6e4540, 4.5784915277060095e-17},
}

// Exp returns e to the power x, wrong by less than 0.53 ULP, or 1.1 where the result is
// subnormal: +Inf above 709.78, 0 below -745.13, NaN for NaN.
func Exp(x float64) float64 {
	if !(math.Abs(x) < 708) {
		return expEdge(x)
	}
	return expScaled(x, 0)
}

// expScaled returns e to the power x, over 2^down; both results are normal numbers.
func expScaled(x float64, down int32) float64 {
	const shift = 0x1.8p52 // adding it rounds to an integer, in the lowest bits
	z := float64(x*(32/math.Ln2)) + shift
	n := z - shift
	r := (x - float64(n*(ln2Hi/32))) - float64(n*(ln2Lo/32)) // |r| < ln 2 / 64
	k := int32(uint32(math.Float64bits(z)))
	p := &powers[k&31]
	scale := math.Float64frombits(p.bits + uint64(int64(k>>5-down))<<52)
	rr := float64(r * r)
	high := float64(1./24+float64(r*(1./120))) + float64(rr*(1./720))
	low := 1./2 + float64(r*(1./6))
	sum := p.tail + float64(rr*(low+float64(rr*high))) + r
	return scale + float64(scale*sum)
}

// expEdge is Exp of what is not a number, and where results are not normal numbers.
func expEdge(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > 709.782712893384:
		return math.Inf(1)
	case x < -745.1332191019412:
		return 0
	case x > 0:
		return expScaled(x, 2) * 4
	}
	return expScaled(x, -64) * (1. / (1 << 32)) * (1. / (1 << 32))
}

// Log returns the natural logarithm of x, wrong by less than 0.9 ULP: -Inf for 0, NaN for
// less and for NaN, +Inf for +Inf.
func Log(x float64) float64 {
	const (
		l1 = 6.666666666666735130e-01 // 0x3FE5555555555593
		l2 = 3.999999999940941908e-01 // 0x3FD999999997FA04
		l3 = 2.857142874366239149e-01 // 0x3FD2492494229359
		l4 = 2.222219843214978396e-01 // 0x3FCC71C51D8E78AF
		l5 = 1.818357216161805012e-01 // 0x3FC7466496CB03DE
		l6 = 1.531383769920937332e-01 // 0x3FC39A09D078C69F
		l7 = 1.479819860511658591e-01 // 0x3FC2F112DF3E5244

		one   = 0x3ff << 52
		half  = 0x3fe6a09e667f3bcd // of the square root of 1/2
		below = one - half
	)
	b, at := math.Float64bits(x), 0
	if b-1<<52 >= 0x7fe<<52 { // negative, 0, subnormal, infinite, or not a number
		switch {
		case math.IsNaN(x) || math.IsInf(x, 1):
			return x
		case x < 0:
			return math.NaN()
		case x == 0:
			return math.Inf(-1)
		}
		b, at = math.Float64bits(x*(1<<52)), -52
	}
	// x = 2^k (1 + f), with sqrt(1/2) <= 1 + f < sqrt(2).
	b += below
	k := float64(int(b>>52) - 0x3ff + at)
	f := math.Float64frombits(b&(1<<52-1)+half) - 1
	s := f / (2 + f)
	ss := float64(s * s)
	ssss := float64(ss * ss)
	t1 := float64(ss * (l1 + float64(ssss*(l3+float64(ssss*(l5+float64(ssss*l7)))))))
	t2 := float64(ssss * (l2 + float64(ssss*(l4+float64(ssss*l6)))))
	hfsq := float64(0.5 * f * f)
	return float64(k*ln2Hi) - ((hfsq - (float64(s*(hfsq+(t1+t2))) + float64(k*ln2Lo))) - f)
}

// Log2 returns the binary logarithm of x, wrong by less than 2 ULP, and exact for powers of 2.
func Log2(x float64) float64 {
	frac, exp := math.Frexp(x)
	if frac < math.Sqrt2/2 {
		frac, exp = 2*frac, exp-1
	}
	return float64(Log(frac)*(1/math.Ln2)) + float64(exp)
}

// Pow returns x to the power y for x >= 0, by Exp and Log: wrong by about 1 + |y log x| ULP.
// 0 gives 0 for y > 0.
func Pow(x, y float64) float64 { return Exp(y * Log(x)) }

// Hypot returns the root of x*x + y*y without overflow, wrong by less than 2 ULP.
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	if math.IsInf(x, 1) || math.IsInf(y, 1) {
		return math.Inf(1)
	}
	x, y = max(x, y), min(x, y)
	if x == 0 {
		return 0
	}
	y /= x
	return x * math.Sqrt(1+float64(y*y))
}

// LogFactorial returns the natural logarithm of n! for an integer n >= 0, wrong by less than
// 3 ULP: by Stirling's series from 19.
func LogFactorial(n float64) float64 {
	if n < 19 {
		product := 1.0
		for i := 2.0; i <= n; i++ {
			product *= i
		}
		return Log(product)
	}
	const halfLog2Pi = 0.91893853320467274178
	r := 1 / n
	rr := float64(r * r)
	series := r * (1./12 - float64(rr*(1./360-float64(rr*(1./1260-float64(rr*(1./1680)))))))
	return (float64((n+0.5)*Log(n)) - n) + (halfLog2Pi + float64(series))
}

// LogChoose returns the logarithm of the number of ways to choose k of n.
func LogChoose[N int | int64 | float64](n, k N) float64 {
	return LogFactorial(float64(n)) - LogFactorial(float64(k)) - LogFactorial(float64(n-k))
}
