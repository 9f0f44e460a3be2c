package rows

import (
	"math"
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
	pixels, quads, words, lanes, picked int
	x, up, known                        []uint64
	a, b, c                             []float64
	lots                                []int32
}

func newLoopInput(rng *rand.Rand) *loopInput {
	in := &loopInput{pixels: 1 + rng.IntN(300), lanes: 16 * (1 + rng.IntN(9)), picked: rng.IntN(5)}
	in.quads, in.words = (in.pixels+15)/16, (in.pixels+63)/64
	for _, mask := range []*[]uint64{&in.x, &in.up, &in.known} {
		*mask = make([]uint64, in.words)
		for i, p := 0, rng.Float64(); i < in.pixels; i++ {
			if rng.Float64() < p {
				(*mask)[i/64] |= 1 << (i % 64)
			}
		}
	}
	for _, v := range []*[]float64{&in.a, &in.b, &in.c} {
		for i := range 16 * in.quads {
			u := []float64{rng.NormFloat64(), -40 * rng.Float64(), 0, -0.6931471805599453}[rng.IntN(4)]
			if i >= in.pixels {
				u = 0
			}
			*v = append(*v, u)
		}
	}
	for range 64 * in.quads * in.lanes {
		in.lots = append(in.lots, rng.Int32N(1<<20)-1<<19)
	}
	return in
}

// run returns what all loops make of copies of the input.
func (in *loopInput) run(l *kernel.RowLoops) (out []any) {
	n, pixels := in.lanes, 16*in.quads
	gains := slices.Clone(in.lots[:n])
	l.AddFours(gains, in.lots, in.x, in.quads)
	units, spare := slices.Clone(in.lots[:pixels]), make([]int32, pixels)
	l.Strengthen(gains, in.lots, units, spare, in.up, in.x, n/2)
	rows := func(i int) []int32 { return in.lots[i*n : (i+1)*n] }
	l.Exchange(gains, rows(0), rows(1), rows(2), rows(3), in.lots[5], in.lots[6])
	out = append(out, gains, units)

	lanes := min(n/2, 32)
	groups := min(4*in.quads-in.picked%4, 64)
	table, costs := make([]float64, 16*groups*lanes), make([]float64, lanes)
	for i := range table {
		table[i] = in.a[i%len(in.a)] + in.b[i%7%len(in.b)]
	}
	if copy(costs, in.c); in.picked > 0 {
		table[8*in.picked] = math.Inf(-1)
	}
	list, picks, exact, sums := []int32{1, 0, 2}, make([]int8, 24), make([]float64, 24), make([]float64, 3)
	counts := make([]int32, lanes+1)
	lists := make([]int32, (lanes+1)*kernel.Block)
	x := slices.Concat(in.x, in.up, in.known)
	l.Sums(table, x, in.words, list, groups, sums)
	all := make([]float64, len(x)/in.words)
	l.Sums(table, x, in.words, nil, groups, all)
	l.Step(table, costs, in.c[0], x, in.words, list, groups, picks[3:], exact, lists, counts)
	return append(out, picks, exact, sums, all, lists, counts)
}
