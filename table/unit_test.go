package table

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// TestUnit: weights in any unit describe and learn the rows as whole weights do.
func TestUnit(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var one, milli patchwork.Data
	milli.Unit = 1000
	for range 300 {
		img := bitmap.New(1, 12)
		a, b := rng.IntN(2) == 0, rng.IntN(3) == 0
		for j := range 12 {
			if p := .05 + .85*float64(map[bool]int{true: 1}[a && j < 5 || b && j > 6]); rng.Float64() < p {
				img.Set(0, j, true)
			}
		}
		w := int64(1 + rng.IntN(3))
		one.Images, one.Weights = append(one.Images, img), append(one.Weights, w)
		milli.Images, milli.Weights = append(milli.Images, img), append(milli.Weights, 1000*w)
	}
	cfg := patchwork.Config{Height: 1, Width: 12, Q: .1}
	want, err := Learn(t.Context(), one, cfg, Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Learn(t.Context(), milli, cfg, Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	a, b := want.Extras().Record, got.Extras().Record
	if want.K() != got.K() || got.K() != 2 || a.Rows != b.Rows || math.Abs(a.LogLik-b.LogLik) > 1e-3 ||
		math.Abs(a.DescriptionLength-b.DescriptionLength) > 1e-3 {
		t.Errorf("%d parts, %+v; in thousandths %d, %+v", want.K(), a, got.K(), b)
	}
	of := func(d patchwork.Data) float64 {
		c, err := Count(t.Context(), want, d, 1)
		if err != nil {
			t.Fatal(err)
		}
		return c.DescriptionLength(want)
	}
	if x, y := of(one), of(milli); math.Abs(x-y) > 1e-6 {
		t.Errorf("the rows take %v nats, in thousandths %v", x, y)
	}
}
