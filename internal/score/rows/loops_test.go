package rows

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.com/patchwork/internal/score/kernel"
)

// The vector code of every loop does what the plain loop does, to the bit, and
// writes nowhere else.
func TestRowLoopsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		in := newLoopInput(rng)
		want := in.run(plainLoops)
		for _, path := range kernel.All() {
			got := in.run(loopsOf(path))
			for i := range want {
				if !reflect.DeepEqual(want[i], got[i]) {
					t.Fatalf("%s: loop %d of %d pixels, %d lanes:\n%v\nplain\n%v", path.Name, i, in.pixels, in.lanes, got[i], want[i])
				}
			}
		}
	}
}

// loopInput has the arguments of all loops.
type loopInput struct {
	pixels, quads, words, lanes int
	x, up                       []uint64
	lots                        []int32
}

func newLoopInput(rng *rand.Rand) *loopInput {
	in := &loopInput{pixels: 1 + rng.IntN(300), lanes: 16 * (1 + rng.IntN(9))}
	in.quads, in.words = (in.pixels+15)/16, (in.pixels+63)/64
	for _, mask := range []*[]uint64{&in.x, &in.up} {
		*mask = make([]uint64, in.words)
		for i, p := 0, rng.Float64(); i < in.pixels; i++ {
			if rng.Float64() < p {
				(*mask)[i/64] |= 1 << (i % 64)
			}
		}
	}
	for range 64 * in.quads * in.lanes {
		in.lots = append(in.lots, rng.Int32N(1<<20)-1<<19)
	}
	return in
}

// run returns what all loops make of copies of the input.
func (in *loopInput) run(l *kernel.RowLoops) []any {
	n, pixels := in.lanes, 16*in.quads
	gains := slices.Clone(in.lots[:n])
	l.AddFours(gains, in.lots, in.x, in.quads)
	units, spare := slices.Clone(in.lots[:pixels]), make([]int32, pixels)
	l.Strengthen(gains, in.lots, units, spare, in.up, in.x, n/2)
	rows := func(i int) []int32 { return in.lots[i*n : (i+1)*n] }
	l.Exchange(gains, rows(0), rows(1), rows(2), rows(3), in.lots[5], in.lots[6])
	return []any{gains, units}
}
