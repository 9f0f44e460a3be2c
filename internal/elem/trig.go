// Copyright 2011 The Go Authors. All rights reserved.
// Use of this source code is governed by a BSD-style license that can be found in the
// LICENSE file. It is Sincos and Atan2 of the Go library, from the Cephes Math Library by Stephen L. Moshier, with
// explicit rounding.

package elem

import "math"

// sin coefficients
var sinTerms = [...]float64{
	1.58962301576546568060e-10, // 0x3de5d8fd1fd19ccd
	-2.50507477628578072866e-8, // 0xbe5ae5e5a9291f5d
	2.75573136213857245213e-6,  // 0x3ec71de3567d48a1
	-1.98412698295895385996e-4, // 0xbf2a01a019bfdf03
	8.33333333332211858878e-3,  // 0x3f8111111110f7d0
	-1.66666666666666307295e-1, // 0xbfc5555555555548
}

// cos coefficients
var cosTerms = [...]float64{
	-1.13585365213876817300e-11, // 0xbda8fa49a0861a9b
	2.08757008419747316778e-9,   // 0x3e21ee9d7b4e3f05
	-2.75573141792967388112e-7,  // 0xbe927e4f7eac4bc6
	2.48015872888517045348e-5,   // 0x3efa01a019c844f5
	-1.38888888888730564116e-3,  // 0xbf56c16c16c14f91
	4.16666666666665929218e-2,   // 0x3fa555555555554b
}

// Sincos returns the sine and the cosine of x in radians, wrong by less than 1.5 ULP for
// |x| < pi/2 and by 2^-52 for |x| < 2^20; the remainder of those above 2^29 by 2 pi is taken first. Of an x that is not
// finite both are NaN.
func Sincos(x float64) (sin, cos float64) {
	const (
		pi4A = 7.85398125648498535156e-1  // 0x3fe921fb40000000, pi/4 in three parts
		pi4B = 3.77489470793079817668e-8  // 0x3e64442d00000000
		pi4C = 2.69515142907905952645e-15 // 0x3ce8469898cc5170
	)
	if x == 0 {
		return x, 1
	}
	if !(math.Abs(x) < 1<<29) {
		x = math.Mod(x, 2*math.Pi)
		if math.IsNaN(x) {
			return x, x
		}
	}
	sinMinus, cosMinus := x < 0, false
	x = math.Abs(x)
	j := uint64(x * (4 / math.Pi)) // octant
	y := float64(j)
	if j&1 == 1 { // zeros to the origin
		j++
		y++
	}
	j &= 7
	z := ((x - float64(y*pi4A)) - float64(y*pi4B)) - float64(y*pi4C)
	if j > 3 {
		j -= 4
		sinMinus, cosMinus = !sinMinus, !cosMinus
	}
	if j > 1 {
		cosMinus = !cosMinus
	}
	zz := z * z
	cos = 1.0 - float64(0.5*zz) +
		float64(zz*zz*(float64(
			(float64((float64((float64(
				(float64(cosTerms[0]*zz)+cosTerms[1])*zz)+cosTerms[2])*zz)+cosTerms[3])*zz)+cosTerms[4])*zz)+cosTerms[5]))
	sin = z + float64(z*zz*(float64((float64((float64(
		(float64((float64(sinTerms[0]*zz)+sinTerms[1])*zz)+sinTerms[2])*zz)+sinTerms[3])*zz)+sinTerms[4])*zz)+sinTerms[5]))
	if j == 1 || j == 2 {
		sin, cos = cos, sin
	}
	if cosMinus {
		cos = -cos
	}
	if sinMinus {
		sin = -sin
	}
	return sin, cos
}

// Sin returns the sine of x; see [Sincos].
func Sin(x float64) float64 {
	sin, _ := Sincos(x)
	return sin
}

// Cos returns the cosine of x; see [Sincos].
func Cos(x float64) float64 {
	_, cos := Sincos(x)
	return cos
}

// Atan2 returns the angle of the point (x, y) from the x axis, -pi to pi, wrong by less than
// 2 ULP: 0 or pi, with the sign of y, on the axis. It needs finite numbers.
func Atan2(y, x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return math.NaN()
	case y == 0 && !math.Signbit(x):
		return y
	case y == 0:
		return math.Copysign(math.Pi, y)
	case x == 0:
		return math.Copysign(math.Pi/2, y)
	}
	q := atan(math.Abs(y / x))
	if x < 0 {
		q = math.Pi - q
	}
	return math.Copysign(q, y)
}

// atan returns the arc tangent of x >= 0.
func atan(x float64) float64 {
	const (
		moreBits = 6.123233995736765886130e-17 // pi/2 = math.Pi/2 + moreBits
		tan3Pi8  = 2.41421356237309504880      // tan(3*pi/8)
	)
	switch {
	case x <= 0.66:
		return atanSeries(x)
	case x > tan3Pi8:
		return math.Pi/2 - atanSeries(1/x) + moreBits
	}
	return math.Pi/4 + atanSeries((x-1)/(x+1)) + 0.5*moreBits
}

// atanSeries returns the arc tangent of 0 <= x <= 0.66.
func atanSeries(x float64) float64 {
	const (
		p0 = -8.750608600031904122785e-01
		p1 = -1.615753718733365076637e+01
		p2 = -7.500855792314704667340e+01
		p3 = -1.228866684490136173410e+02
		p4 = -6.485021904942025371773e+01
		q0 = +2.485846490142306297962e+01
		q1 = +1.650270098316988542046e+02
		q2 = +4.328810604912902668951e+02
		q3 = +4.853903996359136964868e+02
		q4 = +1.945506571482613964425e+02
	)
	z := float64(x * x)
	z = z * (float64((float64((float64((float64(p0*z)+p1)*z)+p2)*z)+p3)*z) + p4) /
		(float64((float64((float64((float64((z+q0)*z)+q1)*z)+q2)*z)+q3)*z) + q4)
	return float64(x*z) + x
}
