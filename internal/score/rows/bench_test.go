package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

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
	c := rowsCase{score.NewBank(f, templates), Options{MaxPicks: math.MaxInt16}, Packed{N: n, On: make([]uint64, n*words)}}
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
	}{{8, 36, 1 << 16, false}, {8, 36, 1 << 16, true}, {32, 128, 4096, false}, {32, 128, 4096, true},
		{64, 784, 1024, false}, {64, 784, 256, true}} {
		for _, soft := range []bool{false, true} {
			b.Run(fmt.Sprintf("K=%d/D=%d/two=%v/soft=%v", s.k, s.d, s.two, soft), func(b *testing.B) {
				c := benchRows(s.k, s.d, s.n, s.two, soft)
				r := NewExplainer(NewTable(c.bank, c.opt))
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
				NewExplainer(NewTable(c.bank, c.opt))
			}
		})
		b.Run(fmt.Sprintf("K=%d/D=%d/votes", s.k, s.d), func(b *testing.B) {
			c := plantedRows(s.k, s.d, 1)
			t := NewTable(c.bank, c.opt)
			for b.Loop() {
				t.newVoteTables()
			}
		})
	}
}

// plantedRows returns rows of a model of few strong votes that are all different: each expert votes
// for an eighth of the columns, at least nine, from 0.8 to 1, and four are active on average, at most a quarter.
func plantedRows(k, d, n int) rowsCase {
	rng := rand.New(rand.NewPCG(2, uint64(k)))
	f := score.Frame{Height: 1, Width: d, Q: 0.02, Turns: []pose.Turn{{}}}
	templates, votes := make([][]float64, k), make([][]int, k)
	for j := range templates {
		templates[j] = make([]float64, d)
		for _, i := range rng.Perm(d)[:min(d, max(9, d/8))] {
			templates[j][i], votes[j] = 0.8+0.2*rng.Float64(), append(votes[j], i)
		}
	}
	words := (d + 63) / 64
	c := rowsCase{score.NewBank(f, templates), Options{MaxPicks: math.MaxInt16}, Packed{N: n, On: make([]uint64, n*words)}}
	p := make([]float64, d)
	for r := range n {
		clear(p)
		for j, t := range templates {
			if rng.Float64() < min(0.25, 4/float64(k)) {
				for _, i := range votes[j] {
					p[i] = max(p[i], t[i])
				}
			}
		}
		for i, v := range p {
			if rng.Float64() < max(v, f.Q) {
				c.rows.On[r*words+i/64] |= 1 << (i % 64)
			}
		}
	}
	return c
}

// Strong votes, all different, one by one, and by the other engines.
func BenchmarkByVote(b *testing.B) {
	for _, s := range []struct{ k, d int }{{8, 36}, {12, 36}, {16, 100}, {32, 128}, {64, 784}} {
		for _, by := range []string{"vote", "others"} {
			b.Run(fmt.Sprintf("K=%d/D=%d/%s", s.k, s.d, by), func(b *testing.B) {
				c := plantedRows(s.k, s.d, Block)
				r := NewExplainer(NewTable(c.bank, c.opt))
				if r.byVote.asked = votesWorth; by == "vote" {
					r.bySet.on = false
				} else {
					r.byVote.asked = math.MinInt32
				}
				var out Picked
				r.Explain(c.rows, &out)
				fastest := time.Hour
				for b.Loop() {
					began := time.Now()
					r.Explain(c.rows, &out)
					fastest = min(fastest, time.Since(began))
				}
				b.ReportMetric(float64(fastest.Nanoseconds())/float64(c.rows.N), "ns/row")
			})
		}
	}
}
