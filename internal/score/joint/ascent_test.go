package joint

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork/internal/wire"
)

// drawCells returns cells that other opinions beside background q may lead to.
func drawCells(rng *rand.Rand, r Rule, q float64) []Cell {
	var out []Cell
	for range 1 + rng.IntN(6) {
		b := bit{rule: r, q: q}
		b.reset()
		for range rng.IntN(3) {
			b.join(r.parameter(0.02+0.96*rng.Float64(), q))
		}
		out = append(out, Cell{On: float64(rng.IntN(40)), Off: float64(rng.IntN(40)), Rest: b.rest()})
	}
	return out
}

// objective returns the log-likelihood of the cells if an expert says p alone, and the
// log prior of its vote, by the formulas.
func objective(r Rule, q float64, cells []Cell, vote float64) float64 {
	on, off := r.prior(q)
	sum := on*math.Log(vote) + off*math.Log1p(-vote)
	for i := range cells {
		c := &cells[i]
		yes, no := r.probability(&c.Rest, vote, q)
		sum += c.On*math.Log(yes) + c.Off*math.Log(no)
	}
	return sum
}

// An opinion joins a cell as it joins any composition.
func TestProbabilityIsTheComposition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, r := range all {
		for range 300 {
			q, vote := 0.1+0.6*rng.Float64(), 0.01+0.98*rng.Float64()
			b := bit{rule: r, q: q}
			b.reset()
			for range rng.IntN(4) {
				b.join(r.parameter(rng.Float64(), q))
			}
			c := b.rest()
			none, _ := r.without(&c, q)
			opinion := r.opinion(vote, q)
			before := b.p()
			b.join(r.parameter(opinion, q))
			yes, no := r.probability(&c, vote, q)
			if r == Max || r == MaxMinusMin { // a vote below q is none, or on the other side
				yes, no = b.p(), 1-b.p()
			}
			if math.Abs(yes-b.p()) > 1e-9 || math.Abs(yes+no-1) > 1e-9 || math.Abs(none-before) > 1e-12 {
				t.Fatalf("%s: %v beside %v composes to %v, the cell says %v, %v; before %v, %v", Names[r], opinion, q, b.p(), yes,
					no, before, none)
			}
		}
	}
}

// The slope is the derivative.
func TestSlopeIsTheDerivative(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for _, r := range all {
		for range 100 {
			q := 0.1 + 0.6*rng.Float64()
			cells := drawCells(rng, r, q)
			a := &Ascent{Rule: r, Q: q, Cells: cells}
			a.add()
			on, off := r.prior(q)
			l := 8*rng.Float64() - 4
			if r == Max || r == MaxMinusMin {
				l = math.Abs(l) + math.Log(q/(1-q)) // the other side is the mirror image
			}
			const h = 1e-5
			want := (objective(r, q, cells, vote(l+h)) - objective(r, q, cells, vote(l-h))) / (2 * h)
			if got := a.slope(vote(l), on, off); math.Abs(got-want) > 1e-3*(1+math.Abs(want)) {
				t.Errorf("%s: slope %v, want %v", Names[r], got, want)
			}
		}
	}
}

// No vote on a fine grid is better than the best.
func TestBestIsTheMaximum(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for _, r := range all {
		worse := 0
		for range 100 {
			q := 0.1 + 0.6*rng.Float64()
			cells := drawCells(rng, r, q)
			a := &Ascent{Rule: r, Q: q, Cells: cells}
			opinion, gain := a.Best(0)
			start, top, at := 0.0, math.Inf(-1), 0.0
			for i := range cells {
				yes, no := r.without(&cells[i].Rest, q)
				start += cells[i].On*math.Log(yes) + cells[i].Off*math.Log(no)
			}
			for n := range 2000 {
				v := (float64(n) + 0.5) / 2000
				if (r == Max) && v < q {
					continue
				}
				if o := objective(r, q, cells, v); o > top {
					top, at = o, v
				}
			}
			on, off := r.prior(q)
			if opinion == r.opinion(at, q) || opinion == q {
				continue
			}
			mine := start + gain + on*math.Log(rawOf(r, opinion, q)) + off*math.Log1p(-rawOf(r, opinion, q))
			if mine < top-0.01*(1+math.Abs(top)*1e-3) {
				worse++
			}
		}
		if worse > 2 && r != SumOfOdds && r != MaxMinusMin { // these are not concave; the gain leaves out the prior
			t.Errorf("%s: a better vote %d times of 100", Names[r], worse)
		}
	}
}

