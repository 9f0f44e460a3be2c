package elem_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"example.com/patchwork/internal/elem"
)

const precision = 320

func number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func zero() *big.Float { return new(big.Float).SetPrec(precision) }

// series adds the terms that next makes of the last one and its number, from 1 on,
// until they no longer count.
func series(first *big.Float, next func(term *big.Float, n int64)) *big.Float {
	sum, term := zero().Set(first), zero().Set(first)
	for n := int64(1); term.Sign() != 0 && n < 4000; n++ {
		next(term, n)
		sum.Add(sum, term)
		if term.Sign() == 0 || term.MantExp(nil) < -precision-40 && n > 8 {
			break
		}
	}
	return sum
}

// bigExp returns e^x.
func bigExp(x *big.Float) *big.Float {
	const halvings = 24
	small := zero().SetMantExp(x, -halvings)
	out := series(number(1), func(term *big.Float, n int64) {
		term.Mul(term, small).Quo(term, number(float64(n)))
	})
	for range halvings {
		out.Mul(out, out)
	}
	return out
}

// bigLog returns the logarithm of x > 0, by Newton's method.
func bigLog(x *big.Float) *big.Float {
	mantissa := zero()
	exp := x.MantExp(mantissa)
	m, _ := mantissa.Float64()
	y := number(math.Log(m))
	for range 4 {
		step := zero().Quo(mantissa, bigExp(y))
		y.Add(y, step.Sub(step, number(1)))
	}
	if exp != 0 {
		y.Add(y, zero().Mul(number(float64(exp)), ln2))
	}
	return y
}

var (
	ln2 = zero().Neg(logHalf())
	pi  = bigPi()
)

// logHalf returns the logarithm of 1/2: -2 (1/3 + 1/3^3/3 + ...).
func logHalf() *big.Float {
	sum, power := zero(), zero().Quo(number(1), number(3))
	ninth := zero().Quo(number(1), number(9))
	for n := 1; n < 240; n += 2 {
		sum.Add(sum, zero().Quo(power, number(float64(n))))
		power.Mul(power, ninth)
	}
	return sum.Mul(sum, number(-2))
}

// bigAtan returns the arc tangent of x.
func bigAtan(x *big.Float) *big.Float {
	const halvings = 8
	small := zero().Set(x)
	for range halvings { // atan x = 2 atan(x / (1 + sqrt(1 + x x)))
		root := zero().Mul(small, small)
		root.Sqrt(root.Add(root, number(1)))
		small.Quo(small, root.Add(root, number(1)))
	}
	minus := zero().Mul(small, small)
	minus.Neg(minus)
	power := zero().Set(small)
	sum := zero().Set(small)
	for n := 3.0; n < 120; n += 2 {
		power.Mul(power, minus)
		sum.Add(sum, zero().Quo(power, number(n)))
	}
	return sum.SetMantExp(sum, halvings)
}

func bigPi() *big.Float { return zero().Mul(number(4), bigAtan(number(1))) }

// bigSin returns the sine of x.
func bigSin(x *big.Float) *big.Float {
	turns := zero().Quo(x, pi)
	whole, _ := turns.Add(turns, number(math.Copysign(0.5, float64(turns.Sign())))).Int(nil)
	rest := zero().Sub(x, zero().Mul(zero().SetInt(whole), pi))
	square := zero().Mul(rest, rest)
	out := series(rest, func(term *big.Float, n int64) {
		term.Mul(term, square).Quo(term, number(-float64(2*n)*float64(2*n+1)))
	})
	if whole.Bit(0) == 1 {
		out.Neg(out)
	}
	return out
}

// bigErfc returns 1 - erf(x).
func bigErfc(x *big.Float) *big.Float {
	square := zero().Mul(x, x)
	sum, power := zero().Set(x), zero().Set(x)
	for n := int64(1); n < 1500; n++ {
		power.Mul(power, square).Quo(power, number(-float64(n)))
		term := zero().Quo(power, number(float64(2*n+1)))
		sum.Add(sum, term)
		if term.Sign() == 0 || term.MantExp(nil) < -precision {
			break
		}
	}
	sum.Mul(sum, number(2)).Quo(sum, zero().Sqrt(pi))
	return sum.Sub(number(1), sum)
}

// ulps returns how far got is from want, in units in the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	if w == 0 {
		return math.Abs(got) / math.SmallestNonzeroFloat64
	}
	unit := math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w)
	d, _ := zero().Sub(number(got), want).Float64()
	return math.Abs(d) / unit
}

// spread returns numbers of all sizes from 2^low to 2^high.
func spread(rng *rand.Rand, low, high int) float64 {
	return math.Ldexp(1+rng.Float64(), low+rng.IntN(high-low))
}

func between(low, high float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return low + float64((high-low)*rng.Float64()) }
}

func sizes(low, high int) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return spread(rng, low, high) }
}

func signed(draw func(*rand.Rand) float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return math.Copysign(draw(rng), float64(rng.IntN(2))-0.5) }
}

