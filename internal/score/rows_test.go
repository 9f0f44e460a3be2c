package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/internal/score/kernel"
)

// rowsCase is a bank, options and rows to explain.
type rowsCase struct {
	bank *Bank
	opt  RowOptions
	rows Packed
}

// pickRows makes a case with what is nasty about rows: equal and opposite
// opinions, copies of experts, abstention by pixel, unknown pixels, costs.
func pickRows(c choices, maxExperts, maxPixels, n int) rowsCase {
	f := Frame{Height: 1, Width: 1 + c.pick(maxPixels), TwoSided: c.pick(2) > 0, Rotations: [][]int32{nil}}
	f.Q = []float64{0.5, 0.3, 0.01, 0.02}[c.pick(4)]
	rng := rand.New(rand.NewPCG(uint64(c.pick(256)), uint64(c.pick(256))))
	if c.pick(3) == 0 {
		f.QMap = make([]float64, f.Width)
		for i := range f.QMap {
			f.QMap[i] = []float64{f.Q, 0.5, 0.9, 0.2}[rng.IntN(4)]
		}
	}
	templates := make([][]float64, 1+c.pick(maxExperts))
	style := c.pick(5)
	for k := range templates {
		templates[k] = make([]float64, f.Width)
		if k > 0 && rng.IntN(6) == 0 {
			copy(templates[k], templates[rng.IntN(k)])
			continue
		}
		for i := range templates[k] {
			templates[k][i] = pickVote(rng, style, f.Q)
		}
	}
	x := rowsCase{bank: NewBank(f, templates), opt: RowOptions{Costs: pickCosts(c, len(templates)), MaxPicks: math.MaxInt16}}
	x.opt.Forced = c.pick(2) == 0
	x.opt.MinGain = []float64{0, 0, 1.5, -3, math.Inf(-1), math.Inf(1)}[c.pick(6)]
	if c.pick(4) == 0 {
		x.opt.MaxPicks = c.pick(4)
	}
	x.rows = pickPacked(rng, f.Width, n, c.pick(3) == 0, templates)
	return x
}

func pickVote(rng *rand.Rand, style int, q float64) float64 {
	switch style {
	case 0: // a few values, some of which sum to 1: opposing votes cancel
		return []float64{q, 0.1, 0.9, 0.9, 0.4, 0.99, 0x1p-60, math.Nextafter(1, 0)}[rng.IntN(8)]
	case 1: // parts that are on
		if rng.IntN(4) == 0 {
			return 0.9
		}
		return 0
	case 2: // soft
		return 0.001 + 0.998*rng.Float64()
	case 3: // soft, and mostly silent
		if rng.IntN(3) > 0 {
			return q
		}
		return 0.01 + 0.98*rng.Float64()
	}
	return []float64{q, 0.1, 0.8}[rng.IntN(3)]
}

// pickPacked draws rows: noise, or some experts' opinions joined.
func pickPacked(rng *rand.Rand, d, n int, hidden bool, templates [][]float64) Packed {
	words := (d + 63) / 64
	p := Packed{N: n, On: make([]uint64, n*words)}
	if hidden {
		p.Known = make([]uint64, n*words)
	}
	for r := range n {
		level := rng.Float64()
		a, b := templates[rng.IntN(len(templates))], templates[rng.IntN(len(templates))]
		for i := range d {
			at, bit := r*words+i/64, uint64(1)<<(i%64)
			if hidden && rng.IntN(5) == 0 {
				continue
			}
			if hidden {
				p.Known[at] |= bit
			}
			prob := level
			if r%2 == 0 {
				prob = max(a[i], b[i])
			}
			if rng.Float64() < prob {
				p.On[at] |= bit
			}
		}
	}
	return p
}

// checkRows compares Rows with Search, row by row, to the bit.
func checkRows(t fataler, c rowsCase) {
	table := NewTable(c.bank, c.opt)
	if table == nil {
		if c.bank.plain {
			t.Fatalf("no table for a plain bank")
		}
		return
	}
	want := searchRows(c)
	for _, path := range kernel.All() {
		if path.Name == "portable" {
			continue // the plain loops, as in the reference
		}
		table.loops = rowLoops(path)
		r := NewRows(table)
		var got Picked
		for range 2 { // the second time with everything met before
			r.Explain(c.rows, &got)
			compareRows(t, c, &got, want)
		}
	}
}

// searchRows explains the rows one by one.
func searchRows(c rowsCase) []Picked {
	d := c.bank.Height * c.bank.Width
	words := (d + 63) / 64
	var s Search
	x := make([]uint8, d)
	var all []Picked
	for n := range c.rows.N {
		for i := range x {
			at := n*words + i/64
			x[i] = uint8(c.rows.On[at] >> (i % 64) & 1)
			if c.rows.Known != nil && c.rows.Known[at]>>(i%64)&1 == 0 {
				x[i] = Unknown
			}
		}
		s.Reset(c.bank, Grid{NY: 1, StepY: 1, NX: 1, StepX: 1}, 1, d, x)
		all = append(all, explainSearch(&s, c.opt))
	}
	return all
}

