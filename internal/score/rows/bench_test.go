package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork/internal/score"

	"example.com/patchwork/pose"
)

// benchRows returns rows sampled from a max model in which each expert is active
// in a quarter of the rows, as in the root package's benchmark; with soft all
// opinions are different.
func benchRows(k, d, n int, twoSided, soft bool) rowsCase {
	rng := rand.New(rand.NewPCG(1, uint64(k)))
	f := score.Frame{Height: 1, Width: d, Q: 0.02, TwoSided: twoSided, Turns: []pose.Turn{{}}}
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
	c := rowsCase{score.NewBank(f, templates), Options{MaxPicks: math.MaxInt16}, packed{n: n, on: make([]uint64, n*words)}}
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
				c.rows.on[r*words+i/64] |= 1 << (i % 64)
			}
		}
	}
	return c
}

// Rows of tables, one after the other.
func BenchmarkRows(b *testing.B) {
	for _, s := range []struct {
		k, d, n int
		two     bool
	}{{8, 36, 4096, false}, {8, 36, 4096, true}, {32, 128, 4096, false}, {32, 128, 4096, true},
		{64, 784, 1024, false}, {64, 784, 256, true}} {
		for _, soft := range []bool{false, true} {
			b.Run(fmt.Sprintf("K=%d/D=%d/two=%v/soft=%v", s.k, s.d, s.two, soft), func(b *testing.B) {
				c := benchRows(s.k, s.d, s.n, s.two, soft)
				r := NewExplainer(NewTable(c.bank, c.opt))
				n := 0
				for b.Loop() {
					r.Explain(c.row(n % s.n))
					n++
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
				NewExplainer(NewTable(c.bank, c.opt))
			}
		})
	}
}