// rawOf returns the paper's vote of an opinion.
func rawOf(r Rule, p, q float64) float64 {
	v := r.parameter(p, q)
	switch r {
	case NoisyOr:
		return 1 - v
	case SumOfOdds, SumOfLogOdds:
		return v / (1 + v)
	case NormalizedSum:
		return (v + 1) / 2
	}
	return p
}

// The counts are the same in any order and number of pieces, come back from their bytes,
// and a step from them keeps what the rows were drawn from.
func TestGroupsKeepTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	each := func(bits int, work func(int)) {
		for i := range bits {
			work(i)
		}
	}
	for _, r := range all[2:] {
		const d, n = 6, 20000
		q := []float64{0.1, 0.2, 0.1, 0.3, 0.15, 0.2}
		opinions := [][]float64{{0.8, 0.7, 0.1, 0.3, 0.9, 0.2}, {0.1, 0.6, 0.9, 0.8, 0.15, 0.2}}
		e := NewExperts(r, q, opinions)
		whole, one, two := NewGroups(d), NewGroups(d), NewGroups(d)
		for i := range n {
			var set []int16
			for k := range opinions {
				if rng.IntN(3) == 0 {
					set = append(set, int16(k))
				}
			}
			if len(set) == 2 && rng.IntN(2) == 0 {
				set[0], set[1] = set[1], set[0]
			}
			x := make([]uint8, d)
			for j := range x {
				var p []float64
				for _, k := range set {
					p = append(p, opinions[k][j])
				}
				if rng.Float64() < Compose(r, q[j], p...) {
					x[j] = On
				}
				if rng.IntN(20) == 0 {
					x[j] = Unknown
				}
			}
			var ones, unknown []int32
			for j, v := range x {
				if v == On {
					ones = append(ones, int32(j))
				} else if v == Unknown {
					unknown = append(unknown, int32(j))
				}
			}
			whole.Add(set, ones, unknown, Unit)
			[]*Groups{one, two}[i%2].Add(set, ones, unknown, Unit)
		}
		two.Merge(one)
		if a, b := bytesOf(whole), bytesOf(two); string(a) != string(b) {
			t.Fatalf("%s: other counts in two pieces", Names[r])
		}
		back := NewGroups(d)
		if err := wire.Unmarshal(bytesOf(whole), code(back)); err != nil || string(bytesOf(back)) != string(bytesOf(whole)) {
			t.Fatalf("%s: the bytes are no counts", Names[r])
		}
		gotQ, got := whole.Step(e, MStep{Least: 5, Marginal: q, MinQ: 1e-3}, each)
		for j := range q {
			if math.Abs(gotQ[j]-q[j]) > 0.02 {
				t.Errorf("%s: background %v, want %v", Names[r], gotQ, q)
			}
			for k := range opinions {
				if want := opinions[k][j]; math.Abs(got[k][j]-want) > 0.03 || want == q[j] && got[k][j] != gotQ[j] {
					t.Errorf("%s: expert %d, bit %d: %v, want %v beside %v", Names[r], k, j, got[k][j], want, gotQ[j])
				}
			}
		}
		if _, p := whole.Step(e, MStep{Least: 5, Marginal: q, MinQ: 1e-3, Pooled: true}, each); p[0][0] == got[0][0] &&
			r == NoisyOr {
			t.Error("votes that are drawn to their mean stay where they were")
		}
	}
}

func code(g *Groups) func(*wire.Codec) { return func(c *wire.Codec) { g.Code(c, 2) } }

func bytesOf(g *Groups) []byte { return wire.Marshal(code(g)) }

// FuzzDecode reads any bytes without harm.
func FuzzDecode(f *testing.F) {
	g := NewGroups(3)
	g.Add([]int16{1, 0}, []int32{0}, []int32{2}, 5)
	f.Add(bytesOf(g))
	f.Fuzz(func(t *testing.T, in []byte) {
		g := NewGroups(3)
		if wire.Unmarshal(in, code(g)) == nil {
			g.Step(NewExperts(Mean, []float64{.1, .2, .3}, [][]float64{{.2, .3, .4}, {.2, .1, .4}}), MStep{MinQ: 0.01},
				func(n int, work func(int)) {
					for i := range n {
						work(i)
					}
				})
		}
	})
}