// TestErrors holds each function to the error that its comment states.
func TestErrors(t *testing.T) {
	one := func(f func(*big.Float) *big.Float) func(x float64) *big.Float {
		return func(x float64) *big.Float { return f(number(x)) }
	}
	sin := func(x float64) float64 { s, _ := elem.Sincos(x); return s }
	cos := func(x float64) float64 { _, c := elem.Sincos(x); return c }
	bigCos := func(x *big.Float) *big.Float {
		return bigSin(zero().Add(x, zero().Quo(pi, number(2))))
	}
	log1p := func(x *big.Float) *big.Float { return bigLog(zero().Add(x, number(1))) }
	factorial := func(n float64) float64 { return elem.LogFactorial(math.Floor(n)) }
	for _, test := range []struct {
		name string
		got  func(float64) float64
		want func(float64) *big.Float
		draw func(*rand.Rand) float64
		most float64
	}{
		{"exp", elem.Exp, one(bigExp), between(-708, 709), 0.53},
		{"exp of small", elem.Exp, one(bigExp), signed(sizes(-60, 1)), 0.53},
		{"log", elem.Log, one(bigLog), sizes(-1000, 1000), 0.9},
		{"log near 1", elem.Log, one(bigLog), between(0.5, 2), 0.9},
		{"log1p", elem.Log1p, one(log1p), sizes(-60, 60), 0.9},
		{"log1p below 0", elem.Log1p, one(log1p), between(-1, 0.5), 0.9},
		{"log2", elem.Log2, func(x float64) *big.Float { return zero().Quo(bigLog(number(x)), ln2) }, sizes(-100, 100), 2},
		{"log2 near 1", elem.Log2, func(x float64) *big.Float { return zero().Quo(bigLog(number(x)), ln2) }, between(0.5, 2),
			2},
		{"erfc", elem.Erfc, one(bigErfc), between(-6, 6), 3},
		{"sin", sin, one(bigSin), between(-1.57, 1.57), 1.5},
		{"cos", cos, one(bigCos), between(-1.57, 1.57), 1.5},
		{"atan2", func(x float64) float64 { return elem.Atan2(x, 1) }, one(bigAtan), signed(sizes(-30, 30)), 2},
		{"hypot", func(x float64) float64 { return elem.Hypot(x, 3) }, one(func(x *big.Float) *big.Float {
			return zero().Sqrt(zero().Add(zero().Mul(x, x), number(9)))
		}), signed(sizes(-20, 20)), 2},
		{"log factorial", factorial, func(x float64) *big.Float {
			product := new(big.Int).MulRange(1, int64(x))
			return bigLog(zero().SetInt(product))
		}, between(2, 300), 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			worst, at := 0.0, 0.0
			for range 1500 {
				x := test.draw(rng)
				if e := ulps(test.got(x), test.want(x)); e > worst {
					worst, at = e, x
				}
			}
			t.Logf("largest error %.3f ULP, at %v", worst, at)
			if worst > test.most {
				t.Errorf("error of %v ULP at %v: %v; stated are %v", worst, at, test.got(at), test.most)
			}
		})
	}
}

// TestEdges has arguments at the borders of what there is a result for.
func TestEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	least := math.SmallestNonzeroFloat64
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"Exp(0)", elem.Exp(0), 1},
		{"Exp(-0)", elem.Exp(math.Copysign(0, -1)), 1},
		{"Exp(1e-300)", elem.Exp(1e-300), 1},
		{"Exp(inf)", elem.Exp(inf), inf},
		{"Exp(-inf)", elem.Exp(-inf), 0},
		{"Exp(nan)", elem.Exp(nan), nan},
		{"Exp(710)", elem.Exp(710), inf},
		{"Exp(-746)", elem.Exp(-746), 0},
		{"Exp(-745)", elem.Exp(-745), least},
		{"Log(1)", elem.Log(1), 0},
		{"Log(0)", elem.Log(0), -inf},
		{"Log(-1)", elem.Log(-1), nan},
		{"Log(-inf)", elem.Log(-inf), nan},
		{"Log(inf)", elem.Log(inf), inf},
		{"Log(nan)", elem.Log(nan), nan},
		{"Log(least)", elem.Log(least), -744.4400719213812},
		{"Log1p(0)", elem.Log1p(0), 0},
		{"Log1p(-1)", elem.Log1p(-1), -inf},
		{"Log1p(-2)", elem.Log1p(-2), nan},
		{"Log1p(inf)", elem.Log1p(inf), inf},
		{"Log1p(nan)", elem.Log1p(nan), nan},
		{"Log2(8)", elem.Log2(8), 3},
		{"Log2(least)", elem.Log2(least), -1074},
		{"Log2(0)", elem.Log2(0), -inf},
		{"Pow(0, 2)", elem.Pow(0, 2), 0},
		{"Pow(1, 5)", elem.Pow(1, 5), 1},
		{"Hypot(3, 4)", elem.Hypot(3, 4), 5},
		{"Hypot(0, 0)", elem.Hypot(0, 0), 0},
		{"Hypot(inf, nan)", elem.Hypot(inf, nan), inf},
		{"Hypot(1e300, 1e300)", elem.Hypot(1e300, 1e300), 1.4142135623730952e300},
		{"Erfc(inf)", elem.Erfc(inf), 0},
		{"Erfc(-inf)", elem.Erfc(-inf), 2},
		{"Erfc(0)", elem.Erfc(0), 1},
		{"Erfc(nan)", elem.Erfc(nan), nan},
		{"Sin(0)", elem.Sin(0), 0},
		{"Cos(0)", elem.Cos(0), 1},
		{"Sin(inf)", elem.Sin(inf), nan},
		{"Cos(nan)", elem.Cos(nan), nan},
		{"Sin(-1e300)", elem.Sin(-1e300), elem.Sin(math.Mod(-1e300, 2*math.Pi))},
		{"Atan2(0, 1)", elem.Atan2(0, 1), 0},
		{"Atan2(0, -1)", elem.Atan2(0, -1), math.Pi},
		{"Atan2(-1, 0)", elem.Atan2(-1, 0), -math.Pi / 2},
		{"Atan2(-1, -1)", elem.Atan2(-1, -1), -3 * math.Pi / 4},
		{"Atan2(nan, 1)", elem.Atan2(nan, 1), nan},
		{"LogFactorial(0)", elem.LogFactorial(0), 0},
		{"LogFactorial(1)", elem.LogFactorial(1), 0},
	} {
		if test.got != test.want && !(math.IsNaN(test.got) && math.IsNaN(test.want)) {
			t.Errorf("%s is %v, not %v", test.name, test.got, test.want)
		}
	}
}

