package rows

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/kernel"
	"example.com/patchwork/internal/score/scoretest"

	"example.com/patchwork/pose"
)

// rowsCase is a bank, options and rows to explain.
type rowsCase struct {
	bank *score.Bank
	opt  Options
	rows packed
}

// packed holds n rows of some words each; known is nil where every pixel is known.
type packed struct {
	n         int
	on, known []uint64
}

// row returns row n, and which of its pixels are known.
func (c *rowsCase) row(n int) (x, known []uint64) {
	words := (c.bank.Height*c.bank.Width + 63) / 64
	if c.rows.known != nil {
		known = c.rows.known[n*words:][:words]
	}
	return c.rows.on[n*words:][:words], known
}

// pickRows makes a case with what is nasty about rows: equal and opposite
// opinions, copies of experts, abstention by pixel, unknown pixels, costs.
func pickRows(c scoretest.Choices, maxExperts, maxPixels, n int) rowsCase {
	f := score.Frame{Height: 1, Width: 1 + c.Pick(maxPixels), TwoSided: c.Pick(2) > 0, Turns: []pose.Turn{{}}}
	f.Q = []float64{0.5, 0.3, 0.01, 0.02}[c.Pick(4)]
	rng := rand.New(rand.NewPCG(uint64(c.Pick(256)), uint64(c.Pick(256))))
	if c.Pick(3) == 0 {
		f.QMap = make([]float64, f.Width)
		for i := range f.QMap {
			f.QMap[i] = []float64{f.Q, 0.5, 0.9, 0.2}[rng.IntN(4)]
		}
	}
	templates := make([][]float64, 1+c.Pick(maxExperts))
	style := c.Pick(5)
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
	x := rowsCase{bank: score.NewBank(f, templates), opt: Options{Costs: scoretest.PickCosts(c, len(templates)),
		MaxPicks: math.MaxInt16}}
	x.opt.Forced = c.Pick(2) == 0
	x.opt.MinGain = []float64{0, 0, 1.5, -3, math.Inf(-1), math.Inf(1)}[c.Pick(6)]
	if c.Pick(4) == 0 {
		x.opt.MaxPicks = c.Pick(4)
	}
	x.rows = pickPacked(rng, f.Width, n, c.Pick(3) == 0, templates)
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
func pickPacked(rng *rand.Rand, d, n int, hidden bool, templates [][]float64) packed {
	words := (d + 63) / 64
	p := packed{n: n, on: make([]uint64, n*words)}
	if hidden {
		p.known = make([]uint64, n*words)
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
				p.known[at] |= bit
			}
			prob := level
			if r%2 == 0 {
				prob = max(a[i], b[i])
			}
			if rng.Float64() < prob {
				p.on[at] |= bit
			}
		}
	}
	return p
}

// checkRows compares Explainer with score.Search, row by row, to the bit.
func checkRows(t scoretest.Fataler, c rowsCase) {
	table := NewTable(c.bank, c.opt)
	if table == nil {
		if c.bank.Plain() {
			t.Fatalf("no table for a plain bank")
		}
		return
	}
	want := searchRows(c)
	for _, path := range kernel.All() {
		if path.Name == "portable" {
			continue // the plain loops, as in the reference
		}
		table.loops = loopsOf(path)
		r := NewExplainer(table)
		for n, want := range want {
			got, ok := r.Explain(c.row(n))
			if !ok && !c.bank.TwoSided {
				t.Fatalf("row %d is left to the search", n)
			}
			if ok && (!slices.Equal(got.Experts, want.Experts) || !slices.Equal(got.Gains, want.Gains) ||
				got.Start != want.Start || got.LogLik != want.LogLik) {
				t.Fatalf("row %d of %d pixels, %d experts:\n%v\nSearch has\n%v", n, c.bank.Height*c.bank.Width,
					len(c.bank.Sprites), got, want)
			}
		}
	}
}

// searchRows explains the rows one by one.
func searchRows(c rowsCase) []Found {
	d := c.bank.Height * c.bank.Width
	words := (d + 63) / 64
	var s score.Search
	x := make([]uint8, d)
	var all []Found
	for n := range c.rows.n {
		for i := range x {
			at := n*words + i/64
			x[i] = uint8(c.rows.on[at] >> (i % 64) & 1)
			if c.rows.known != nil && c.rows.known[at]>>(i%64)&1 == 0 {
				x[i] = score.Unknown
			}
		}
		s.Reset(c.bank, score.Grid{NY: 1, StepY: 1, NX: 1, StepX: 1}, 1, d, x)
		all = append(all, explainSearch(&s, c.opt))
	}
	return all
}

// explainSearch explains an image by the pursuit of the root package.
func explainSearch(s *score.Search, opt Options) Found {
	p := Found{Start: s.LogLik()}
	used := make([]bool, len(s.Bank.Sprites))
	for n := 0; n < opt.MaxPicks; n++ {
		c, g := s.BestAbove(math.Inf(-1), opt.Costs, func(k int) bool { return !used[k] })
		if c < 0 || !(g.Exceeds(opt.MinGain+score.Tie) || opt.Forced && n == 0) {
			break
		}
		used[c] = true
		g.Nats += score.CostOf(opt.Costs, c)
		p.Experts, p.Gains = append(p.Experts, int32(c)), append(p.Gains, g.Float())
		s.Place(c)
	}
	p.LogLik = s.LogLik()
	return p
}

func TestRowsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRows(t, pickRows(scoretest.Drawn{T: t}, 8, 40, 24)) })
	rapid.Check(t, func(t *rapid.T) { checkRows(t, pickRows(scoretest.Drawn{T: t}, 70, 200, 4)) })
	rapid.Check(t, func(t *rapid.T) { checkRows(t, pickRows(scoretest.Drawn{T: t}, 30, 70, 60)) })
	for _, two := range []bool{false, true} {
		for _, soft := range []bool{false, true} {
			checkRows(t, benchRows(8, 36, 3000, two, soft))
			checkRows(t, benchRows(40, 300, 20, two, soft))
		}
	}
}

// Tiny tables, which are quick enough for a million: few experts and pixels, nearly
// all sets and states.
func TestRowsAgreeOnTinyTables(t *testing.T) {
	for i := range scoretest.TinyCases(t, 1000) {
		c := scoretest.Tiny(i)
		checkRows(scoretest.AtCase{T: t, Case: i}, pickRows(c, 1+c.Pick(6), 1+c.Pick(20), 1+c.Pick(6)))
	}
}

func FuzzRows(f *testing.F) {
	f.Add([]byte("rows of a table"))
	f.Fuzz(func(t *testing.T, data []byte) { checkRows(t, pickRows(&scoretest.Read{Bytes: data}, 20, 150, 20)) })
}
