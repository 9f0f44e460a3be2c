package rows

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.com/patchwork/internal/score/kernel"
)

// randomStep returns a step of random rows: ways of all signs that occur, some of them equal, picks
// that meet, gains that are near each other.
func randomStep(rng *rand.Rand) kernel.Advance {
	width, lanes, n := 1+rng.IntN(18), 16<<rng.IntN(3), 40
	experts := lanes - rng.IntN(10)
	a := kernel.Advance{Width: width, Lanes: lanes, Stride: n, Step: rng.IntN(5) - 1, Lane: -1, Slack: rng.IntN(40), Low: rng.IntN(50) - 25}
	a.High, a.End = a.Low+rng.IntN(10), rng.IntN(80)-60
	a.Picks, a.Picked, a.Gains = make([]uint8, kernel.MostPicks*n), make([]uint64, n), make([]int32, n*lanes)
	a.Next, a.Counts, a.Scratch = make([]int32, (lanes+3)*n), make([]int32, lanes+3), make([]uint64, 5*width+16)
	numbers := func(count, from, size int) []int32 {
		v := make([]int32, count)
		for i := range v {
			v[i] = int32(from + rng.IntN(size))
		}
		return v
	}
	for i := range a.Gains {
		if a.Gains[i] = int32(rng.IntN(60)); i%lanes >= experts {
			a.Gains[i] = kernel.Excluded
		}
	}
	a.Raises, a.Signed = numbers(lanes*lanes, 0, 20), numbers(128*width*lanes, 0, 9)
	for i := range a.Signed {
		if i/lanes%2 == 0 {
			a.Signed[i] *= -1
		}
	}
	for range width * lanes {
		a.Votes = append(a.Votes, rng.Uint64()&rng.Uint64()&rng.Uint64())
	}
	for range width * n {
		a.X = append(a.X, rng.Uint64()|rng.Uint64())
	}
	for range rng.IntN(9) {
		g := kernel.Fours{Word: rng.IntN(width)}
		for range 4 {
			g.Mask |= 1 << rng.IntN(64)
		}
		a.Groups = append(a.Groups, g)
	}
	for range 16 * lanes * len(a.Groups) {
		a.Table = append(a.Table, int16(rng.IntN(40)-20))
	}
	for i, n := range rng.Perm(n)[:rng.IntN(n)] {
		a.List = append(a.List, int32(n))
		copy(a.Picks[kernel.MostPicks*n:], numbersOf(rng.Perm(experts)[:5]))
		a.Picked[n] = uint64(i)
	}
	if rng.IntN(2) == 0 {
		a.Changes, a.Always = numbers(3*lanes*len(a.List), 0, 3), numbers(lanes, -5, 10)
	}
	if a.Step >= 0 {
		a.Lane = rng.IntN(experts)
	}
	return a
}

func numbersOf(v []int) (b []uint8) {
	for _, n := range v {
		b = append(b, uint8(n))
	}
	return b
}

// written returns what Advance writes.
func written(a kernel.Advance) []any { return []any{a.Gains, a.Picked, a.Picks, a.Next, a.Counts} }

func TestAdvanceAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	lists := map[int]bool{}
	for range 400 {
		in := randomStep(rng)
		run := func(loop func(*kernel.Advance)) kernel.Advance {
			a := in
			a.Gains, a.Picked, a.Picks = slices.Clone(a.Gains), slices.Clone(a.Picked), slices.Clone(a.Picks)
			a.Next, a.Counts = slices.Clone(a.Next), slices.Clone(a.Counts)
			loop(&a)
			return a
		}
		want := run(advance)
		for c, n := range want.Counts {
			lists[c-in.Lanes] = lists[c-in.Lanes] || n > 0
		}
		for _, path := range kernel.All() {
			if got := run(loopsOf(path).Advance); !reflect.DeepEqual(written(got), written(want)) {
				t.Fatalf("%s: %d lanes, width %d, step %d, lane %d:\n%v\nplain\n%v", path.Name, in.Lanes, in.Width, in.Step, in.Lane, written(got), written(want))
			}
		}
	}
	for c := -10; c < 3; c++ {
		if !lists[c] {
			t.Errorf("no row went to list %d from the end of the experts: the test shows too little", c)
		}
	}
}

func TestSpreadAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for range 100 {
		a := randomStep(rng)
		stride := 8*len(a.Groups) + 8
		run := func(path *kernel.RowLoops) []byte {
			b := make([]byte, stride*(len(a.List)+1))
			path.Spread(b, stride, a.Groups, a.X, a.Width, a.List)
			return b
		}
		want := run(plainLoops)
		for _, path := range kernel.All() {
			if got := run(loopsOf(path)); !slices.Equal(got, want) {
				t.Fatalf("%s: %v\nplain %v", path.Name, got, want)
			}
		}
	}
}

func TestTellAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 100 {
		width, experts, n := 1+rng.IntN(4), 1+rng.IntN(5), rng.IntN(6)
		in := kernel.Tell{N: n, Width: width, Abstention: experts, Scratch: make([]float64, 64*width+16), Masks: make([]uint8, 8*width),
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

// Strong votes go by the last pick, in tables or products of bytes by their size; weak votes everywhere
// do not, and rows of ties not for long. Tables of 16 bits leave one or two rows in a hundred to byRow.
func TestByPickIsChosen(t *testing.T) {
	if vectors := kernel.RowVectors(kernel.Chosen()); vectors == nil || vectors.Advance == nil {
		t.Skip("no vector code")
	}
	few, many := plantedRows(32, 128, picksWorth), plantedRows(64, 784, 600)
	dense, ties := benchRows(32, 128, 10, false, true), benchRows(32, 128, picksWorth, false, false)
	ties.opt.Costs = append(make([]float64, 31), 0.1) // or byCount would take them
	for _, c := range []struct {
		rowsCase
		tables, goesOn bool
	}{{few, true, true}, {many, true, true}, {dense, false, true}, {ties, true, false}} {
		r := NewExplainer(NewTable(c.bank, c.opt))
		r.byPick.asked = picksWorth
		var out, want Picked
		r.Explain(c.rows, &out)
		if (r.byPick.pickTables != nil) != c.tables || r.byPick.goesOn() != c.goesOn || c.tables && c.goesOn && 25*r.byPick.rare > r.byPick.all {
			t.Errorf("%d experts: tables %v, %d of %d rows rare", r.experts, r.byPick.pickTables != nil, r.byPick.rare, r.byPick.all)
		}
		r.byPick.asked, r.byPick.pickTables = math.MinInt, nil
		if r.Explain(c.rows, &want); !reflect.DeepEqual(out, want) {
			t.Errorf("%d experts: the engines differ", r.experts)
		}
	}
}