// TestExpHasNoSteps: what is computed in another way beyond 708 goes on where the rest ends.
func TestExpHasNoSteps(t *testing.T) {
	for _, x := range []float64{708, 709.5, -708, -720, -744} {
		for _, at := range []float64{math.Nextafter(x, 0), x, math.Nextafter(x, 1000), math.Nextafter(x, -1000)} {
			if e := ulps(elem.Exp(at), bigExp(number(at))); e > 1.1 {
				t.Errorf("Exp(%v) is wrong by %v ULP", at, e)
			}
		}
	}
}

// TestNormal: the deviates are those of math/rand/v2, which on this machine may round
// otherwise in one of some thousand cases.
func TestNormal(t *testing.T) {
	ours, theirs := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	tails := 0
	for i := range 300_000 {
		got, want := elem.Normal(ours), theirs.NormFloat64()
		if math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Fatalf("deviate %d is %v, not %v", i, got, want)
		}
		if math.Abs(got) > 3.45 {
			tails++
		}
	}
	if tails < 50 {
		t.Errorf("only %d deviates were in the tails", tails)
	}
}

// bits is the hash of results, the same on every machine: TestBits runs on others by way of
// an emulator.
const bits = "8613c01da4de92014583821b762b70007ca3e339248a83dafd448bbcf06321b5"

// TestBits compares results with those of the machine on which bits was written.
func TestBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	hash := sha256.New()
	add := func(values ...float64) {
		for _, v := range values {
			if math.IsNaN(v) {
				v = math.NaN()
			}
			hash.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
	}
	for range 20_000 {
		x, y := spread(rng, -40, 40), 2*rng.Float64()-1
		sin, cos := elem.Sincos(100 * y)
		add(elem.Exp(700*y), elem.Exp(y/x), elem.Log(x), elem.Log(1+y/2), elem.Log1p(y), elem.Log1p(x), elem.Log2(x),
			elem.Pow(x, y),
			elem.Hypot(x, y), elem.Erfc(5*y), sin, cos, elem.Atan2(y, x-1), elem.LogFactorial(math.Floor(x)), elem.Normal(rng))
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != bits {
		t.Errorf("results have the hash %s, not %s", got, bits)
	}
}

var sink float64

func benchmark(b *testing.B, draw func(*rand.Rand) float64, ours, theirs func(float64) float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 1024)
	for i := range values {
		values[i] = draw(rng)
	}
	for _, f := range []struct {
		name string
		f    func(float64) float64
	}{{"elem", ours}, {"math", theirs}} {
		b.Run(f.name, func(b *testing.B) {
			for i := range b.N {
				sink += f.f(values[i%1024])
			}
		})
	}
}

func BenchmarkExp(b *testing.B)   { benchmark(b, between(-30, 5), elem.Exp, math.Exp) }
func BenchmarkLog(b *testing.B)   { benchmark(b, between(0, 1), elem.Log, math.Log) }
func BenchmarkLog1p(b *testing.B) { benchmark(b, between(0, 1), elem.Log1p, math.Log1p) }
func BenchmarkErfc(b *testing.B)  { benchmark(b, between(-4, 4), elem.Erfc, math.Erfc) }