func compareRows(t fataler, c rowsCase, got *Picked, all []Picked) {
	odd := got.Odd
	for n, want := range all {
		if len(odd) > 0 && odd[0] == n {
			if odd = odd[1:]; !c.bank.TwoSided || got.From[n] != got.From[n+1] {
				t.Fatalf("row %d is odd", n)
			}
			continue
		}
		if a, b := got.From[n], got.From[n+1]; !slices.Equal(got.Expert[a:b], want.Expert) ||
			!slices.Equal(got.Gain[a:b], want.Gain) || got.Start[n] != want.Start[0] || got.LogLik[n] != want.LogLik[0] {
			t.Fatalf("row %d of %d pixels, %d experts:\n%v %v from %v to %v, Search has\n%v %v from %v to %v", n,
				c.bank.Height*c.bank.Width, len(c.bank.Sprites), got.Expert[a:b], got.Gain[a:b], got.Start[n], got.LogLik[n],
				want.Expert, want.Gain, want.Start[0], want.LogLik[0])
		}
	}
	if len(odd) > 0 || len(got.From) != c.rows.N+1 {
		t.Fatalf("odd rows %v are left, %d offsets", odd, len(got.From))
	}
}

// explainSearch is the pursuit of the root package.
func explainSearch(s *Search, opt RowOptions) Picked {
	p := Picked{Start: []float64{s.LogLik()}}
	used := make([]bool, len(s.Bank.Sprites))
	for n := 0; n < opt.MaxPicks; n++ {
		c, g := s.Best(opt.Costs, func(k int) bool { return !used[k] })
		if c < 0 || !(g.Exceeds(opt.MinGain+Tie) || opt.Forced && n == 0) {
			break
		}
		used[c] = true
		g.Nats += costOf(opt.Costs, c)
		p.Expert, p.Gain = append(p.Expert, int32(c)), append(p.Gain, g.Float())
		s.Place(c)
	}
	p.LogLik = []float64{s.LogLik()}
	return p
}

func TestRowsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRows(t, pickRows(drawn{t}, 8, 40, 24)) })
	rapid.Check(t, func(t *rapid.T) { checkRows(t, pickRows(drawn{t}, 70, 200, 4)) })
	rapid.Check(t, func(t *rapid.T) { checkRows(t, pickRows(drawn{t}, 30, 70, 60)) })
	for _, two := range []bool{false, true} {
		for _, soft := range []bool{false, true} {
			checkRows(t, benchRows(5, 17, kernel.Block+200, two, soft)) // many rows a set, more than a block
			checkRows(t, benchRows(8, 36, 3000, two, soft))
			checkRows(t, benchRows(40, 300, 20, two, soft))
		}
	}
}

// The vector code of every loop does what the plain loop does, to the bit, and
// writes nowhere else.
func TestRowLoopsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		in := newLoopInput(rng)
		want := in.run(plainLoops)
		for _, path := range kernel.All() {
			got := in.run(rowLoops(path))
			for i := range want {
				if !reflect.DeepEqual(want[i], got[i]) {
					t.Fatalf("%s: loop %d of %d pixels, %d lanes:\n%v\nplain\n%v", path.Name, i, in.pixels, in.lanes, got[i], want[i])
				}
			}
		}
	}
}

