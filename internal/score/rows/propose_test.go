package rows

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"example.com/patchwork/internal/score/kernel"
)

// randomProposals returns rows whose gains are often near each other, or equal.
func randomProposals(rng *rand.Rand) kernel.Propose {
	const n = 300
	p := kernel.Propose{Width: 1 + rng.IntN(4), Slack: rng.IntN(8) - 1, Low: rng.IntN(60) - 30}
	p.High, p.Fives = p.Low+rng.IntN(6), 1+rng.IntN(wordFives*p.Width)
	lanes := 4 * (1 + rng.IntN(8))
	for l := range lanes {
		p.Start, p.Numbers = append(p.Start, int16(rng.IntN(20))), append(p.Numbers, int64(l))
	}
	p.Places, p.Table = randomPlaces(rng, p.Fives*lanes, 32), make([]int16, 32*p.Fives*lanes)
	for i := range p.Table {
		p.Table[i] = int16(rng.IntN(8) - 4)
	}
	for range n * p.Width {
		p.X = append(p.X, rng.Uint64())
	}
	for _, n := range rng.Perm(n)[:rng.IntN(n)] {
		p.List = append(p.List, int32(n))
	}
	if rng.IntN(9) == 0 {
		p.Start[0], p.Slack = 32000, 32767
	}
	p.End = lanes
	p.Lists, p.Counts = make([]int32, (lanes+2)*kernel.Block), make([]int32, lanes+2)
	return p
}

// randomPlaces returns so many places of parts of this size, some of them more than once.
func randomPlaces(rng *rand.Rand, n, size int) []int32 {
	places := make([]int32, n)
	for i := range places {
		places[i] = int32(size * rng.IntN(n))
	}
	return places
}

func TestProposeAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	ended, unsure := 0, 0
	for range 60 {
		in := randomProposals(rng)
		run := func(loop func(*kernel.Propose)) [][]int32 {
			p := in
			p.Lists, p.Counts = make([]int32, len(in.Lists)), make([]int32, len(in.Counts))
			p.Counts[0] = kernel.Block - int32(len(in.List)) // the first list may become full
			loop(&p)
			return [][]int32{p.Lists, p.Counts}
		}
		want := run(propose)
		ended, unsure = ended+int(want[1][in.End]), unsure+int(want[1][in.End+1])
		for _, path := range kernel.All() {
			if got := run(loopsOf(path).Propose); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %d rows of %d words, %d fives, %d lanes, slack %d, from %d to %d: counts %v, plain %v",
					path.Name, len(in.List), in.Width, in.Fives, len(in.Start), in.Slack, in.Low, in.High, got[1], want[1])
			}
		}
	}
	if ended < 100 || unsure < 100 {
		t.Errorf("%d rows ended, %d were unsure: the test shows too little", ended, unsure)
	}
}

func TestToldAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 50 {
		in := randomProposals(rng)
		groups := 1 + rng.IntN(16*in.Width)
		places, table := randomPlaces(rng, groups, 16), make([]float64, 16*groups)
		for i := range table {
			table[i] = rng.NormFloat64()
		}
		run := func(loops *kernel.RowLoops) []any {
			picks, gains := make([]int8, 8*300), make([]float64, 8*300)
			loops.Told(table, places, 0.3, in.X, in.Width, in.List, 5, picks[1:], gains[1:])
			return []any{picks, gains}
		}
		want := run(plainLoops)
		for _, path := range kernel.All() {
			if got := run(loopsOf(path)); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %d rows of %d words, %d groups: the loops differ", path.Name, len(in.List), in.Width, groups)
			}
		}
	}
}

// TestChooseAgrees: numbers that often tie, some within Tie of another.
func TestChooseAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 100 {
		in := randomProposals(rng)
		lanes, groups, end := 1+rng.IntN(32), 1+rng.IntN(16*in.Width), 32
		places, table := randomPlaces(rng, groups*lanes, 16), make([]float64, 16*groups*lanes)
		for i := range table {
			table[i] = float64(rng.IntN(3)-1) / 3
		}
		costs, numbers := make([]float64, lanes), make([]int64, lanes)
		for l := range numbers {
			costs[l], numbers[l] = []float64{0, 1.0 / 3, 1e-10}[rng.IntN(3)], int64(32-lanes+l)
		}
		need := rng.Float64()
		run := func(loops *kernel.RowLoops) []any {
			picks, gains := make([]int8, 8*300), make([]float64, 8*300)
			lists, counts := make([]int32, (end+1)*kernel.Block), make([]int32, end+1)
			loops.Choose(table, places, costs, numbers, end, need, in.X, in.Width, in.List, picks[1:], gains[1:], lists, counts)
			return []any{picks, gains, lists, counts}
		}
		want := run(plainLoops)
		for _, path := range kernel.All() {
			if got := run(loopsOf(path)); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %d rows of %d words, %d lanes, %d groups: the loops differ", path.Name, len(in.List), in.Width, lanes,
					groups)
			}
		}
	}
}
