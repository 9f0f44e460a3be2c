package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// noisyPixels draws pixels of which a share was drawn as ink, under noise.
func noisyPixels(rng *rand.Rand, n int, noise Noise) (x []uint8, p []float64) {
	for range n {
		v := []float64{0.01, 0.2, 0.5, 0.99}[rng.IntN(4)]
		on := Off
		if rng.Float64() < noise.Of(v) {
			on = On
		}
		x, p = append(x, on), append(p, v)
	}
	return x, p
}

// TestFitNoise checks that noise is found as it was made, and none where there is none.
func TestFitNoise(t *testing.T) {
	for seed, want := range []Noise{{}, {Clutter: 0.1}, {Missing: 0.2}, {0.1, 0.1}, {0.05, 0.3}} {
		x, p := noisyPixels(rand.New(rand.NewPCG(uint64(seed), 1)), 40_000, want)
		got := FitNoise(x, p)
		// Standard deviations are about 0.005 at most.
		if math.Abs(got.Missing-want.Missing) > 0.02 || math.Abs(got.Clutter-want.Clutter) > 0.02 {
			t.Errorf("noise %+v found as %+v", want, got)
		}
		if want == (Noise{}) && got != want {
			t.Errorf("noise %+v found where there is none", got)
		}
	}
}

// TestFitNoiseIsTheLikeliest checks EM against all noise on a coarse grid, and that
// certain pixels that are wrong are noise.
func TestFitNoiseIsTheLikeliest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "pixels")
		x, p := make([]uint8, n), make([]float64, n)
		values := rapid.SampledFrom([]float64{0, 1e-9, 0.01, 0.3, 0.5, 0.7, 0.99, 1})
		for i := range x {
			x[i], p[i] = rapid.SampledFrom([]uint8{Off, On, Unknown}).Draw(t, "x"), values.Draw(t, "p")
		}
		got := FitNoise(x, p)
		if !(got.Missing >= 0 && got.Missing <= noiseLimit && got.Clutter >= 0 && got.Clutter <= noiseLimit) {
			t.Fatalf("noise %+v", got)
		}
		logLik := func(n Noise) (sum float64) {
			for i := range x {
				if x[i] != Unknown {
					sum += LogLik(x[i] == On, n.Of(p[i]))
				}
			}
			return sum
		}
		best := logLik(got)
		for f := 0.0; f <= noiseLimit; f += 0.05 {
			for c := 0.0; c <= noiseLimit; c += 0.05 {
				// A result of no noise may be worse by the price of two numbers; one of
				// 1/200 too little or too much by some nats for extreme pixels.
				if worse := logLik(Noise{f, c}) - best; worse > math.Log(float64(n))+0.02*float64(n) {
					t.Fatalf("noise %+v, %v is better by %v nats", got, Noise{f, c}, worse)
				}
			}
		}
	})
}

// TestNoiseOfCompositions checks that noise after composing is composing under noise.
func TestNoiseOfCompositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.Float64Range(0, 1)
		n := Noise{rapid.Float64Range(0, noiseLimit).Draw(t, "missing"), rapid.Float64Range(0, noiseLimit).Draw(t, "clutter")}
		q, a, b := unit.Draw(t, "q"), unit.Draw(t, "a"), unit.Draw(t, "b")
		hi, lo := max(q, a, b), min(q, a, b)
		after, before := n.Of(Compose(hi, lo, q)), Compose(n.Of(hi), n.Of(lo), n.Of(q))
		if math.Abs(after-before) > 1e-12 {
			t.Fatalf("%+v of q %v, %v, %v: %v after composing, %v before", n, q, a, b, after, before)
		}
		if (Noise{}).Of(a) != a {
			t.Fatalf("no noise changes %v", a)
		}
	})
}