// loopInput is arguments of all loops.
type loopInput struct {
	pixels, quads, words, lanes, picked int
	x, up, known, order                 []uint64
	a, b, c                             []float64
	lots                                []int32
	picks                               []int32
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
	for range 7 * in.words {
		in.order = append(in.order, rng.Uint64()|rng.Uint64())
	}
	for range in.picked {
		in.picks = append(in.picks, int32(rng.IntN(6)))
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

// run is what all loops do to copies of the input.
func (in *loopInput) run(l *kernel.RowLoops) (out []any) {
	n, pixels := in.lanes, 16*in.quads
	gains := slices.Clone(in.lots[:n])
	l.AddFours(gains, in.lots, in.x, in.quads)
	units, spare := slices.Clone(in.lots[:pixels]), make([]int32, pixels)
	l.Strengthen(gains, in.lots, units, spare, in.up, in.x, n/2)
	rows := func(i int) []int32 { return in.lots[i*n : (i+1)*n] }
	l.Exchange(gains, rows(0), rows(1), rows(2), rows(3), in.lots[5], in.lots[6])
	near := make([]uint64, (n+63)/64)
	most := l.Near(near, gains, 1<<18, in.lots[7])
	out = append(out, gains, units, near, most)

	terms := make([]float64, pixels)
	l.Begin(terms, in.a[:in.pixels:in.pixels], in.b[:in.pixels:in.pixels], in.x, in.known)
	out = append(out, slices.Clone(terms), l.Sum(terms), l.Gain(terms, in.b, in.c, in.up, in.x))
	out = append(out, l.Settle(terms, in.b, in.c, in.up, in.x), terms)
	l.BeginUnits(units, in.lots[pixels:2*pixels], in.lots[2*pixels:3*pixels], in.x)
	mask, greater := make([]uint64, in.words+1), make([]uint64, in.words+1)
	l.Voters(mask[:in.words], in.known, in.order, in.picks)
	l.Greater(greater[:in.words], in.a, in.b)
	seen, on := make([]uint64, 8*in.words+1), make([]uint64, 8*in.words+1)
	l.Count(seen[:8*in.words], on[:8*in.words], in.up, in.x, 3)
	l.Count(seen[:8*in.words], on[:8*in.words], in.known, in.x, 252)
	out = append(out, units, mask, greater, seen, on)

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
	// Only some lanes are choices, all of them where there are many.
	var choices []int64
	for c := range lanes {
		if lanes > 8 || c == 0 || in.lots[c]%3 != 0 {
			choices = append(choices, int64(c))
			continue
		}
		for p := range 16 {
			table[c/8*128+8*p+c%8] = math.Inf(-1)
		}
	}
	if l.Across != nil {
		table, costs := byLane(table, costs, choices)
		l.Across(table, costs, choices, lanes, in.c[0], x, in.words, list, groups, picks[3:], exact, lists, counts)
	} else {
		l.Step(table, costs, in.c[0], x, in.words, list, groups, picks[3:], exact, lists, counts)
	}
	out = append(out, picks, exact, sums, lists, counts)

	from, depth, outPicks, outGains := []int{1, 0, 0, 0}, []int32{2, 0, 3}, make([]int32, 14), make([]float64, 14)
	l.Gather(from, depth, picks, exact, outPicks, outGains)
	return append(out, from, outPicks[:6], outGains[:6])
}

// byLane is a table and costs of Step for Across, of the lanes chosen.
func byLane(table, costs []float64, chosen []int64) (across, ofChosen []float64) {
	group := 16 * len(costs)
	for at := 0; at < len(table); at += group {
		for _, c := range chosen {
			for p := range 16 {
				across = append(across, table[at+int(c)/8*128+8*p+int(c)%8])
			}
		}
	}
	for _, c := range chosen {
		ofChosen = append(ofChosen, costs[c])
	}
	return across, ofChosen
}

func FuzzRows(f *testing.F) {
	f.Add([]byte("rows of a table"))
	f.Fuzz(func(t *testing.T, data []byte) { checkRows(t, pickRows(&read{data}, 20, 150, 20)) })
}

// benchRows is rows sampled from a max model in which each expert is on in a
// quarter of the rows, as in the root package's benchmark; soft has opinions
// that are all different.
func benchRows(k, d, n int, twoSided, soft bool) rowsCase {
	rng := rand.New(rand.NewPCG(1, uint64(k)))
	f := Frame{Height: 1, Width: d, Q: 0.02, TwoSided: twoSided, Rotations: [][]int32{nil}}
	templates := make([][]float64, k)
	for j := range templates {
		templates[j] = make([]float64, d)
		for i := range templates[j] {
			if templates[j][i] = f.Q; rng.IntN(4) == 0 {
				templates[j][i] = 0.9
			}
			if soft {
				templates[j][i] += 0.05 * rng.Float64()
			}
		}
	}
	words := (d + 63) / 64
	c := rowsCase{NewBank(f, templates), RowOptions{MaxPicks: math.MaxInt16}, Packed{N: n, On: make([]uint64, n*words)}}
	p := make([]float64, d)
	for r := range n {
		for i := range p {
			p[i] = f.Q
		}
		for _, t := range templates {
			if rng.IntN(4) == 0 {
				for i, v := range t {
					p[i] = max(p[i], v)
				}
			}
		}
		for i, v := range p {
			if rng.Float64() < v {
				c.rows.On[r*words+i/64] |= 1 << (i % 64)
			}
		}
	}
	return c
}

// Rows of tables, a block of 4096 at a time where that is quick.
func BenchmarkRows(b *testing.B) {
	for _, s := range []struct {
		k, d, n int
		two     bool
	}{{8, 36, 1 << 16, false}, {8, 36, 1 << 16, true}, {32, 128, 4096, false}, {32, 128, 4096, true}, {64, 784, 1024, false}, {64, 784, 256, true}} {
		for _, soft := range []bool{false, true} {
			b.Run(fmt.Sprintf("K=%d/D=%d/two=%v/soft=%v", s.k, s.d, s.two, soft), func(b *testing.B) {
				c := benchRows(s.k, s.d, s.n, s.two, soft)
				r := NewRows(NewTable(c.bank, c.opt))
				var out Picked
				n := 0
				for b.Loop() {
					r.Explain(c.rows, &out)
					n += c.rows.N
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

// What explaining rows needs to know of a model, made once.
func BenchmarkNewTable(b *testing.B) {
	for _, s := range []struct{ k, d int }{{8, 36}, {32, 128}, {64, 784}} {
		b.Run(fmt.Sprintf("K=%d/D=%d", s.k, s.d), func(b *testing.B) {
			c := benchRows(s.k, s.d, 1, false, true)
			for b.Loop() {
				NewRows(NewTable(c.bank, c.opt))
			}
		})
	}
}
