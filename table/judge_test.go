package table

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/internal/wire"
	"example.com/patchwork/posterior"
)

// The learner's own judge hides blocks of columns that exclude one another whole, makes
// their predictions add up to 1, and so predicts them better than bit by bit; its losses
// are those that posterior.Score finds.
func TestJudgeOfExclusiveColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var data patchwork.Data
	for range 300 {
		x := make([]uint8, 9)
		a := rng.IntN(3)
		for b := range 3 {
			x[3*b+a] = 1
			if rng.IntN(5) == 0 { // another value
				x[3*b], x[3*b+1], x[3*b+2] = x[3*b+1], x[3*b+2], x[3*b]
			}
		}
		data.Images = append(data.Images, bitmap.FromBytes(1, 9, x))
	}
	groups := posterior.Exclusive{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}
	losses := make(map[bool]float64)
	for _, whole := range []bool{false, true} {
		opt := Options{Aim: AimPredict, MaxExperts: 6}
		if whole {
			opt.Exclusive = groups
		}
		var last Step
		for s, err := range Run(t.Context(), data, patchwork.Config{Height: 1, Width: 9}, opt) {
			if err != nil {
				t.Fatal(err)
			}
			last = s
		}
		l := &learner{opt: Options{Workers: 1}.WithDefaults()}
		judge := groups.HideBits(data, 0.34, 2, 1)
		l.judge = &judge
		last.Model = withoutCommittee(t, last.Model)
		o, err := l.hiddenLoss(t.Context(), last.Model)
		if err != nil {
			t.Fatal(err)
		}
		want, err := posterior.Score(t.Context(), last.Model, judge, posterior.Options{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if o.bits != want.Averaged.Bits || o.bits%3 != 0 {
			t.Errorf("%d bits, want %d", o.bits, want.Averaged.Bits)
		}
		testkit.NearAll(t, "loss", []float64{o.mean}, []float64{want.Averaged.LogLoss}, 1e-9)
		testkit.NearAll(t, "losses", o.rows, want.Losses, 1e-9)
		b := wire.Marshal(func(c *wire.Codec) { l.codeLosses(c, &o) })
		again := l.noLosses()
		if err := wire.Unmarshal(b, func(c *wire.Codec) { l.codeLosses(c, &again) }); err != nil ||
			!reflect.DeepEqual(again, o) {
			t.Error("losses differ once they are written and read")
		}
		losses[whole] = last.HiddenLoss
		if last.HiddenBits%3 != 0 && whole {
			t.Errorf("%d bits were hidden of blocks of three", last.HiddenBits)
		}
	}
	if losses[true] < losses[false]+0.01 {
		t.Errorf("blocks hidden whole lose %v, bits with the rest of their block known %v", losses[true], losses[false])
	}
}
