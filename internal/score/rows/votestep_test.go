package rows

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.com/patchwork/internal/score/kernel"
)

// randomVotes returns rows, and the engine that explains them by votes: ways of all sizes, some of them equal, experts
// without votes, gains that
// are near each other.
func randomVotes(rng *rand.Rand) (*byVote, Packed) {
	pixels, experts, n := 1+rng.IntN(200), 1+rng.IntN(64), 1+rng.IntN(200)
	if rng.IntN(9) == 0 {
		pixels += 800
	}
	t := &Table{experts: experts, pixels: pixels, words: (pixels + 63) / 64,
		opt: Options{MaxPicks: 1 + rng.IntN(20), Forced: rng.IntN(4) == 0}}
	p := &voteTables{}
	v := &p.voting
	v.Width = t.words
	largest := 1 + rng.IntN(1<<15-1)
	if rng.IntN(2) == 0 {
		largest = 3
	}
	ways := make([]uint32, experts*pixels)
	at, votes := make([][]int, experts), make([][]uint32, experts)
	for c := range experts {
		mask := make([]uint64, t.words)
		for i, q := 0, []float64{0, 0.1, 0.6}[rng.IntN(3)]; i < pixels; i++ {
			if rng.Float64() < q {
				mask[i/64] |= 1 << (i % 64)
				ways[c*pixels+i] = uint32(rng.IntN(largest+1)) | uint32(rng.IntN(largest+1))<<16
				at[c], votes[c] = append(at[c], i), append(votes[c], ways[c*pixels+i])
			}
		}
		p.masks, v.Costs = append(p.masks, mask...), append(v.Costs, int32(rng.IntN(3)-1))
	}
	v.AddVotes(at, votes)
	p.pair(t, at, ways)
	slack, low := rng.IntN(largest), rng.IntN(2*largest)
	for i := range p.margins {
		p.margins[i] = margin{slack, low, low + rng.IntN(largest)}
	}
	rows := Packed{N: n}
	for i := range n * t.words {
		rows.On = append(rows.On, rng.Uint64())
		if i%t.words == t.words-1 {
			rows.On[i] >>= 64*t.words - pixels
		}
	}
	return &byVote{Table: t, voteTables: p}, rows
}

func TestVoteStepAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	depths := map[int32]bool{}
	for range 400 {
		s, rows := randomVotes(rng)
		run := func(path *kernel.Path) (out [][]uint8) {
			s.loops = loopsOf(path)
			s.prepare(rows.N)
			s.take()
			s.explain(rows, 0, rows.N)
			for n, d := range s.Depth {
				depths[d] = true
				out = append(out, append(slices.Clone(s.Picks[kernel.MostPicks*n:][:max(d, 0)]), uint8(d)))
			}
			return out
		}
		all := kernel.All()
		want := run(all[0])
		for _, path := range all[1:] {
			if got := run(path); !reflect.DeepEqual(got, want) {
				for n := range want {
					if !slices.Equal(got[n], want[n]) {
						t.Fatalf("%s: %d experts, %d pixels, row %d: picks and their number\n%v\n%s\n%v", path.Name, s.experts, s.pixels,
							n, got[n], all[0].Name, want[n])
					}
				}
			}
		}
	}
	for d := int32(-1); d < 6; d++ {
		if !depths[d] {
			t.Errorf("no row has %d picks: the test shows too little", d)
		}
	}
}

func numbersOf(v []int) (b []uint8) {
	for _, n := range v {
		b = append(b, uint8(n))
	}
	return b
}

func TestTellAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 100 {
		width, experts, n := 1+rng.IntN(4), 1+rng.IntN(5), rng.IntN(6)
		in := kernel.Tell{N: n, Width: width, Abstention: experts, Scratch: make([]float64, 64*width+16),
			Masks: make([]uint8, 8*width),
			Start: make([]float64, n), LogLik: make([]float64, n), Picks: make([]uint8, kernel.MostPicks*n)}
		for range 128 * width * (experts + 1) {
			in.Experts = append(in.Experts, -rng.ExpFloat64())
		}
		for range n * width {
			in.X = append(in.X, rng.Uint64())
		}
		told := 0
		for i := range n {
			in.Depth = append(in.Depth, int32(rng.IntN(experts+1)))
			copy(in.Picks[kernel.MostPicks*i:], numbersOf(rng.Perm(experts)))
			told += int(in.Depth[i])
		}
		run := func(loops *kernel.RowLoops) [][]float64 {
			a := in
			a.Gains, a.Start, a.LogLik = make([]float64, told), make([]float64, n), make([]float64, n)
			loops.Tell(&a)
			return [][]float64{a.Gains, a.Start, a.LogLik}
		}
		want := run(plainLoops)
		for _, path := range kernel.All() {
			if got := run(loopsOf(path)); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, width %d: %v\nplain %v", path.Name, width, got, want)
			}
		}
	}
}

// Votes of different strength are explained one by one, and where gains are often near each other, as ties and weak
// votes everywhere make them, not for long: such rows are
// left to byRow, as is one in a hundred else.
func TestByVoteIsChosen(t *testing.T) {
	if vectors := kernel.RowVectors(kernel.Chosen()); vectors == nil || vectors.VoteStep == nil {
		t.Skip("no vector code")
	}
	few, many := plantedRows(32, 128, 4096), plantedRows(64, 784, 600)
	dense, ties := benchRows(32, 128, 600, false, true), benchRows(32, 128, 4096, false, false)
	for i, c := range []struct {
		rowsCase
		goesOn bool
	}{{few, true}, {many, true}, {dense, false}, {ties, false}} {
		r := NewExplainer(NewTable(c.bank, c.opt))
		r.byVote.asked = votesWorth
		var out, want Picked
		r.Explain(c.rows, &out)
		if r.byVote.voteTables == nil || r.byVote.goesOn() != c.goesOn || c.goesOn && 25*r.byVote.rare > r.byVote.all {
			t.Errorf("case %d: tables %v, %d of %d rows rare", i, r.byVote.voteTables != nil, r.byVote.rare, r.byVote.all)
		}
		r.byVote.asked, r.byVote.voteTables = math.MinInt, nil
		if r.Explain(c.rows, &want); !reflect.DeepEqual(out, want) {
			t.Errorf("case %d: the engines differ", i)
		}
	}
}
